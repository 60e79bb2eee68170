public import CloudCredentials
public import StorageAuth

extension CredentialProvider where Self == TencentFederationProvider {
  /// Temporary keys with some of the rights of a permanent one of Tencent Cloud.
  ///
  /// - Parameters:
  ///   - name: Who acts, for the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: What the key may do, as JSON; it cannot be left out.
  ///   - credentials: Where the permanent key comes from.
  ///   - duration: The lifetime: whole seconds up to 129600, or up to 7200 for the key of the account itself.
  ///   - region: The region that the call names; the answer is the same from each.
  ///   - endpoint: Where the service is asked.
  public static func tencentFederation(
    _ name: String, policy: String, credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentFederationProvider {
    TencentFederationProvider(
      name: name, policy: policy, credentials: credentials, duration: duration, region: region, endpoint: endpoint,
      transport: AsyncHTTPClientTransport.shared)
  }
}

extension CredentialProvider where Self == TencentAssumeRoleProvider {
  /// Temporary keys of a role of Tencent Cloud that another key may assume.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - sessionName: Who acts, for the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - credentials: Where the key comes from that assumes the role.
  ///   - duration: The lifetime: whole seconds up to 43200, and no more than the role allows.
  ///   - policy: What the key may do at most, as JSON; nothing for all that the role may.
  ///   - externalID: What the role demands of who assumes it.
  ///   - region: The region that the call names; the answer is the same from each.
  ///   - endpoint: Where the service is asked.
  public static func tencentAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(7200), policy: String? = nil, externalID: String? = nil,
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentAssumeRoleProvider {
    TencentAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, region: region, endpoint: endpoint, transport: AsyncHTTPClientTransport.shared)
  }
}

extension TencentWebIdentityProvider {
  /// Names the role, and where the identity token comes from; asks over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - providerID: Who issued the identity token, by its name in the vendor's console.
  ///   - sessionName: Who acts, for the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - duration: The lifetime: whole seconds up to 43200, and no more than the role allows.
  ///   - region: The region that the call names; the answer is the same from each.
  ///   - endpoint: Where the service is asked.
  ///   - token: Gets the identity token; called for each request.
  public init(
    roleARN: String, providerID: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(7200), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      roleARN: roleARN, providerID: providerID, sessionName: sessionName, duration: duration, region: region,
      endpoint: endpoint, transport: AsyncHTTPClientTransport.shared, token: token)
  }
}

extension CredentialProvider where Self == TencentInstanceMetadataProvider {
  /// Temporary keys of the role of an instance of Tencent Cloud (CVM).
  ///
  /// - Parameter role: The role; nothing to ask the service for it.
  public static func tencentInstance(role: String? = nil) -> TencentInstanceMetadataProvider {
    TencentInstanceMetadataProvider(role: role, transport: AsyncHTTPClientTransport.shared)
  }
}

extension TencentCredentials {
  /// The vendor's sources on this machine; replace or leave out what is not wanted.
  public static var `default`: TencentCredentials { TencentCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Tencent Cloud on this machine, as `TencentCredentials` lists them.
  public static var tencentDefault: CredentialChain<AccessKey> { TencentCredentials.default.chain }
}
