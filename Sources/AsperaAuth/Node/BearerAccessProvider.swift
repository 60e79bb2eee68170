// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider of access to a Node API with short-lived bearer tokens that it signs with the key of an access key.
///
/// The provider signs a new token on every request. A `CredentialCache` stores the token and refreshes it before it
/// expires. The clock of this machine must be accurate, because the node compares the token's expiration with its own
/// clock.
///
/// ```swift
/// let access = CredentialCache(BearerAccessProvider(accessKey: "my_key", userID: "mia", key: key))
/// ```
public struct BearerAccessProvider: CredentialProvider {
  /// The name of the provider, for errors and events.
  public var source: String { "bearer tokens of the access key \(maker.accessKey)" }

  private let maker: BearerTokenFactory

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user, as the permissions on the node name it.
  ///   - role: The role in the token's scope: ``NodeScope/user`` or ``NodeScope/admin``.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of a token, in whole seconds.
  ///   - time: The clock that the tokens' expiration is calculated from.
  public init(
    accessKey: String, userID: String, role: String = NodeScope.user, key: NodeBearerKey,
    lifetime: Duration = .seconds(3_600), time: any SigningClock = .system
  ) {
    maker = BearerTokenFactory(
      accessKey: accessKey, userID: userID, role: role, key: key, lifetime: lifetime, time: time)
  }

  /// Returns a credential with a newly signed token.
  ///
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func credential() async throws(CredentialError) -> AsperaNodeAccess {
    try await issue().credential
  }

  /// Returns a credential with a newly signed token, and the time from which the token's lifetime is counted.
  ///
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func issue() async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let (token, present) = try maker.token(for: source)
    let access = AsperaNodeAccess(
      .bearer(token: token.secret, accessKey: maker.accessKey), expiration: token.claims.expiration)
    return IssuedCredential(access, issuerTime: present)
  }
}

extension BearerAccessProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description with the name of the provider.
  public var description: String { "BearerAccessProvider(\(source))" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror with only the name of the provider.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
