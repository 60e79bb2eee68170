// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The calls of the Node API about transfers, events and sizes, for one caller.
///
/// A node user sees all transfers and events. An access key and its administrators see those of the access key, and
/// another user of the access key sees only the user's own.
struct ActivityService: Sendable {
  private static let pageLimit = 1_000
  private static let volumeByteCount: Int64 = 1 << 40
  let aspera: AsperaContext
  let caller: NodeCaller

  func transfers(_ query: NodeQuery) throws -> Answer {
    var found = try visibleTransfers(ofKey: query["access_key"])
    if let direction = query["direction"] { found = found.filter { $0.element.start.direction.rawValue == direction } }
    if let isActive = try query.bool("active_only") {
      found = found.filter { ($0.element.progress.status == .running) == isActive }
    }
    if let time = try query.time("after_time") {
      found = found.filter { ($0.element.progress.end ?? $0.element.start.date) > time }
    }
    if let filter = query["tag"] { found = found.filter { Self.tagFilter(filter, matches: $0.element.start.tags) } }
    let view = query["view"] ?? "summary"
    try require(["id", "short_summary", "summary"].contains(view), "The view must be id, short_summary or summary.")
    return try page(of: found, at: "/ops/transfers", query) { transfer in
      .object(view == "id" ? ["id": .string(transfer.element.id)] : transfer.element.document)
    }
  }

  func transfer(_ id: String) throws(ErrorResponse) -> Answer { Answer(.object(try visibleTransfer(id).document)) }

  /// Cancels a transfer that runs, or accepts new rates, which have no effect.
  func change(_ id: String, _ body: JSONValue, at date: Timestamp) throws(ErrorResponse) -> Answer {
    let transfer = try visibleTransfer(id)
    if let status = body["status"] {
      guard ["canceled", "cancelled", "stopped"].contains(status.string) else {
        throw .nodeBadRequest("A transfer of this node can be canceled, but not paused or resumed.")
      }
      aspera.activity.recordEnd(of: transfer, as: .canceled, at: date)
    }
    return Answer(.object(transfer.document))
  }

  func cancel(_ id: String, at date: Timestamp) throws(ErrorResponse) -> Answer {
    aspera.activity.recordEnd(of: try visibleTransfer(id), as: .canceled, at: date)
    return Answer(.noContent)
  }

  func events(_ query: NodeQuery) throws -> Answer {
    var found = visibleEvents
    if let time = try query.time("after_time") { found = found.filter { $0.element.time > time } }
    if let type = query["type"] { found = found.filter { $0.element.types.contains(type) } }
    if let pattern = try query.pattern("type_glob[]") {
      found = found.filter { event in event.element.types.contains { pattern.matches($0) } }
    }
    return try page(of: found, at: "/events", query, Self.document)
  }

  func event(_ id: String) throws(ErrorResponse) -> Answer {
    let number = FileRegister.number(inID: id)
    guard let event = visibleEvents.first(where: { $0.number == number }) else { throw .noSuch("event", id) }
    return Answer(Self.document(of: event))
  }

  /// Returns the size and the free part of an imaginary volume of one tebibyte, for each path.
  func space(_ body: JSONValue) async throws -> Answer {
    let service = PathService(aspera: aspera, root: try caller.root)
    let total = Self.volumeByteCount
    let free = total - min(FileCounts(try aspera.files.walk(service.root)).byteCount, total)
    return try await service.forEachPath(body) { element, result in
      // A path that does not exist has an error instead of numbers.
      _ = try aspera.files.existingEntry(at: service.path(element["path"]))
      result["bytes_total"] = .integer(total)
      result["bytes_free"] = .integer(free)
      result["percent_free"] = .integer(free / (total / 100))
    }
  }

