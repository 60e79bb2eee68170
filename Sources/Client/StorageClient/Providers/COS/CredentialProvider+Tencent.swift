// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import COSAuth
public import StorageAuth

extension CredentialProvider where Self == TencentFederationProvider {
  /// Returns a provider of temporary Tencent Cloud keys with some of the rights of a permanent key.
  ///
  /// - Parameters:
  ///   - name: The user name of the temporary key in the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: The permissions of the temporary key, as JSON. The service requires a policy.
  ///   - credentials: The provider of the permanent key.
  ///   - duration: The lifetime of the temporary key in whole seconds, up to 129600, or up to 7200 for the key of the
  ///     account itself.
  ///   - region: The region that the request specifies. Every region returns the same response.
  ///   - endpoint: The endpoint of the token service.
  public static func tencentFederation(
    _ name: String, policy: String, credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentFederationProvider {
    TencentFederationProvider(
      name: name, policy: policy, credentials: credentials, duration: duration, region: region, endpoint: endpoint,
      transport: .platformDefault)
  }
}

extension CredentialProvider where Self == TencentAssumeRoleProvider {
  /// Returns a provider of temporary keys for a Tencent Cloud role that another key may assume.
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the temporary key in whole seconds, up to 43200, and no more than the role allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - externalID: The external ID that the role requires from callers, or `nil` if the role requires none.
  ///   - region: The region that the request specifies. Every region returns the same response.
  ///   - endpoint: The endpoint of the token service.
  public static func tencentAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(7200), policy: String? = nil, externalID: String? = nil,
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentAssumeRoleProvider {
    TencentAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, region: region, endpoint: endpoint, transport: .platformDefault)
  }
}

extension TencentWebIdentityProvider {
  /// Creates a provider of temporary Tencent Cloud keys in exchange for an identity token, over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - providerID: The name of the identity token's issuer in the vendor's console.
  ///   - sessionName: The session name in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - duration: The lifetime of the temporary key in whole seconds, up to 43200, and no more than the role allows.
  ///   - region: The region that the request specifies. Every region returns the same response.
  ///   - endpoint: The endpoint of the token service.
  ///   - token: A closure that returns the identity token, called for each request.
  public init(
    roleARN: String, providerID: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(7200), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      roleARN: roleARN, providerID: providerID, sessionName: sessionName, duration: duration, region: region,
      endpoint: endpoint, transport: .platformDefault, token: token)
  }
}

extension CredentialProvider where Self == TencentInstanceMetadataProvider {
  /// Returns a provider of temporary keys for the role of a Tencent Cloud instance (CVM).
  ///
  /// - Parameter role: The role name. If `nil`, the provider requests the name from the metadata service.
  public static func tencentInstance(role: String? = nil) -> TencentInstanceMetadataProvider {
    TencentInstanceMetadataProvider(role: role, transport: .platformDefault)
  }
}

extension TencentCredentials {
  /// The default credential sources for Tencent Cloud on this machine.
  ///
  /// Individual sources can be replaced or left out.
  public static var `default`: TencentCredentials { TencentCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default chain of Tencent Cloud credential sources on this machine, which `TencentCredentials` describes.
  public static var tencentDefault: CredentialChain<AccessKey> { TencentCredentials.default.chain }
}
