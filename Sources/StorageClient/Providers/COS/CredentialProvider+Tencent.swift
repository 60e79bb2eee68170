// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth

extension CredentialProvider where Self == TencentFederationProvider {
  /// Returns a provider of temporary keys with a part of the rights of a permanent key of Tencent Cloud.
  ///
  /// - Parameters:
  ///   - name: The name of the key's user in the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: The permissions of the key, as JSON; the service requires it.
  ///   - credentials: The provider of the permanent key.
  ///   - duration: The lifetime: whole seconds up to 129600, or up to 7200 for the key of the account itself.
  ///   - region: The region that the call names; the response is the same from each.
  ///   - endpoint: The endpoint of the token service.
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
  /// Returns a provider of temporary keys of a role of Tencent Cloud that another key may assume.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime: whole seconds up to 43200, and no more than the role allows.
  ///   - policy: The maximum permissions of the key, as JSON; `nil` for all permissions of the role.
  ///   - externalID: The external id that the role requires from callers.
  ///   - region: The region that the call names; the response is the same from each.
  ///   - endpoint: The endpoint of the token service.
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
  /// Creates a provider of temporary keys for an identity token, over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - providerID: The issuer of the identity token, by its name in the vendor's console.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - duration: The lifetime: whole seconds up to 43200, and no more than the role allows.
  ///   - region: The region that the call names; the response is the same from each.
  ///   - endpoint: The endpoint of the token service.
  ///   - token: Returns the identity token; called for each request.
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
  /// Returns a provider of temporary keys of the role of an instance of Tencent Cloud (CVM).
  ///
  /// - Parameter role: The role; if `nil`, requested from the metadata service.
  public static func tencentInstance(role: String? = nil) -> TencentInstanceMetadataProvider {
    TencentInstanceMetadataProvider(role: role, transport: AsyncHTTPClientTransport.shared)
  }
}

extension TencentCredentials {
  /// The vendor's sources on this machine; individual sources can be replaced or left out.
  public static var `default`: TencentCredentials { TencentCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default chain of sources of Tencent Cloud on this machine, as `TencentCredentials` lists them.
  public static var tencentDefault: CredentialChain<AccessKey> { TencentCredentials.default.chain }
}
