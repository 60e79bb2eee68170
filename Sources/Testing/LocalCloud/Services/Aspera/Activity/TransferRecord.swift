// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A transfer that the node knows: a session of the transfer server, or a copy that `/ops/transfers` started.
final class TransferRecord: Sendable {
  /// The state of a transfer, in the words of the Node API.
  enum Status: String, Sendable { case running, completed, failed, canceled }

  struct Start: Sendable {
    /// The ID of the access key whose token authorized the transfer, or `nil` if the transfer had no token.
    var accessKey: String?
    var userID: String
    /// The direction from the point of view of the client of the transfer server.
    var direction: TransferDirection
    var login: String
    /// The kind of the token: `basic_token`, `bearer_token`, `auth_token` or `none`.
    var tokenType: String
    var tags: JSONValue?
    var cookie: String?
    var paths: [String]
    var date: Timestamp
  }

  struct Progress: Sendable {
    var status = Status.running
    var byteCount: Int64 = 0
    var fileCount = 0
    var end: Timestamp?
    var errorCode = 0
    var errorDescription = ""
    /// The time of the client's last request, or `nil` if the node itself carries the transfer out.
    var clientSeen: Timestamp?

    fileprivate mutating func end(_ newStatus: Status, _ refusal: TransferRefusal?, at now: Timestamp) -> Bool {
      let wasRunning = status == .running
      guard status != .canceled, wasRunning || newStatus != .canceled else { return false }
      status = newStatus
      end = now
      errorCode = refusal?.code ?? 0
      errorDescription = refusal?.text ?? ""
      return wasRunning
    }
  }

  /// The time after which a transfer without a client's request has failed; `ascp-simulator` sends one every 3 seconds.
  private static let clientSilenceLimit = Duration.seconds(10)
  private static let (pathLimit, textByteLimit, tagByteLimit) = (10, 1_024, 4_096)
  let id = BlobID.random().description
  let start: Start
  private let lockedProgress = Lock(Progress())

  init(_ start: Start, clientSeen: Timestamp? = nil) {
    var start = start
    start.tags = Self.tagsToKeep(start.tags)
    start.cookie = start.cookie?.shortened(to: Self.textByteLimit)
    start.paths = start.paths.prefix(Self.pathLimit).map { $0.shortened(to: Self.textByteLimit) }
    self.start = start
    lockedProgress.withLock { $0.clientSeen = clientSeen }
  }

  var progress: Progress { lockedProgress.withLock { $0 } }

  func add(bytes: Int64 = 0, files: Int = 0) {
    lockedProgress.withLock { progress in
      progress.byteCount = progress.byteCount.saturatingAdding(bytes)
      progress.fileCount = progress.fileCount.saturatingAdding(files)
    }
  }

  func noteClientRequest(at now: Timestamp) { lockedProgress.withLock { $0.clientSeen = now } }

  /// Ends the transfer, unless it was canceled, for ``ActivityLog``; returns whether it was running until now.
  func end(_ status: Status, _ refusal: TransferRefusal? = nil, at now: Timestamp) -> Bool {
    lockedProgress.withLock { $0.end(status, refusal, at: now) }
  }

  /// Ends the transfer as failed if it is running and its client has been silent for too long; returns whether it was.
  func endIfAbandoned(at now: Timestamp) -> Bool {
    lockedProgress.withLock { progress in
      guard progress.status == .running, let seen = progress.clientSeen,
        seen.duration(to: now) > Self.clientSilenceLimit
      else { return false }
      return progress.end(.failed, .clientLost, at: now)
    }
  }

  var usageID: String? { start.tags?["aspera"]?["usage_id"]?.code ?? start.accessKey }

  var document: JSONObject {
    let progress = progress
    let session = JSONObject(present: [
      "id": .string(id), "status": .string(progress.status.rawValue),
      "start_time_usec": .integer(Self.microseconds(start.date)),
      "end_time_usec": progress.end.map { .integer(Self.microseconds($0)) },
      "bytes_transferred": .integer(progress.byteCount),
      "bytes_written": .integer(start.direction == .send ? progress.byteCount : 0),
      "files_completed": .integer(progress.fileCount), "avg_rate_kbps": .integer(averageRate(progress)),
      "error_code": .integer(progress.errorCode), "error_desc": .string(progress.errorDescription),
    ])
    let specification = JSONObject(present: [
      "direction": .string(start.direction.rawValue), "remote_user": .string(start.login),
      "token_type": .string(start.tokenType), "server_access_key": start.accessKey.map { .string($0) },
      "source_paths": .strings(start.paths), "tags": start.tags ?? [:], "cookie": start.cookie.map { .string($0) },
    ])
    var document = session
    document["start_spec"] = .object(specification)
    document["sessions"] = [.object(session)]
    return document
  }

  /// Returns the tags of a transfer without storage credentials, which are secrets, or `nil` if the tags are too large.
  private static func tagsToKeep(_ tags: JSONValue?) -> JSONValue? {
    guard let tags, tags.serialized.count <= tagByteLimit else { return nil }
    guard var allTags = tags.object, var aspera = allTags["aspera"]?.object, var node = aspera["node"]?.object else {
      return tags
    }
    node["storage_credentials"] = nil
    aspera["node"] = .object(node)
    allTags["aspera"] = .object(aspera)
    return .object(allTags)
  }

  /// Returns kilobits per second, or 0 while the transfer runs, because aspera-cli takes any other rate for its end.
  private func averageRate(_ progress: Progress) -> Int64 {
    guard let end = progress.end else { return 0 }
    let seconds = max(start.date.duration(to: end) / .milliseconds(1), 1) / 1_000
    return Int64(exactly: (Double(progress.byteCount) * 8 / 1_000 / seconds).rounded(.up)) ?? 0
  }

  private static func microseconds(_ date: Timestamp) -> Int64 {
    let (product, overflow) = date.unixSeconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (date.unixSeconds < 0 ? .min : .max) : product
  }
}
