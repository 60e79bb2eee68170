// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A hub that passes the events of caches and clients to observers.
///
/// Each cache has a hub, which its clients use unless they are given another. Without observers, no event is created.
///
/// ```swift
/// for await event in client.events.stream() { metrics.count(event) }
/// ```
public final class EventHub: Sendable {
  /// The type of a function that receives each event on the thread where it occurs, and that must not block.
  public typealias Observer = @Sendable (AuthEvent) -> Void

  private struct Registrations {
    var observers: [(id: UInt64, observer: Observer)] = []
    var nextID: UInt64 = 0
    var instrument: (id: UInt64, instrument: any AuthInstrument)?

    mutating func newID() -> UInt64 {
      nextID += 1
      return nextID
    }
  }

  private let registrations = Lock(Registrations())
  /// The hub whose instrument is used if this hub has none of its own, or `nil`.
  private let parent: EventHub?

  /// An observer that is added to every new hub of the process, with which tests search the events for secrets.
  package static let globalObserver = Lock<Observer?>(nil)

  /// Creates an event hub without observers.
  public convenience init() { self.init(measuredBy: nil) }

  /// Creates an event hub that uses the instrument of another hub, or of none.
  package init(measuredBy parent: EventHub?) {
    self.parent = parent
    guard let globalObserver = Self.globalObserver.withLock({ $0 }) else { return }
    registrations.withLock { $0.observers.append((0, globalObserver)) }
  }

  /// Adds an observer, which receives events until the returned observation is cancelled or released.
  ///
  /// - Parameter observer: A function that receives each event; the events of one cache or client arrive in order.
  public func observe(_ observer: @escaping Observer) -> Observation {
    let id = registrations.withLock { registrations in
      let id = registrations.newID()
      registrations.observers.append((id, observer))
      return id
    }
    return Observation { [weak self] in
      // The observer is released after the lock, because it can own another observation of this hub.
      _ = self?.registrations.withLock { registrations in
        registrations.observers.firstIndex { $0.id == id }.map { registrations.observers.remove(at: $0) }
      }
    }
  }

  /// Installs an instrument, which measures operations as spans, in place of the previous instrument.
  ///
  /// - Parameter instrument: The instrument, such as one for swift-distributed-tracing.
  /// - Returns: An observation that removes the instrument when it is cancelled or released.
  public func install(_ instrument: any AuthInstrument) -> Observation {
    let (id, _) = registrations.withLock { registrations in
      let (id, previousInstrument) = (registrations.newID(), registrations.instrument)
      registrations.instrument = (id, instrument)
      return (id, previousInstrument)
    }
    return Observation { [weak self] in
      _ = self?.registrations.withLock { $0.instrument?.id == id ? $0.instrument.take() : nil }
    }
  }

  /// The instrument of this hub or, if it has none, of its parent.
  package var instrument: (any AuthInstrument)? {
    registrations.withLock { $0.instrument?.instrument } ?? parent?.instrument
  }

  /// Returns an asynchronous sequence of the events that occur from now on, which ends when the hub is released.
  ///
  /// - Parameter limit: The number of events that are buffered for a slow reader, after which the oldest is dropped.
  public func stream(bufferingNewest limit: Int = 1024) -> AsyncStream<AuthEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: AuthEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let end = StreamEnd(continuation: continuation)
    let observation = observe { end.continuation.yield($0) }
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }

  /// Passes an event to all observers; the event is created only if there is an observer or a span.
  package func emit(_ event: @autoclosure () -> AuthEvent) {
    guard instrument != nil, let span = ActiveSpan.current else { return relay(event()) }
    let event = event()
    span.record(event)
    relay(event)
  }

  /// Passes an event to all observers, but not to the current task's span.
  package func relay(_ event: @autoclosure () -> AuthEvent) {
    let observers = registrations.withLock { $0.observers }
    guard !observers.isEmpty else { return }
    let event = event()
    for registration in observers { registration.observer(event) }
  }

  /// The end of a stream, which finishes the stream when the observer that holds it is released.
  private final class StreamEnd: Sendable {
    let continuation: AsyncStream<AuthEvent>.Continuation

    init(continuation: AsyncStream<AuthEvent>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
  }

  /// The registration of an event observer, which ends when it is cancelled or released.
  public final class Observation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }
    /// Ends the observation; the observer receives no further events.
    public func cancel() { end() }

    deinit { end() }
  }
}
