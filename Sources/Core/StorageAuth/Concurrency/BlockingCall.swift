// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A wrapper that calls a blocking function on a separate thread.
///
/// The function is never called on the main thread and never concurrently with itself: further calls wait, without
/// occupying a thread. Cancelling a task does not end its wait, because a blocking function cannot be interrupted.
package struct BlockingCall<Input: Sendable, Output: Sendable>: Sendable {
  private let body: @Sendable (Input) throws -> Output
  private let queue: DispatchQueue

  package init(_ label: String, _ body: @escaping @Sendable (Input) throws -> Output) {
    self.body = body
    queue = DispatchQueue(label: label)
  }

  package func callAsFunction(_ input: Input) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [body] in continuation.resume(with: Result { try body(input) }) }
    }
  }
}
