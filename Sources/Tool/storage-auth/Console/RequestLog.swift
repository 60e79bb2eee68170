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

  /// A page that receives the events of the log.
  struct Listener: Sendable {
    /// An event that tells whether the page can continue its list, and the events that it missed, the oldest first.
    let firstEvents: [ServerEvent]
    /// The further events, until the listener is dropped or the console stops.
    let laterEvents: AsyncStream<ServerEvent>
    fileprivate let continuation: AsyncStream<ServerEvent>.Continuation

    func cancel() { continuation.finish() }
  }

  private struct Entry {
    let event: ServerEvent
    let detail: [UInt8]
    var byteCount: Int { event.bytes.count + detail.count }
  }

  private struct State {
    var entries: ArraySlice<Entry> = []
    var byteCount = 0
    /// The number of the latest request; those of the entries are consecutive and end with it.
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

  /// An ID that event IDs start with, so that a page does not continue the list of an earlier console.
  private let logID = String(UInt64.random(in: .min ... .max), radix: 36)
  private let limits: Limits
  private let state = Lock(State())

  init(_ limits: Limits = Limits()) { self.limits = limits }
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  func append(_ report: RequestReport) {
    let detail = report.detail.serialized
    changeAndDeliver { state in
      state.lastNumber += 1
      let summary = report.summary(number: state.lastNumber).serialized
      let entry = Entry(event: ServerEvent("request", id: "\(logID)-\(state.lastNumber)", summary), detail: detail)
      state.entries.append(entry)
      state.byteCount += entry.byteCount
      while state.entries.count > limits.requests || state.byteCount > limits.byteCount,
        let oldest = state.entries.popFirst()
      { state.byteCount -= oldest.byteCount }
      state.send(entry.event)
    }
  }

  /// Returns the details of a request as JSON, or `nil` if the log no longer contains it.
  func detail(of number: Int) -> [UInt8]? {
    state.withLock { state in
      let firstNumber = state.lastNumber - state.entries.count + 1
      guard number >= firstNumber, number <= state.lastNumber else { return nil }
      return state.entries[state.entries.startIndex + (number - firstNumber)].detail
    }
  }

  /// Removes all requests, after which the pages start anew.
  func clear() {
    changeAndDeliver { state in
      state.entries = []
      state.byteCount = 0
      state.send(helloEvent(continues: false))
    }
  }

  /// Adds a listener that has the events up to an ID, or returns `nil` if there are too many or the log is finished.
  func addListener(after lastEventID: String?) -> Listener? {
    let (events, continuation) = AsyncStream.makeStream(
      of: ServerEvent.self, bufferingPolicy: .bufferingOldest(limits.waitingEvents))
    return state.withLock { state in
      guard !state.isFinished, state.listeners.count < limits.listeners else { return nil }
      state.lastListenerID += 1
      let listenerID = state.lastListenerID
      state.listeners[listenerID] = continuation
      continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[listenerID] = nil } }
      return Listener(
        firstEvents: firstEvents(after: lastEventID, in: state), laterEvents: events, continuation: continuation)
    }
  }

  /// Returns the events that a new listener missed; if its last event is unknown here, those are all events.
  private func firstEvents(after lastEventID: String?, in state: State) -> [ServerEvent] {
    let knownNumber = lastEventID.flatMap { number(in: $0) }.flatMap { $0 <= state.lastNumber ? $0 : nil }
    let missedEntries = state.entries.suffix(state.lastNumber - (knownNumber ?? 0))
    return [helloEvent(continues: knownNumber != nil)] + missedEntries.map(\.event)
  }

  /// Returns the number in the ID of an event, or `nil` for an event of another log.
  private func number(in eventID: String) -> Int? {
    eventID.removingBytePrefix("\(logID)-").flatMap { Int(digits: $0) }
  }

  /// Returns the first event of a connection; the page starts anew unless the events continue its own.
  private func helloEvent(continues: Bool) -> ServerEvent {
    let limit = limits.requests
    let document: JSONValue = ["continues": .bool(continues), "limit": .integer(limit), "log": .string(logID)]
    return ServerEvent("hello", id: nil, document.serialized)
  }

  /// Sends an event that reveals connections that are no longer open.
  func sendHeartbeat() { changeAndDeliver { $0.send(.heartbeat) } }

  /// Ends the events of all listeners, and accepts no further ones.
  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// Changes the state, and delivers its events; a listener that reads too slowly is dropped.
  private func changeAndDeliver(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    state.deliver(\.undelivered) { event, listeners in
      for listener in listeners {
        if case .dropped = listener.yield(event) { listener.finish() }
      }
    }
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
