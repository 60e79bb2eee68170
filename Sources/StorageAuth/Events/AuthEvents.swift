// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A distributor of events: caches and clients emit events to it, and observers receive them.
///
/// A cache has one, and clients of the cache use it unless they are given another. Without observers, no event is
/// created and none is stored.
///
/// ```swift
/// for await event in client.events.stream() { metrics.count(event) }
/// ```
public final class AuthEvents: Sendable {
  /// A function that receives each event on the thread on which it occurs; it must not block.
  public typealias Observer = @Sendable (AuthEvent) -> Void

  private struct State {
    var observers: [(id: UInt64, observer: Observer)] = []
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())
  private let isObserved = Atomic(false)

  /// An observer of all distributors that are created while it is set; tests search the events for secrets with it.
  package static let watcher = Lock<Observer?>(nil)

  /// Creates a distributor without observers.
  public init() {
    guard let watcher = Self.watcher.withLock({ $0 }) else { return }
    state.withLock { $0.observers.append((0, watcher)) }
    isObserved.store(true, ordering: .releasing)
  }

  /// Adds an observer for the lifetime of the returned value.
  ///
  /// - Parameter observer: A function that receives each event; the events of one cache or client arrive in order.
  /// - Returns: An observation that ends when it is cancelled or released.
  public func observe(_ observer: @escaping Observer) -> Observation {
    let id = state.withLock { state in
      state.nextID += 1
      state.observers.append((state.nextID, observer))
      isObserved.store(true, ordering: .releasing)
      return state.nextID
    }
    return Observation { [weak self] in self?.remove(id) }
  }

  /// Returns the events from now on as an asynchronous sequence.
  ///
  /// - Parameter limit: The number of events that are buffered for a slow reader; the oldest are dropped.
  public func stream(bufferingNewest limit: Int = 1024) -> AsyncStream<AuthEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: AuthEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let observation = observe { continuation.yield($0) }
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }

  /// Notifies the observers; for caches and clients.
  ///
  /// - Parameter event: The event, created only if there is an observer.
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
