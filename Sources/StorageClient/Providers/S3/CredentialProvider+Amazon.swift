public import CloudCredentials
public import StorageAuth

extension AmazonCredentials {
  /// The vendor's sources on this machine; replace or leave out what is not wanted.
  public static var `default`: AmazonCredentials { AmazonCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Amazon on this machine, as `AmazonCredentials` lists them.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.amazonDefault)
  /// ```
  public static var amazonDefault: CredentialChain<AccessKey> { AmazonCredentials.default.chain }
}

extension CredentialProvider where Self == AmazonAssumeRoleProvider {
  /// Temporary keys of a role of Amazon that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .amazonAssumeRole("arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: Where the key comes from that assumes the role.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: The most that the key may do, as JSON; `nil` for all that the role may.
  ///   - externalID: The text that the role demands from callers of other accounts.
  ///   - endpoint: Where the service is asked.
  public static func amazonAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) -> AmazonAssumeRoleProvider {
    AmazonAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint, transport: AsyncHTTPClientTransport.shared)
  }
}

extension AmazonWebIdentityProvider {
  /// Names the role, and where the identity token comes from; asks over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: The most that the key may do, as JSON; `nil` for all that the role may.
  ///   - endpoint: Where the service is asked.
  ///   - token: Gets the identity token; called for each request.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600),
    policy: String? = nil, endpoint: AmazonSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      roleARN: roleARN, sessionName: sessionName, duration: duration, policy: policy, endpoint: endpoint,
      transport: AsyncHTTPClientTransport.shared, token: token)
  }
}

extension CredentialProvider where Self == AmazonInstanceMetadataProvider {
  /// Temporary keys of the role of an instance of Amazon (EC2).
  ///
  /// - Parameters:
  ///   - role: The role; `nil` to ask the service for it.
  ///   - allowsV1: Whether to ask without a token where the service has none.
  public static func amazonInstance(role: String? = nil, allowsV1: Bool = true) -> AmazonInstanceMetadataProvider {
    AmazonInstanceMetadataProvider(role: role, allowsV1: allowsV1, transport: AsyncHTTPClientTransport.shared)
  }
}
