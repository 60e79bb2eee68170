internal import Dispatch

/// A function that blocks, called on a thread of its own.
///
/// It is never called on the main thread and never twice at once: calls that come meanwhile wait, without a thread. A
/// waiter that is cancelled waits on, because a function that blocks cannot be told.
package struct BlockingCall<Input: Sendable, Output: Sendable>: Sendable {
  private let body: @Sendable (Input) throws -> Output
  private let queue: DispatchQueue

  /// Makes it.
  ///
  /// - Parameters:
  ///   - label: What the thread is called in a debugger.
  ///   - body: The function.
  package init(_ label: String, _ body: @escaping @Sendable (Input) throws -> Output) {
    self.body = body
    queue = DispatchQueue(label: label)
  }

  /// Calls the function.
  ///
  /// - Throws: What it throws.
  package func callAsFunction(_ input: Input) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [body] in continuation.resume(with: Result { try body(input) }) }
    }
  }
}
