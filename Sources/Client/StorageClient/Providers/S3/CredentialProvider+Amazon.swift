// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import S3Auth
public import StorageAuth

extension AmazonCredentials {
  /// The default credential sources for AWS on this machine.
  ///
  /// Individual sources can be replaced or left out.
  public static var `default`: AmazonCredentials { AmazonCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default chain of AWS credential sources on this machine, which `AmazonCredentials` describes.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.amazonDefault)
  /// ```
  public static var amazonDefault: CredentialChain<AccessKey> { AmazonCredentials.default.chain }
}

extension CredentialProvider where Self == AmazonAssumeRoleProvider {
  /// Returns a provider of temporary keys for an AWS role that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .amazonAssumeRole("arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - externalID: The external ID that the role requires from callers of other accounts, or `nil` if the role
  ///     requires none.
  ///   - endpoint: The endpoint of the token service.
  public static func amazonAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) -> AmazonAssumeRoleProvider {
    AmazonAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint, transport: .platformDefault)
  }
}

extension AmazonWebIdentityProvider {
  /// Creates a provider of temporary AWS keys in exchange for an identity token, over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - endpoint: The endpoint of the token service.
  ///   - token: A closure that returns the identity token, called for each request.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600),
    policy: String? = nil, endpoint: AmazonSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      roleARN: roleARN, sessionName: sessionName, duration: duration, policy: policy, endpoint: endpoint,
      transport: .platformDefault, token: token)
  }
}

extension CredentialProvider where Self == AmazonInstanceMetadataProvider {
  /// Returns a provider of temporary keys for the role of an AWS instance (EC2).
  ///
  /// - Parameters:
  ///   - role: The role name. If `nil`, the provider requests the name from the metadata service.
  ///   - allowsV1: Whether to send requests without a metadata token if the metadata service does not support such
  ///     tokens.
  public static func amazonInstance(role: String? = nil, allowsV1: Bool = true) -> AmazonInstanceMetadataProvider {
    AmazonInstanceMetadataProvider(role: role, allowsV1: allowsV1, transport: .platformDefault)
  }
}