  /// Adds up the bytes of the remembered transfers with a usage ID, or of all of the access key if the ID is `nil`.
  func usage(_ id: String?, _ query: NodeQuery) throws -> Answer {
    let accessKey = try (caller.accessKey?.id ?? query["access_key"]).required(
      "A node user has to name the access_key.")
    let transfers = try visibleTransfers(ofKey: query["access_key"]).map(\.element)
    let found = transfers.filter { id == nil || $0.usageID == id }
    if let id, found.isEmpty { throw ErrorResponse.noSuch("usage ID", id) }
    func byteCount(_ direction: TransferDirection) -> Int64 {
      found.filter { $0.start.direction == direction }.reduce(0) { $0.saturatingAdding($1.progress.byteCount) }
    }
    // IBM's description counts downloads as bytes_in, and uploads as bytes_out.
    let (downloaded, uploaded) = (byteCount(.receive), byteCount(.send))
    return Answer([
      "id": .string(id ?? accessKey), "bytes_in": .integer(downloaded), "bytes_out": .integer(uploaded),
      "bytes_total": .integer(downloaded.saturatingAdding(uploaded)),
    ])
  }

  private var visibleEvents: [ActivityLog.Numbered<ActivityLog.Event>] {
    aspera.activity.events(of: caller.accessKey?.id, at: aspera.cloud.now).filter { isVisible($0.element.userID) }
  }

  private func visibleTransfers(
    ofKey accessKey: String?
  ) throws(ErrorResponse) -> [ActivityLog.Numbered<TransferRecord>] {
    if let accessKey, let ownKey = caller.accessKey?.id, !ownKey.isIdentical(to: accessKey) {
      throw .node(.forbidden, "The access key is not the caller's.")
    }
    return aspera.activity.transfers(of: caller.accessKey?.id ?? accessKey, at: aspera.cloud.now)
      .filter { isVisible($0.element.start.userID) }
  }

  private func visibleTransfer(_ id: String) throws(ErrorResponse) -> TransferRecord {
    let found = try visibleTransfers(ofKey: nil).first { $0.element.id == id }
    guard let found else { throw .noSuch("transfer", id) }
    return found.element
  }

  /// Returns whether the caller sees what a user has done.
  private func isVisible(_ userID: String) -> Bool {
    guard let user = caller.bearerUser, !user.isAdministrator else { return true }
    return user.id.isIdentical(to: userID)
  }

  /// Returns a page of a list, with a link to what follows the page now or later.
  ///
  /// The iteration token is the number of the last element before the page.
  private func page<Element>(
    of found: [ActivityLog.Numbered<Element>], at path: String, _ query: NodeQuery,
    _ document: (ActivityLog.Numbered<Element>) -> JSONValue
  ) throws -> Answer {
    let lastNumber = try query.number("iteration_token") ?? 0
    let count = min(try query.number("count") ?? Self.pageLimit, Self.pageLimit)
    let page = found.filter { $0.number > lastNumber }.prefix(count)
    var response = Answer(.array(page.map(document)))
    if let last = page.last {
      let nextQuery = query.text(setting: "iteration_token", to: String(last.number))
      response.headers.set("Link", "<\(path)?\(nextQuery)>; rel=\"next\"")
    }
    return response
  }

  private static func document(of event: ActivityLog.Numbered<ActivityLog.Event>) -> JSONValue {
    [
      "id": .string(String(event.number)), "time": .string(event.element.time.iso8601),
      "user_id": .string(event.element.userID), "types": .strings(event.element.types), "data": event.element.data,
    ]
  }

  /// Returns whether tags contain the member, and the value if any, of a filter such as `aspera.xfer_retry=10`.
  private static func tagFilter(_ filter: String, matches tags: JSONValue?) -> Bool {
    let pathAndValue = filter.parts(between: "=", maxSplits: 1)
    var value = tags
    for name in pathAndValue[0].words(between: ".") { value = value?[String(name)] }
    guard let value else { return false }
    return pathAndValue.count < 2 || value.code == String(pathAndValue[1])
  }
}
