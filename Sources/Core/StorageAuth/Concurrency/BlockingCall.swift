// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A wrapper that calls a blocking function on a separate thread.
///
/// The function is never called on the main thread and never concurrently with itself: further calls wait, without
/// occupying a thread. Cancelling a waiting task does not end its wait, because a blocking function cannot be
/// interrupted.
package struct BlockingCall<Input: Sendable, Output: Sendable>: Sendable {
  private let body: @Sendable (Input) throws -> Output
  private let queue: DispatchQueue

  /// Creates a wrapper that calls a blocking function on a separate thread.
  ///
  /// - Parameters:
  ///   - label: The name of the dispatch queue in a debugger.
  ///   - body: The blocking function.
  package init(_ label: String, _ body: @escaping @Sendable (Input) throws -> Output) {
    self.body = body
    queue = DispatchQueue(label: label)
  }

  /// Calls the blocking function on a separate thread and waits for its result.
  ///
  /// - Throws: The error that the blocking function throws.
  package func callAsFunction(_ input: Input) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [body] in continuation.resume(with: Result { try body(input) }) }
    }
  }
}
