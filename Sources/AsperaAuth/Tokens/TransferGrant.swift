public import StorageAuth

/// The right to one transfer: a token, and what its issuer says about where to go with it.
public struct TransferGrant: Credential {
  /// The token; nothing where the account alone decides.
  public let token: AsperaToken?

  /// What the issuer wants to be different in the specification: host, user, ports, host key, tags and the like; nothing
  /// is taken from it but what the issuer of a grant may say.
  public let specification: TransferSpec?

  /// When the grant ends, in its issuer's time.
  public let expiration: Timestamp?

  /// Makes a grant.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - specification: What the issuer answered.
  ///   - expiration: When it ends; when the token does, if not given.
  public init(token: AsperaToken?, specification: TransferSpec? = nil, expiration: Timestamp? = nil) {
    self.token = token
    self.specification = specification
    self.expiration = expiration ?? token?.expiration
  }
}
