internal import Synchronization

/// A mutex whose order the thread sanitizer sees.
///
/// Whoever waits for a `Mutex` on Linux is handed it by the kernel, of which the sanitizer knows nothing, so that it
/// calls everything behind the mutex a race. Each critical section therefore starts by reading what the one before
/// wrote at its end; that is one load and one store.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let turn = Atomic<UInt8>(0)

  /// Guards a value.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a function while nobody else has the value.
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) in
      _ = turn.load(ordering: .acquiring)
      defer { turn.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }
}
