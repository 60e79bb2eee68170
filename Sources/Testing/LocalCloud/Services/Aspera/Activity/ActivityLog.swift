// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The transfers and the events of the node: the newest 1,000 of each for every access key.
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

    /// Returns the entries of an access key, or of all if it is `nil`, in the order in which they were added.
    func entries(of accessKey: String?) -> [Numbered<Element>] {
      guard let accessKey else { return byAccessKey.values.joined().sorted { $0.number < $1.number } }
      return byAccessKey[ByteExactString(accessKey)] ?? []
    }
  }

  private struct State {
    var transfers = Entries<TransferRecord>()
    var events = Entries<Event>()
  }

  private static let capacity = 1_000

  /// The key under which transfers without a token are kept.
  private static let noAccessKey = ""

  private let state = Lock(State())

  func start(_ transfer: TransferRecord, at now: Timestamp) {
    state.withLock { $0.transfers.append(transfer, of: transfer.start.accessKey ?? Self.noAccessKey) }
    addEvent("started", of: transfer, at: now)
  }

  func add(_ types: [String], _ data: JSONValue, of accessKey: String, by userID: String, at now: Timestamp) {
    let event = Event(time: now, userID: userID, types: types, data: data)
    state.withLock { $0.events.append(event, of: accessKey) }
  }

  private func addEvent(_ step: String, of transfer: TransferRecord, at now: Timestamp) {
    let kind = transfer.start.direction == .send ? "upload" : "download"
    add(
      ["\(kind).\(step)", "transfer.\(step)"], .object(transfer.document),
      of: transfer.start.accessKey ?? Self.noAccessKey, by: transfer.start.userID, at: now)
  }

  /// Returns the transfers of an access key, or all transfers if it is `nil`.
  ///
  /// A transfer whose client has ended without a message has failed.
  func transfers(of accessKey: String?, at now: Timestamp) -> [Numbered<TransferRecord>] {
    let transfers = state.withLock { $0.transfers.entries(of: accessKey) }
    for transfer in transfers.map(\.element) where transfer.endIfAbandoned(at: now) {
      addEvent("ended", of: transfer, at: now)
    }
    return transfers
  }

  func end(
    _ transfer: TransferRecord, _ status: TransferRecord.Status, _ refusal: TransferRefusal? = nil, at now: Timestamp
  ) {
    if transfer.end(status, refusal, at: now) { addEvent("ended", of: transfer, at: now) }
  }

  /// Returns the events of an access key, or all events if it is `nil`.
  ///
  /// They include the end of a transfer whose client has ended without a message.
  func events(of accessKey: String?, at now: Timestamp) -> [Numbered<Event>] {
    _ = transfers(of: accessKey, at: now)
    return state.withLock { $0.events.entries(of: accessKey) }
  }

  func remove(_ accessKey: String) {
    let key = ByteExactString(accessKey)
    state.withLock { state in
      state.transfers.byAccessKey[key] = nil
      state.events.byAccessKey[key] = nil
    }
  }
}
