public import StorageAuth

/// Asks a function for tokens, such as one that asks an app's own server.
///
/// ```swift
/// let issuer = ClosureTokenIssuer(source: "my app's server") { request in
///   TransferGrant(token: try AsperaToken(try await api.token(for: request.specification.paths)))
/// }
/// ```
public struct ClosureTokenIssuer: TokenIssuer {
  /// The name of the service.
  public let source: String

  private let fetch: @Sendable @concurrent (TokenRequest) async throws -> TransferGrant?

  /// Makes an issuer over a function.
  ///
  /// - Parameters:
  ///   - source: The name of the service, for errors and events; without secrets.
  ///   - fetch: Gets a grant. Nothing is an error, and so is whatever it throws; a `CredentialError` is passed on as it
  ///     is, of other errors only the type is shown.
  public init(source: String, _ fetch: @escaping @Sendable @concurrent (TokenRequest) async throws -> TransferGrant?) {
    self.source = source
    self.fetch = fetch
  }

  /// Makes an issuer over a function that blocks.
  ///
  /// The function runs on a thread of its own, never on the main one and never twice at once: requests that come meanwhile
  /// wait.
  ///
  /// - Parameters:
  ///   - source: The name of the service, for errors and events; without secrets.
  ///   - fetch: Gets a grant, as for ``init(source:_:)``. It has to return on every path, within a time limit of its own.
  public init(source: String, blocking fetch: @escaping @Sendable (TokenRequest) throws -> TransferGrant?) {
    let call = BlockingCall("tokens: \(source)", fetch)
    self.init(source: source) { try await call($0) }
  }

  /// What the function returns.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let grant: TransferGrant?
    do {
      grant = try await fetch(request)
    } catch is CancellationError {
      throw CredentialError(
        .cancelled, source: source, "The wait for a token was cancelled.", remedy: "Ask again if it is still needed.")
    } catch let error as AsperaError {
      throw CredentialError(.malformedAnswer, source: source, error.message, remedy: error.remedy)
    } catch {
      throw credentialError(error, from: source)
    }
    guard let grant else {
      throw CredentialError(
        .malformedAnswer, source: source, "The callback returned nothing.",
        remedy: "Return a grant on every path, or throw a CredentialError that says why there is none.")
    }
    return IssuedCredential(grant, source: source)
  }
}

extension ClosureTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the service.
  public var description: String { "ClosureTokenIssuer(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
