internal import Dispatch

/// A provider that calls a function that blocks, on a thread of its own.
///
/// The function is never called on the main thread and never twice at once: while a call has not returned, asking again
/// is an error.
public final class BlockingCredentialProvider<Value: Credential>: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let fetch: @Sendable () throws -> Value?
  private let queue: DispatchQueue
  private let isBusy = Lock(false)

  /// Makes a provider over a function that blocks.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors and events.
  ///   - fetch: Gets a credential. Nothing is an error, and so is whatever it throws; a ``CredentialError`` is passed on
  ///     as it is, of other errors only the type is shown.
  public init(source: String, _ fetch: @escaping @Sendable () throws -> Value?) {
    self.source = source
    self.fetch = fetch
    queue = DispatchQueue(label: "credentials: \(source)")
  }

  /// What the function returns.
  public func credential() async throws(CredentialError) -> Value {
    let isFree = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else {
      throw CredentialError(
        .timeout, source: source, "The callback that was called before has not returned yet.",
        remedy: "Let the callback return on every path, within a time limit of its own.", isRetryable: true)
    }
    let result = await withCheckedContinuation { continuation in
      queue.async { [self] in
        let result = Result { try fetch() }
        isBusy.withLock { $0 = false }
        continuation.resume(returning: result)
      }
    }
    do {
      return try answer(of: result.get(), from: source)
    } catch {
      throw credentialError(error, from: source)
    }
  }
}
