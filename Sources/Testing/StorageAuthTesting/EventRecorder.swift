// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A recorder for the events of a credential cache or a client, in order.
///
/// ```swift
/// let recorder = EventRecorder(client.events)
/// XCTAssertEqual(recorder.retries.map(\.attempt), [2, 3])
/// ```
public final class EventRecorder: Sendable {
  /// The recorded events, which are separate so that the observation does not retain the recorder.
  private let recording = Recording<AuthEvent>()
  private let observation: EventHub.Observation

  /// Creates a recorder for the event hub of a cache or a client, which records from now on for its own lifetime.
  public init(_ source: EventHub) { observation = source.observe { [recording] event in recording.add(event) } }

  /// All events that have been recorded so far.
  public var events: [AuthEvent] { recording.values }

  /// The signature events that have been recorded so far.
  public var signatures: [AuthEvent.Signature] {
    events.compactMap { if case .signed(let event) = $0 { event } else { nil } }
  }

  /// The credential refresh events that have been recorded so far.
  public var refreshes: [AuthEvent.Refresh] {
    events.compactMap { if case .refresh(let event) = $0 { event } else { nil } }
  }

  /// The retry events that have been recorded so far.
  public var retries: [AuthEvent.Retry] { events.compactMap { if case .retry(let event) = $0 { event } else { nil } } }

  /// The clock skew events that have been recorded so far.
  public var skews: [AuthEvent.Skew] { events.compactMap { if case .skew(let event) = $0 { event } else { nil } } }

  /// The events of finished transfers that have been recorded so far.
  public var transfers: [AuthEvent.Transfer] {
    events.compactMap { if case .transfer(let event) = $0 { event } else { nil } }
  }

  /// Waits until the given number of events has been recorded since the creation, or the task is cancelled.
  public func wait(forEvents count: Int) async { await recording.wait(for: count) }

  /// Stops recording events; the recorded events remain available.
  public func stop() { observation.cancel() }
}
