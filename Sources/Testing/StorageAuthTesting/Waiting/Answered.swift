// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Returns the result of an operation, or `nil` if the operation takes too long.
///
/// An operation that takes too long is cancelled, and the function does not wait for it.
///
/// - Parameters:
///   - patience: The time limit for the operation, measured with the machine's clock.
///   - yields: The number of `Task.yield()` calls after which the operation is cancelled, or `nil` for no cancellation.
///   - work: The operation, which runs in a separate task.
func answered<Value: Sendable>(
  within patience: Duration, cancelledAfter yields: Int? = nil, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
  let (responses, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
  let task = Task {
    continuation.yield(await work())
    continuation.finish()
  }
  let timer = Task {
    try await Task.sleep(for: patience)
    continuation.finish()
    task.cancel()
  }
  defer { timer.cancel() }
  if let yields {
    for _ in 0..<yields { await Task.yield() }
    task.cancel()
  }
  return await responses.first { _ in true }
}
