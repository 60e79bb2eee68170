public import StorageAuth

/// Keeps the events of a cache or a client, in order.
///
/// ```swift
/// let recorder = EventRecorder(client.events)
/// XCTAssertEqual(recorder.retries.map(\.attempt), [2, 3])
/// ```
public final class EventRecorder: Sendable {
  /// What is kept; apart, so that the observation does not keep the recorder.
  private final class Log: Sendable {
    let events = Lock<[AuthEvent]>([])
    let tally = Tally()
  }

  private let log = Log()
  private let observation: AuthEvents.Observation

  /// Records the events of `source` from now on, as long as the recorder is kept.
  public init(_ source: AuthEvents) {
    let log = log
    observation = source.observe { event in
      log.events.withLock { $0.append(event) }
      log.tally.add(1)
    }
  }

  /// All events so far.
  public var events: [AuthEvent] { log.events.withLock { $0 } }

  /// The signatures so far.
  public var signatures: [AuthEvent.Signature] {
    events.compactMap { if case .signed(let event) = $0 { event } else { nil } }
  }

  /// How asking for credentials went so far.
  public var refreshes: [AuthEvent.Refresh] {
    events.compactMap { if case .refresh(let event) = $0 { event } else { nil } }
  }

  /// The retries so far.
  public var retries: [AuthEvent.Retry] {
    events.compactMap { if case .retry(let event) = $0 { event } else { nil } }
  }

  /// The clock differences that were learnt so far.
  public var skews: [AuthEvent.Skew] {
    events.compactMap { if case .skew(let event) = $0 { event } else { nil } }
  }

  /// The transfers that ended so far.
  public var transfers: [AuthEvent.Transfer] {
    events.compactMap { if case .transfer(let event) = $0 { event } else { nil } }
  }

  /// Waits until there are as many events, or the task is cancelled.
  public func wait(forEvents count: Int) async {
    await log.tally.reached(count)
  }

  /// Ends the recording; what was recorded stays.
  public func stop() {
    observation.cancel()
  }
}
