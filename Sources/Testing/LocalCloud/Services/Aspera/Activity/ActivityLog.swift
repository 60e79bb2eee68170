// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The transfers and the events of the node, of which the newest 1,000 are kept for each access key.
final class ActivityLog: Sendable {
  struct Event: Sendable {
    let time: Timestamp
    let userID: String
    let types: [String]
    let data: JSONValue
  }

  /// An entry with its position among all transfers, or among all events.
  typealias Numbered<Element: Sendable> = (number: Int, element: Element)

  private struct Entries<Element: Sendable>: Sendable {
    var byAccessKey: [ByteExactString: [Numbered<Element>]] = [:]
    var lastNumber = 0

    mutating func append(_ element: Element, of accessKey: String) {
      lastNumber += 1
      let key = ByteExactString(accessKey)
      byAccessKey[key, default: []].append((lastNumber, element))
      if let count = byAccessKey[key]?.count, count > capacity { byAccessKey[key]?.removeFirst() }
    }

    func entries(of accessKey: String?) -> [Numbered<Element>] {
      guard let accessKey else { return byAccessKey.values.joined().sorted { $0.number < $1.number } }
      return byAccessKey[ByteExactString(accessKey)] ?? []
    }
  }

  private static let capacity = 1_000
  /// The key under which transfers without a token are kept.
  private static let noAccessKey = ""
  private let transfers = Lock(Entries<TransferRecord>())
  private let events = Lock(Entries<Event>())

  func recordStart(of transfer: TransferRecord, at now: Timestamp) {
    transfers.withLock { $0.append(transfer, of: transfer.start.accessKey ?? Self.noAccessKey) }
    addEvent("started", of: transfer, at: now)
  }

  func recordEnd(
    of transfer: TransferRecord, as status: TransferRecord.Status, because refusal: TransferRefusal? = nil,
    at now: Timestamp
  ) {
    let wasRunning = transfer.end(status, refusal, at: now)
    if wasRunning { addEvent("ended", of: transfer, at: now) }
  }

  func addEvent(_ types: [String], _ data: JSONValue, of accessKey: String, by userID: String, at now: Timestamp) {
    events.withLock { $0.append(Event(time: now, userID: userID, types: types, data: data), of: accessKey) }
  }

  private func addEvent(_ step: String, of transfer: TransferRecord, at now: Timestamp) {
    let kind = transfer.start.direction == .send ? "upload" : "download"
    addEvent(
      ["\(kind).\(step)", "transfer.\(step)"], .object(transfer.document),
      of: transfer.start.accessKey ?? Self.noAccessKey, by: transfer.start.userID, at: now)
  }

  /// Returns the transfers of an access key, or all if it is `nil`, after ending those that a client has abandoned.
  func transfers(of accessKey: String?, at now: Timestamp) -> [Numbered<TransferRecord>] {
    endAbandonedTransfers(of: accessKey, at: now)
    return transfers.withLock { $0.entries(of: accessKey) }
  }

  /// Returns the events of an access key, or all if it is `nil`, including the ends of abandoned transfers.
  func events(of accessKey: String?, at now: Timestamp) -> [Numbered<Event>] {
    endAbandonedTransfers(of: accessKey, at: now)
    return events.withLock { $0.entries(of: accessKey) }
  }

  private func endAbandonedTransfers(of accessKey: String?, at now: Timestamp) {
    for transfer in transfers.withLock({ $0.entries(of: accessKey) }) {
      let wasAbandoned = transfer.element.endIfAbandoned(at: now)
      if wasAbandoned { addEvent("ended", of: transfer.element, at: now) }
    }
  }

  func removeAll(of accessKey: String) {
    let key = ByteExactString(accessKey)
    transfers.withLock { $0.byAccessKey[key] = nil }
    events.withLock { $0.byAccessKey[key] = nil }
  }
}
