// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A credential provider that creates short-lived bearer tokens for a Node API with an access key's private key.
///
/// The provider signs a new token on every request. Use a `CredentialCache` to store the token and refresh it before it
/// expires. The clock of this machine must be accurate, because the node compares the token's expiration with its own
/// clock.
///
/// ```swift
/// let access = CredentialCache(BearerAccessProvider(accessKey: "my_key", userID: "mia", key: key))
/// ```
public struct BearerAccessProvider: CredentialProvider {
  /// The provider name that errors and events show.
  public var source: String { "bearer tokens of the access key \(maker.accessKey)" }

  private let maker: BearerTokenFactory

  /// Creates a provider of bearer tokens.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - role: The role in the token's scope: ``NodeScope/user`` or ``NodeScope/admin``.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of each token, in whole seconds.
  public init(
    accessKey: String, userID: String, role: String = NodeScope.user, key: NodeBearerKey,
    lifetime: Duration = .seconds(3_600)
  ) {
    maker = BearerTokenFactory(
      accessKey: accessKey, userID: userID, role: role, key: key, lifetime: lifetime)
  }

  /// Returns a credential with a newly signed bearer token, and the time at which the token's lifetime starts.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let (token, present) = try maker.token(for: source, at: context.time.now)
    let access = AsperaNodeAccess(
      .bearer(token: token.secret, accessKey: maker.accessKey), expiration: token.claims.expiration)
    return IssuedCredential(access, issuerTime: present)
  }
}

extension BearerAccessProvider: Redacted {
  /// A description that contains the provider name.
  public var description: String { "BearerAccessProvider(\(source))" }
}
