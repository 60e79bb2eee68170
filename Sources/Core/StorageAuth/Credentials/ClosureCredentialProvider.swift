// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential provider that calls an asynchronous function for each request.
public struct ClosureCredentialProvider<Value: Credential>: CredentialProvider {
  /// The name of the credentials' source, for errors and events.
  public let source: String
  private let fetch: @Sendable @concurrent () async throws -> Value?

  /// Creates a provider that fetches credentials with an asynchronous function.
  ///
  /// - Parameters:
  ///   - source: The name of the credentials' source, for errors and events.
  ///   - fetch: A function that fetches a credential, or returns `nil` if there is none now. A ``CredentialError`` that
  ///     it throws is passed on unchanged; any other error is the `underlying` error of the one that callers receive.
  public init(source: String, _ fetch: @escaping @Sendable @concurrent () async throws -> Value?) {
    self.source = source
    self.fetch = fetch
  }

  /// Calls the asynchronous function, which does not use the context, and returns the credential that it fetches.
  ///
  /// - Throws: The ``CredentialError`` that the function throws, ``CredentialError/Code/unavailable`` if it returns
  ///   `nil`, or ``CredentialError/Code/failed`` if it throws another error.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    do {
      return IssuedCredential(try await requireCredential(fetch(), from: source))
    } catch { throw credentialError(error, from: source) }
  }
}

/// Returns the credential that a provider's callback returned, or throws an error if it returned `nil`.
func requireCredential<Value>(_ credential: Value?, from source: String) throws(CredentialError) -> Value {
  if let credential { return credential }
  throw CredentialError(
    .unavailable, source: source, "The callback returned nil: it has no credential now.",
    remedy: "Request it again when the app has one, for example after the login.", isRetryable: true)
}

/// Converts an error that a provider's callback threw to a ``CredentialError``.
///
/// The message of an error of another type is omitted, because it may contain secrets; the error itself is underlying.
package func credentialError(_ error: any Error, from source: String) -> CredentialError {
  if let error = error as? CredentialError { return error }
  return CredentialError(
    .failed, source: source, "The callback threw an error of the type \(type(of: error)).",
    remedy: "See the underlying error, or throw a CredentialError from the callback to say more.", isRetryable: true,
    underlying: error)
}
