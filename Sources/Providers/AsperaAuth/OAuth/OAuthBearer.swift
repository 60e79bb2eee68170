// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// An access token that an OAuth 2.0 authorization server issued (RFC 6749, section 5.1).
///
/// Any client that has the token can use its rights. `print`, `dump` and `Mirror` do not show the token.
public struct OAuthBearer: Credential, Redacted {
  /// The access token, without the prefix `Bearer`.
  public let token: Secret

  /// The rights that the server granted, or `nil` if the server did not report them.
  public let scope: String?

  /// The time at which the token expires according to its issuer's clock, or `nil` if the time is unknown.
  public let expiration: Timestamp?

  /// Creates a credential from an access token.
  ///
  /// - Parameters:
  ///   - token: The access token, with or without the prefix `Bearer`.
  ///   - scope: The rights that the server granted.
  ///   - expiration: The time at which the token expires. If `nil`, the expiration that the token contains.
  public init(_ token: Secret, scope: String? = nil, expiration: Timestamp? = nil) {
    let text = token.reveal()
    self.token = Secret(BearerText.withoutPrefix(text))
    self.scope = scope
    self.expiration = expiration ?? BearerText.expiration(of: text)
  }

  /// A description that contains the scope and the expiration, but not the token.
  public var description: String {
    let parts = ["token: \(Secret.mask)", scope.map { "scope: \($0)" }, expiration.map { "expiration: \($0)" }]
    return "OAuthBearer(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }
}
