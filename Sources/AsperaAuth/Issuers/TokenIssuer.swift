// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A service that issues tokens for transfers.
///
/// A transfer queue requests a token when a session is activated, and again when the token expires too soon or the
/// server rejects it.
public protocol TokenIssuer: Sendable {
  /// The name of the issuer, for errors and events; it must not contain secrets.
  var source: String { get }

  /// Issues a token.
  ///
  /// - Parameter request: The transfer, and the reason for which a token is needed.
  /// - Returns: The grant, and the time by the issuer's clock if it is known.
  /// - Throws: A `CredentialError` that names the issuer and a remedy.
  func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant>
}

/// A request for a token: the transfer, and the reason for which a token is needed.
public struct TokenRequest: Sendable, Equatable {
  /// A reason for which a token is needed.
  public enum Reason: String, Sendable, Hashable {
    /// The start of the session.
    case initial
    /// A previous token that has expired, or expires too soon.
    case expired
    /// A previous token that the server rejected.
    case rejected
    /// A token that the server requires and that the session did not have.
    case missing
  }

  /// The identifier of the session.
  public var session: String

  /// The specification of the transfer, without secrets.
  public var specification: TransferSpec

  /// The reason for which a token is needed.
  public var reason: Reason

  /// The number of token requests in this session, including this one.
  public var attempt: Int

  /// Creates a request.
  public init(session: String, specification: TransferSpec, reason: Reason = .initial, attempt: Int = 1) {
    self.session = session
    self.specification = specification
    self.reason = reason
    self.attempt = attempt
  }
}
