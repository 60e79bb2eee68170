// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import OSSAuth
public import StorageAuth

extension CredentialProvider where Self == AlibabaAssumeRoleProvider {
  /// Returns a provider of temporary keys for an Alibaba Cloud role that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .alibabaAssumeRole("acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `acs:ram::<account>:role/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - externalID: The external ID that the role requires from callers, or `nil` if the role requires none.
  ///   - endpoint: The endpoint of the token service.
  public static func alibabaAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global
  ) -> AlibabaAssumeRoleProvider {
    AlibabaAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint, transport: .platformDefault)
  }
}

extension AlibabaOIDCProvider {
  /// Creates a provider of temporary Alibaba Cloud keys in exchange for an identity token, over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `acs:ram::<account>:role/<name>`.
  ///   - providerARN: The resource name of the identity token's issuer: `acs:ram::<account>:oidc-provider/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - endpoint: The endpoint of the token service.
  ///   - token: A closure that returns the identity token, called for each request.
  public init(
    roleARN: String, providerARN: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(3600), policy: String? = nil, endpoint: AlibabaSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      roleARN: roleARN, providerARN: providerARN, sessionName: sessionName, duration: duration, policy: policy,
      endpoint: endpoint, transport: .platformDefault, token: token)
  }
}

extension CredentialProvider where Self == AlibabaInstanceMetadataProvider {
  /// Returns a provider of temporary keys for the role of an Alibaba Cloud instance (ECS).
  ///
  /// - Parameters:
  ///   - role: The role name. If `nil`, the provider requests the name from the metadata service.
  ///   - allowsV1: Whether to send requests without a metadata token if the metadata service does not support such
  ///     tokens.
  public static func alibabaInstance(
    role: String? = nil, allowsV1: Bool = true
  ) -> AlibabaInstanceMetadataProvider {
    AlibabaInstanceMetadataProvider(role: role, allowsV1: allowsV1, transport: .platformDefault)
  }
}

extension AlibabaCredentials {
  /// The default credential sources for Alibaba Cloud on this machine.
  ///
  /// Individual sources can be replaced or left out.
  ///
  /// ```swift
  /// var sources = AlibabaCredentials.default
  /// sources.metadata = nil
  /// let credentials = CredentialCache(sources.chain)
  /// ```
  public static var `default`: AlibabaCredentials { AlibabaCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default chain of Alibaba Cloud credential sources on this machine, which `AlibabaCredentials` describes.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.alibabaDefault)
  /// ```
  public static var alibabaDefault: CredentialChain<AccessKey> { AlibabaCredentials.default.chain }
}

extension CredentialProvider where Self == CredentialsURIProvider {
  /// Returns a provider that requests temporary keys from a URL in the response format of
  /// `ALIBABA_CLOUD_CREDENTIALS_URI`.
  ///
  /// - Parameter url: The URL: `https`, or `http` on this machine.
  public static func credentialsURI(_ url: String) -> CredentialsURIProvider {
    CredentialsURIProvider(url, transport: .platformDefault)
  }
}
