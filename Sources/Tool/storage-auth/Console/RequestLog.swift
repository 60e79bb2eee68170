// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The latest requests of a local cloud, and the pages that listen for further ones.
///
/// A listener that reads too slowly is dropped; its page connects again and receives the events that it missed.
final class RequestLog: Sendable {
  struct Limits: Sendable {
    var requests = 1000
    /// The maximum size of the requests in bytes of JSON.
    var byteCount = 16 << 20
    var listeners = 16
    /// The maximum number of events that wait for one listener.
    var waitingEvents = 256
  }

  private struct Entry {
    let event: ServerEvent
    let detail: [UInt8]
    var byteCount: Int { event.bytes.count + detail.count }
  }

  private struct State {
    var entries: ArraySlice<Entry> = []
    var byteCount = 0
    var lastNumber = 0
    var listeners: [Int: AsyncStream<ServerEvent>.Continuation] = [:]
    var lastListenerID = 0
    var isFinished = false
    /// The events that are not delivered yet, with their listeners.
    ///
    /// They are delivered outside of the lock to avoid a deadlock: the cancellation of a listener's task waits for the
    /// lock, and what resumes the task waits for the cancellation.
    var undelivered = DeliveryQueue<(ServerEvent, [AsyncStream<ServerEvent>.Continuation])>()

    mutating func send(_ event: ServerEvent) { undelivered.append((event, Array(listeners.values))) }
  }

  struct Subscription: Sendable {
    /// The events that the listener missed, the oldest first.
    let missed: [ServerEvent]
    /// The further events, until the listener is dropped or the console stops.
    let following: AsyncStream<ServerEvent>
    fileprivate let continuation: AsyncStream<ServerEvent>.Continuation

    func cancel() { continuation.finish() }
  }

  /// A name that is part of event IDs, so that a page does not continue the list of an earlier console.
  private let name = String(UInt64.random(in: .min ... .max), radix: 36)
  private let limits: Limits
  private let state = Lock(State())

  init(_ limits: Limits = Limits()) { self.limits = limits }
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  func append(_ report: RequestReport) {
    let detail = report.detail.serialized
    update { state in
      state.lastNumber += 1
      let event = ServerEvent(
        "request", id: "\(name)-\(state.lastNumber)", report.summary(number: state.lastNumber).serialized)
      let entry = Entry(event: event, detail: detail)
      state.entries.append(entry)
      state.byteCount += entry.byteCount
      while state.entries.count > limits.requests || state.byteCount > limits.byteCount,
        let oldest = state.entries.popFirst()
      { state.byteCount -= oldest.byteCount }
      state.send(event)
    }
  }

  /// Removes all requests, after which the pages start anew.
  func clear() {
    update { state in
      state.entries = []
      state.byteCount = 0
      state.send(helloEvent(continues: false))
    }
  }

  /// Returns the first event of a connection; the page starts anew unless the events continue its own.
  private func helloEvent(continues: Bool) -> ServerEvent {
    let document: JSONValue = ["continues": .bool(continues), "limit": .integer(limits.requests), "log": .string(name)]
    return ServerEvent("hello", id: nil, document.serialized)
  }

  /// Sends an event that reveals connections that are no longer open.
  func sendHeartbeat() { update { $0.send(.heartbeat) } }

  /// Changes the state, and delivers its events; a listener that reads too slowly is dropped.
  private func update(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    state.deliver(\.undelivered) { event, listeners in
      for listener in listeners {
        if case .dropped = listener.yield(event) { listener.finish() }
      }
    }
  }

  /// Returns the details of a request as JSON, or `nil` if the log no longer contains it.
  func detail(of number: Int) -> [UInt8]? {
    state.withLock { state in
      let first = state.lastNumber - state.entries.count + 1
      guard number >= first, number <= state.lastNumber else { return nil }
      return state.entries[state.entries.startIndex + (number - first)].detail
    }
  }

  /// Adds a listener that has the events up to an ID, or returns `nil` if there are too many or the log is finished.
  func listen(after lastID: String?) -> Subscription? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingOldest(limits.waitingEvents))
    let added: (id: Int, missed: [ServerEvent])? = state.withLock { state in
      guard !state.isFinished, state.listeners.count < limits.listeners else { return nil }
      state.lastListenerID += 1
      state.listeners[state.lastListenerID] = continuation
      let knownNumber = lastID.flatMap { number(in: $0) }
      let continues = knownNumber.map { $0 <= state.lastNumber } ?? false
      let missedCount = continues ? state.lastNumber - (knownNumber ?? 0) : state.lastNumber
      let missed = state.entries.suffix(missedCount).map(\.event)
      return (state.lastListenerID, [helloEvent(continues: continues)] + missed)
    }
    guard let added else { return nil }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[added.id] = nil } }
    return Subscription(missed: added.missed, following: stream, continuation: continuation)
  }

  /// Returns the number in the ID of an event, or `nil` for an event of another log.
  private func number(in id: String) -> Int? { id.removingBytePrefix("\(name)-").flatMap { Int(digits: $0) } }

  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}

/// An event in the format of server-sent events (HTML Standard, section "Server-sent events").
struct ServerEvent: Sendable {
  let bytes: [UInt8]

  /// Creates an event with a JSON document, in which line ends are escaped.
  init(_ name: String, id: String?, _ document: [UInt8]) {
    let id = id.map { "id: \($0)\n" } ?? ""
    bytes = Array("event: \(name)\n\(id)data: \(String(decoding: document, as: UTF8.self))\n\n".utf8)
  }

  private init(comment: String) { bytes = Array(": \(comment)\n\n".utf8) }

  /// A comment, which pages ignore.
  static let heartbeat = ServerEvent(comment: "beat")
}
