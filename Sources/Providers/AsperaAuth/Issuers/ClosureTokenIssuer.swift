// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A token issuer that calls a function for each token, for example to send a request to an app's own server.
///
/// ```swift
/// let issuer = ClosureTokenIssuer(source: "my app's server") { request in
///   TransferCredential(token: try AsperaToken(try await api.token(for: request.specification.paths)))
/// }
/// ```
public struct ClosureTokenIssuer: TokenIssuer, Redacted {
  /// The issuer name that errors and events show.
  public let source: String

  private let fetch: @Sendable @concurrent (TokenRequest) async throws -> TransferCredential?

  /// Creates a token issuer that calls an asynchronous function.
  ///
  /// - Parameters:
  ///   - source: The issuer name that errors and events show, without secrets.
  ///   - fetch: A function that returns a transfer credential. Returning `nil` is an error. If the function throws a
  ///     `CredentialError`, the error is rethrown. If it throws another error except an `AsperaError`, only the error's
  ///     type is shown.
  public init(
    source: String, _ fetch: @escaping @Sendable @concurrent (TokenRequest) async throws -> TransferCredential?
  ) {
    self.source = source
    self.fetch = fetch
  }

  /// Creates a token issuer that calls a blocking function.
  ///
  /// The function runs on a separate thread, never on the main thread. Calls are serial: requests wait for each other.
  ///
  /// - Parameters:
  ///   - source: The issuer name that errors and events show, without secrets.
  ///   - fetch: A function that returns a transfer credential, as for ``init(source:_:)``, and always returns within a
  ///     time limit.
  public init(source: String, blocking fetch: @escaping @Sendable (TokenRequest) throws -> TransferCredential?) {
    let call = BlockingCall("tokens: \(source)", fetch)
    self.init(source: source) { try await call($0) }
  }

  /// Calls the function with a token request, and returns the function's transfer credential.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError`: `cancelled` if the task was cancelled, `unavailable` if the function returned
  ///   `nil`, `malformedResponse` if it threw an ``AsperaError``, or `failed` if it threw another error, which is the
  ///   `underlying` error; a `CredentialError` that it threw is passed on unchanged.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let credential: TransferCredential?
    do {
      credential = try await fetch(request)
    } catch is CancellationError {
      throw CredentialError(
        .cancelled, source: source, "The wait for a token was cancelled.",
        remedy: "Request a token again if it is still needed.")
    } catch let error as AsperaError {
      throw CredentialError(
        .malformedResponse, source: source, error.message, remedy: error.remedy, underlying: error)
    } catch {
      throw credentialError(error, from: source)
    }
    guard let credential else {
      throw CredentialError(
        .unavailable, source: source, "The callback returned nil: it has no token now.",
        remedy: "Request it again when the app has one, for example after the login.", isRetryable: true)
    }
    return IssuedCredential(credential, source: source)
  }

  /// A description that contains the issuer name.
  public var description: String { "ClosureTokenIssuer(\(source))" }
}
