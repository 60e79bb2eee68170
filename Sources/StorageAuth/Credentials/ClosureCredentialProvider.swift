/// A provider that calls a function each time.
public struct ClosureCredentialProvider<Value: Credential>: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let fetch: @Sendable @concurrent () async throws -> Value?

  /// Makes a provider over a function.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors and events.
  ///   - fetch: Gets a credential. Nothing is an error, and so is whatever it throws; a ``CredentialError`` is passed on
  ///     as it is, of other errors only the type is shown.
  public init(source: String, _ fetch: @escaping @Sendable @concurrent () async throws -> Value?) {
    self.source = source
    self.fetch = fetch
  }

  /// What the function returns.
  public func credential() async throws(CredentialError) -> Value {
    do {
      return try await answer(of: fetch(), from: source)
    } catch {
      throw credentialError(error, from: source)
    }
  }
}

/// Refuses a callback's answer that is none.
func answer<Value>(of value: Value?, from source: String) throws(CredentialError) -> Value {
  if let value { return value }
  throw CredentialError(
    .malformedAnswer, source: source, "The callback returned nothing.",
    remedy: "Return a credential on every path, or throw a CredentialError that says why there is none.")
}

/// What a callback threw, without the text of errors that may hold anything.
package func credentialError(_ error: any Error, from source: String) -> CredentialError {
  if let error = error as? CredentialError { return error }
  return CredentialError(
    .failed, source: source, "The callback threw an error of the type \(type(of: error)).",
    remedy: "Throw a CredentialError from the callback to say more.", isRetryable: true)
}
