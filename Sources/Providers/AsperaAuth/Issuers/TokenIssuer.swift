// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A service that issues tokens for transfers.
///
/// A transfer queue requests one when a session starts, and again when it expires too soon or the server rejects it.
public protocol TokenIssuer: Sendable {
  /// The issuer name that errors and events show, without secrets.
  var source: String { get }

  /// Issues a token for a transfer.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The environment, files, commands, network and clocks that the issuer uses.
  /// - Returns: The transfer credential, and the current time according to the issuer's clock if that time is known.
  /// - Throws: A `CredentialError` that contains the issuer name and a remedy.
  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential>
}

/// A request for a token, which describes the transfer and the reason why a token is needed.
public struct TokenRequest: Sendable, Equatable {
  /// A reason why a token is needed.
  public enum Reason: String, Sendable, Hashable {
    /// The session starts.
    case initial
    /// The previous token has expired, or expires too soon.
    case expired
    /// The server rejected the previous token.
    case rejected
    /// The server requires a token, but the session had no token.
    case missing
  }

  /// The identifier of the transfer session.
  public var session: String
  /// The transfer specification, without secrets.
  public var specification: TransferSpec
  /// The reason why a token is needed.
  public var reason: Reason
  /// The number of token requests in this session, including this one.
  public var attempt: Int

  /// Creates a request for a token.
  public init(session: String, specification: TransferSpec, reason: Reason = .initial, attempt: Int = 1) {
    self.session = session
    self.specification = specification
    self.reason = reason
    self.attempt = attempt
  }
}

/// A credential that authorizes a single transfer: a token, and the issuer's changes to the transfer specification.
public struct TransferCredential: Credential {
  /// The token that authorizes the transfer, or `nil` if the server authorizes transfers based only on the account.
  public let token: AsperaToken?

  /// The fields that the issuer sets in the transfer specification, or `nil` if there are none.
  ///
  /// They are the host, the user, the ports, the host key, the tags and similar. Others may not be set and are ignored.
  public let specification: TransferSpec?

  /// The time at which the credential expires according to its issuer's clock, or `nil` if the time is unknown.
  public let expiration: Timestamp?

  /// Creates a credential for a transfer.
  ///
  /// - Parameters:
  ///   - token: The token, or `nil` for a transfer without a token.
  ///   - specification: The specification that the issuer returned.
  ///   - expiration: The time at which the credential expires. If `nil`, the token's expiration.
  public init(token: AsperaToken?, specification: TransferSpec? = nil, expiration: Timestamp? = nil) {
    self.token = token
    self.specification = specification
    self.expiration = expiration ?? token?.expiration
  }
}

/// A token issuer that always returns the same token, and fails when the server no longer accepts that token.
public struct FixedTokenIssuer: TokenIssuer, Redacted {
  /// The issuer name that errors and events show.
  public let source: String

  private let credential: TransferCredential

  /// Creates a token issuer that always returns the given token.
  ///
  /// - Parameters:
  ///   - token: The token that the issuer returns.
  ///   - specification: The specification that was issued with the token, or `nil` if there is none.
  ///   - source: The issuer name that errors and events show, without secrets.
  public init(_ token: AsperaToken, specification: TransferSpec? = nil, source: String = "fixed token") {
    self.source = source
    credential = TransferCredential(token: token, specification: specification)
  }

  /// Creates a token issuer that uses an access key as a basic token, which servers accept for their own storage.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - secret: The secret of the access key, which is sent to the server with each transfer.
  ///   - fileID: The identifier of the folder or file that the transfers access. If `nil`, the root of the access key.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier or the secret cannot be sent.
  public init(accessKey: String, secret: Secret, fileID: String? = nil) throws(AsperaError) {
    self.init(
      try .basic(accessKey: accessKey, secret: secret),
      specification: .naming(accessKey: accessKey, fileID: fileID), source: "access key \(accessKey)")
  }

  /// Returns the token for a session's first request, and throws if a different token is required.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError` with the code `rejected` if the request's reason is `expired` or `rejected`.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    switch request.reason {
    case .initial, .missing: return IssuedCredential(credential, source: source)
    case .expired: throw unusableTokenError("has expired, or expires too soon")
    case .rejected: throw unusableTokenError("was rejected by the server")
    }
  }

  private func unusableTokenError(_ predicate: String) -> CredentialError {
    CredentialError(
      .rejected, source: source, "The token \(predicate), and there is no issuer for another.",
      remedy: "Get a new token, or give the session an issuer that requests one.")
  }

  /// A description that contains the issuer name.
  public var description: String { "FixedTokenIssuer(\(source))" }
}

extension TokenIssuer where Self == FixedTokenIssuer {
  /// Creates a token issuer that always returns the given token; see ``FixedTokenIssuer``.
  public static func fixed(_ token: AsperaToken) -> FixedTokenIssuer { FixedTokenIssuer(token) }

  /// Creates a token issuer that uses an access key as a basic token; see ``FixedTokenIssuer``.
  ///
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier or the secret cannot be sent.
  public static func accessKey(
    _ id: String, secret: Secret, fileID: String? = nil
  ) throws(AsperaError) -> FixedTokenIssuer { try FixedTokenIssuer(accessKey: id, secret: secret, fileID: fileID) }
}

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
  ///     `CredentialError`, the error is rethrown. Of an error that is not an `AsperaError`, only the type is shown.
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
  ///   - fetch: A function as for ``init(source:_:)``, which always returns within a time limit.
  public init(source: String, blocking fetch: @escaping @Sendable (TokenRequest) throws -> TransferCredential?) {
    let call = BlockingCall("tokens: \(source)", fetch)
    self.init(source: source) { try await call($0) }
  }

  /// Calls the function with a token request, and returns the function's transfer credential.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError`: `cancelled` if the function threw a `CancellationError`, `unavailable` if it
  ///   returned `nil`, `malformedResponse` if it threw an ``AsperaError``, or `failed` if it threw another error, which
  ///   is the `underlying` error; a `CredentialError` that it threw is passed on unchanged.
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
      throw CredentialError(.malformedResponse, source: source, error.message, remedy: error.remedy, underlying: error)
    } catch { throw credentialError(error, from: source) }
    guard let credential else {
      throw CredentialError(
        .unavailable, source: source, "The function returned nil: it has no token now.",
        remedy: "Request it again when the app has one, for example after the login.", isRetryable: true)
    }
    return IssuedCredential(credential, source: source)
  }

  /// A description that contains the issuer name.
  public var description: String { "ClosureTokenIssuer(\(source))" }
}

/// The cache for a provider of node credentials, which is made with the context of an issuer's first request.
final class NodeAccessCache: Sendable {
  private let provider: any CredentialProvider<AsperaNodeAccess>
  private let cache: Lock<CredentialCache<AsperaNodeAccess>?>

  /// Uses the provider itself if it is a cache.
  init(_ provider: some CredentialProvider<AsperaNodeAccess>) {
    self.provider = provider
    cache = Lock(provider as? CredentialCache<AsperaNodeAccess>)
  }

  func cache(in context: ProviderContext) -> CredentialCache<AsperaNodeAccess> {
    cache.withLock { existingCache in
      let cache = existingCache ?? CredentialCache(provider, in: context)
      existingCache = cache
      return cache
    }
  }
}
