// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A mutex whose ordering is visible to the thread sanitizer.
///
/// On Linux the kernel hands a contended `Mutex` to a waiter. The sanitizer does not see this handover, so it reports
/// every access behind the mutex as a race. Each critical section therefore starts by reading the value that the
/// previous critical section stored at its end. This costs one load and one store.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let turn = Atomic<UInt8>(0)

  /// Creates a lock that guards a value.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a closure with exclusive access to the guarded value.
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
