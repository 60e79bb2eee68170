internal import Synchronization

/// Where events go: whoever wants to see them observes, everything that makes them shares one of these.
///
/// A cache has one, and clients of the cache use it unless they are given another. Without observers nothing is made and
/// nothing is kept.
///
/// ```swift
/// for await event in client.events.stream() { metrics.count(event) }
/// ```
public final class AuthEvents: Sendable {
  /// Is handed each event on the thread where it happens; it must not block.
  public typealias Observer = @Sendable (AuthEvent) -> Void

  private struct State {
    var observers: [(id: UInt64, observer: Observer)] = []
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())
  private let isObserved = Atomic(false)

  /// Sees the events of every place that is made from now on; tests look for secrets with it.
  package static let watcher = Lock<Observer?>(nil)

  /// Makes a place without observers.
  public init() {
    guard let watcher = Self.watcher.withLock({ $0 }) else { return }
    state.withLock { $0.observers.append((0, watcher)) }
    isObserved.store(true, ordering: .releasing)
  }

  /// Adds an observer for as long as the returned value is kept.
  ///
  /// - Parameter observer: Is handed each event, in the order of each source.
  /// - Returns: Ends the observation when it is cancelled or released.
  public func observe(_ observer: @escaping Observer) -> Observation {
    let id = state.withLock { state in
      state.nextID += 1
      state.observers.append((state.nextID, observer))
      isObserved.store(true, ordering: .releasing)
      return state.nextID
    }
    return Observation { [weak self] in self?.remove(id) }
  }

  /// The events from now on, as a sequence.
  ///
  /// - Parameter limit: How many events are kept for a reader that is slow; the oldest are dropped.
  public func stream(bufferingNewest limit: Int = 1024) -> AsyncStream<AuthEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: AuthEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let observation = observe { continuation.yield($0) }
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }

  /// Tells the observers; for caches and clients.
  ///
  /// - Parameter event: Made only if somebody observes.
  package func emit(_ event: @autoclosure () -> AuthEvent) {
    guard isObserved.load(ordering: .acquiring) else { return }
    let observers = state.withLock { $0.observers }
    let event = event()
    for (_, observer) in observers { observer(event) }
  }

  private func remove(_ id: UInt64) {
    state.withLock { state in
      state.observers.removeAll { $0.id == id }
      isObserved.store(!state.observers.isEmpty, ordering: .releasing)
    }
  }

  /// An observation that lasts until it is cancelled or released.
  public final class Observation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
      self.end = end
    }

    /// Ends the observation.
    public func cancel() {
      end()
    }

    deinit {
      end()
    }
  }
}
