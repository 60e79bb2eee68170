public import StorageAuth

/// Access to a Node API with short-lived bearer tokens, signed here with the key of an access key.
///
/// It signs a new one each time that it is asked: a `CredentialCache` keeps it and renews it before it ends. The clock of
/// this machine has to be right, because the node compares the end of the token with its own.
///
/// ```swift
/// let access = CredentialCache(BearerAccessProvider(accessKey: "my_key", userID: "mia", key: key))
/// ```
public struct BearerAccessProvider: CredentialProvider {
  /// The name of the source.
  public var source: String { "bearer tokens of the access key \(maker.accessKey)" }

  private let maker: BearerTokenFactory

  /// Sets up a provider.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - userID: The user, as the permissions on the node name it.
  ///   - role: The role in the scope; ``NodeScope/user`` or ``NodeScope/admin``.
  ///   - key: The key whose public half is registered with the access key.
  ///   - lifetime: How long a token lives, in whole seconds.
  ///   - time: The clocks.
  public init(
    accessKey: String, userID: String, role: String = NodeScope.user, key: NodeBearerKey,
    lifetime: Duration = .seconds(3_600), time: any SigningClock = .system
  ) {
    maker = BearerTokenFactory(
      accessKey: accessKey, userID: userID, role: role, key: key, lifetime: lifetime, time: time)
  }

  /// Access with a token that was signed now.
  ///
  /// - Throws: A `CredentialError` if no token can be signed with the key.
  public func credential() async throws(CredentialError) -> AsperaNodeAccess {
    try await issue().credential
  }

  /// Access with a token that was signed now, and the time from which its life counts.
  ///
  /// - Throws: A `CredentialError` if no token can be signed with the key.
  public func issue() async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let (token, present) = try maker.token(for: source)
    let access = AsperaNodeAccess(
      .bearer(token: token.secret, accessKey: maker.accessKey), expiration: token.claims.expiration)
    return IssuedCredential(access, issuerTime: present)
  }
}

extension BearerAccessProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the source.
  public var description: String { "BearerAccessProvider(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
