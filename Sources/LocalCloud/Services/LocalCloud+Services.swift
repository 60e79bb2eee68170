public import StorageAuth

extension LocalCloud {
  /// What the token services, the app server and the metadata know.
  ///
  /// They share one port, and are told apart by their paths and headers.
  public struct Services: Sendable {
    /// Their port; 0 picks a free one.
    public var port: Int

    /// The roles that can be taken; the first of a cloud is that of its app server and its instance.
    public var roles: [Role]

    /// The life of every token that is issued, whatever is asked for; nothing for what is asked for.
    ///
    /// It lifts the limits of the services, 900 seconds among them. Whole seconds from 1.
    public var tokenLifetime: Duration?

    /// What callers of the app server have to send as `Authorization: Bearer …`; nothing lets everybody in.
    public var appToken: Secret?

    /// The identity tokens (OIDC) that are exchanged for keys; any role trusts them.
    public var identityTokens: [Secret]

    /// Whether the metadata services that have tokens want one that was got with PUT before (IMDSv2 only).
    public var requiresMetadataToken: Bool

    /// Makes the settings.
    ///
    /// - Parameters:
    ///   - port: The port; 0 picks a free one.
    ///   - roles: The roles that can be taken.
    ///   - tokenLifetime: The life of every token that is issued; nothing for what is asked for.
    ///   - appToken: What callers of the app server have to send.
    ///   - identityTokens: The identity tokens that are exchanged for keys.
    ///   - requiresMetadataToken: Whether the metadata services that have tokens want one.
    public init(
      port: Int = 0, roles: [Role] = [.alibaba, .tencent, .amazon], tokenLifetime: Duration? = nil,
      appToken: Secret? = nil,
      identityTokens: [Secret] = [], requiresMetadataToken: Bool = false
    ) {
      self.port = port
      self.roles = roles
      self.tokenLifetime = tokenLifetime
      self.appToken = appToken
      self.identityTokens = identityTokens
      self.requiresMetadataToken = requiresMetadataToken
    }

    func check() throws(LocalCloudError) {
      for role in roles {
        guard role.provider != nil else {
          throw LocalCloudError(
            "\"\(role.arn)\" is not a role; write acs:ram::ACCOUNT:role/NAME, qcs::cam::uin/ACCOUNT:roleName/NAME or "
              + "arn:aws:iam::ACCOUNT:role/NAME.")
        }
        guard role.maximumDuration >= .seconds(1) else {
          throw LocalCloudError("The keys of the role \"\(role.arn)\" would live no second; give them one at least.")
        }
      }
      if let twice = roles.first(where: { role in roles.count { $0.arn == role.arn } > 1 }) {
        throw LocalCloudError("The role \"\(twice.arn)\" is there twice; name it once.")
      }
      if let tokenLifetime, tokenLifetime < .seconds(1) {
        throw LocalCloudError("Tokens cannot live less than a second; use requestsPerToken to end them at once.")
      }
    }
  }
}
