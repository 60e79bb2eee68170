// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  public import os
#else
  public import Synchronization
#endif

/// A value behind a mutex, which is the only kind of mutex in the package.
///
/// `Mutex` needs iOS 18 and macOS 15. On Apple's systems, the unfair lock of the system replaces it.
///
/// On Linux the kernel hands a contended `Mutex` to a waiter. The thread sanitizer does not see this handover, so it
/// reports every access behind the mutex as a race. Each critical section therefore starts by reading the value that
/// the previous critical section stored at its end. This costs one load and one store.
@usableFromInline package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  #if canImport(Darwin)
    @usableFromInline let mutex = OSAllocatedUnfairLock()
    @usableFromInline let guarded: Guarded

    @usableFromInline final class Guarded: Sendable {
      // Safe to share: the value is used only while the mutex is locked.
      @usableFromInline nonisolated(unsafe) var value: Value

      @inlinable init(_ value: consuming sending Value) { unsafe self.value = value }
    }

    @inlinable package init(_ value: consuming sending Value) { guarded = Guarded(value) }
  #else
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let turn = Atomic<UInt8>(0)

    @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }
  #endif

  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if canImport(Darwin)
      mutex.lock()
      defer { mutex.unlock() }
      return try unsafe body(&guarded.value)
    #else
      try mutex.withLock { value throws(Failure) in
        _ = turn.load(ordering: .acquiring)
        defer { turn.store(0, ordering: .releasing) }
        return try body(&value)
      }
    #endif
  }
}

/// A queue of elements behind a lock, which are delivered in order and outside of the lock.
package struct DeliveryQueue<Element: Sendable>: Sendable {
  private var pending: [Element] = []
  private var isDelivering = false

  package init() {}
  package mutating func append(_ element: Element) { pending.append(element) }

  /// Removes and returns the next element, unless a thread other than the caller's delivers the elements.
  fileprivate mutating func next(isDeliverer: Bool) -> Element? {
    guard isDeliverer || !isDelivering else { return nil }
    isDelivering = !pending.isEmpty
    return pending.isEmpty ? nil : pending.removeFirst()
  }
}

extension Lock where Value: Copyable {
  /// Delivers the elements of a queue in the guarded value, or returns at once if another thread is delivering them.
  package borrowing func deliver<Element: Sendable>(
    _ queue: any WritableKeyPath<Value, DeliveryQueue<Element>> & Sendable, to receive: (Element) -> Void
  ) {
    var isDeliverer = false
    while let next = withLock({ $0[keyPath: queue].next(isDeliverer: isDeliverer) }) {
      isDeliverer = true
      receive(next)
    }
  }
}
