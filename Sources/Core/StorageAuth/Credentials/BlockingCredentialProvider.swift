// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A credential provider that calls a blocking function on a separate thread.
///
/// The function never runs on the main thread, and never twice at a time: an overlapping request is an error.
public final class BlockingCredentialProvider<Value: Credential>: CredentialProvider {
  /// The name of the credentials' source, for errors and events.
  public let source: String
  private let fetch: @Sendable () throws -> Value?
  private let queue: DispatchQueue
  /// Whether a call of the function is running; another request then fails at once, because it could wait forever.
  private let isBusy = Lock(false)

  /// Creates a provider that fetches credentials with a blocking function.
  ///
  /// - Parameters:
  ///   - source: The name of the credentials' source, for errors and events.
  ///   - fetch: A function that fetches a credential, or returns `nil` if there is none now. A ``CredentialError`` that
  ///     it throws is passed on unchanged; any other error is the `underlying` error of the one that callers receive.
  public init(source: String, _ fetch: @escaping @Sendable () throws -> Value?) {
    self.source = source
    self.fetch = fetch
    queue = DispatchQueue(label: "credentials: \(source)")
  }

  /// Calls the blocking function, which does not use the context, and returns the credential that it fetches.
  ///
  /// - Throws: The ``CredentialError`` that the function throws; an error with the code
  ///   ``CredentialError/Code/timeout`` if an earlier call has not returned, ``CredentialError/Code/unavailable`` if
  ///   the function returns `nil`, or ``CredentialError/Code/failed`` if the function throws another error.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    let wasBusy = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return isBusy
    }
    guard !wasBusy else {
      throw CredentialError(
        .timeout, source: source, "The earlier call of the function has not returned yet.",
        remedy: "Make the function return on every path, within its own time limit.", isRetryable: true)
    }
    let result = await withCheckedContinuation { continuation in
      queue.async { [self] in
        let result = Result { try fetch() }
        isBusy.withLock { $0 = false }
        continuation.resume(returning: result)
      }
    }
    do {
      return IssuedCredential(try requireCredential(result.get(), from: source))
    } catch { throw credentialError(error, from: source) }
  }
}

/// A wrapper that calls a blocking function on a separate thread.
///
/// The function is never called on the main thread and never concurrently with itself: further calls wait, without
/// occupying a thread. Cancelling a task does not end its wait, because a blocking function cannot be interrupted.
package struct BlockingCall<Input: Sendable, Output: Sendable>: Sendable {
  private let function: @Sendable (Input) throws -> Output
  private let queue: DispatchQueue

  package init(_ label: String, _ function: @escaping @Sendable (Input) throws -> Output) {
    self.function = function
    queue = DispatchQueue(label: label)
  }

  package func callAsFunction(_ input: Input) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [function] in continuation.resume(with: Result { try function(input) }) }
    }
  }
}
