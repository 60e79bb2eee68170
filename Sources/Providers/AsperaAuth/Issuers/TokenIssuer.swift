// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

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

  /// The specification with the fields that the issuer sets in the transfer specification, or `nil` if there are none.
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

/// The cache of an issuer's credentials, which is created in the context of the first request for a token.
final class AccessCache: Sendable {
  private let provider: any CredentialProvider<AsperaNodeAccess>
  private let cache: Lock<CredentialCache<AsperaNodeAccess>?>

  init(_ provider: some CredentialProvider<AsperaNodeAccess>) {
    self.provider = provider
    cache = Lock(provider as? CredentialCache<AsperaNodeAccess>)
  }

  func cache(in context: ProviderContext) -> CredentialCache<AsperaNodeAccess> {
    cache.withLock { cache in
      if let cache { return cache }
      let newCache = CredentialCache(provider, in: context)
      cache = newCache
      return newCache
    }
  }
}
