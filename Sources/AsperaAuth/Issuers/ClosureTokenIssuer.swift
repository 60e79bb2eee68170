// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// An issuer that calls a function for each token, such as one that sends a request to an app's own server.
///
/// ```swift
/// let issuer = ClosureTokenIssuer(source: "my app's server") { request in
///   TransferGrant(token: try AsperaToken(try await api.token(for: request.specification.paths)))
/// }
/// ```
public struct ClosureTokenIssuer: TokenIssuer {
  /// The name of the issuer, for errors and events.
  public let source: String

  private let fetch: @Sendable @concurrent (TokenRequest) async throws -> TransferGrant?

  /// Creates an issuer that calls an asynchronous function.
  ///
  /// - Parameters:
  ///   - source: The name of the issuer, for errors and events; it must not contain secrets.
  ///   - fetch: A function that returns a grant. Returning `nil` is an error. A `CredentialError` that the function
  ///     throws is passed on; of any other error except an `AsperaError`, only the type is shown.
  public init(source: String, _ fetch: @escaping @Sendable @concurrent (TokenRequest) async throws -> TransferGrant?) {
    self.source = source
    self.fetch = fetch
  }

  /// Creates an issuer that calls a blocking function.
  ///
  /// The function runs on a separate thread, never on the main thread. Calls are serial: requests that arrive during a
  /// call wait.
  ///
  /// - Parameters:
  ///   - source: The name of the issuer, for errors and events; it must not contain secrets.
  ///   - fetch: A function that returns a grant, as for ``init(source:_:)``. It must return on every path, within its
  ///     own time limit.
  public init(source: String, blocking fetch: @escaping @Sendable (TokenRequest) throws -> TransferGrant?) {
    let call = BlockingCall("tokens: \(source)", fetch)
    self.init(source: source) { try await call($0) }
  }

  /// Calls the function, and returns its grant.
  ///
  /// - Throws: A `CredentialError`: `cancelled` if the task was cancelled, `malformedAnswer` if the function returned
  ///   `nil` or threw an ``AsperaError``, or the error that the function threw.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let grant: TransferGrant?
    do {
      grant = try await fetch(request)
    } catch is CancellationError {
      throw CredentialError(
        .cancelled, source: source, "The wait for a token was cancelled.",
        remedy: "Request a token again if it is still needed.")
    } catch let error as AsperaError {
      throw CredentialError(.malformedAnswer, source: source, error.message, remedy: error.remedy)
    } catch {
      throw credentialError(error, from: source)
    }
    guard let grant else {
      throw CredentialError(
        .malformedAnswer, source: source, "The callback returned nil.",
        remedy: "Return a grant on every path, or throw a CredentialError that says why there is none.")
    }
    return IssuedCredential(grant, source: source)
  }
}

extension ClosureTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description with the name of the issuer.
  public var description: String { "ClosureTokenIssuer(\(source))" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror with only the name of the issuer.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
