public import StorageAuth

extension LocalCloud {
  /// A temporary key that was issued, and what was asked for with it; without its secret and its token.
  public struct Session: Sendable, Hashable {
    /// The id of the key.
    public let keyID: AccessKeyID

    /// The service that it is for.
    public let provider: Provider

    /// The role that it was issued for; nothing for one of GetFederationToken.
    public let role: String?

    /// The name that the caller gave to the session.
    public let name: String

    /// The session policy as JSON; nothing if none was given.
    public let policy: String?

    /// When it ends, by the clock of the cloud.
    public let expiration: Timestamp

    /// The requests to the storage service that named it, also refused ones.
    public let requests: Int
  }
}
