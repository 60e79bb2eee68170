// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth

extension AmazonCredentials {
  /// The vendor's sources on this machine; individual sources can be replaced or left out.
  public static var `default`: AmazonCredentials { AmazonCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default chain of sources of Amazon on this machine, as `AmazonCredentials` lists them.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.amazonDefault)
  /// ```
  public static var amazonDefault: CredentialChain<AccessKey> { AmazonCredentials.default.chain }
}

extension CredentialProvider where Self == AmazonAssumeRoleProvider {
  /// Returns a provider of temporary keys of a role of Amazon that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .amazonAssumeRole("arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: The maximum permissions of the key, as JSON; `nil` for all permissions of the role.
  ///   - externalID: The external id that the role requires from callers of other accounts.
  ///   - endpoint: The endpoint of the token service.
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
  /// Creates a provider of temporary keys for an identity token, over the shared transport.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: The maximum permissions of the key, as JSON; `nil` for all permissions of the role.
  ///   - endpoint: The endpoint of the token service.
  ///   - token: Returns the identity token; called for each request.
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
  /// Returns a provider of temporary keys of the role of an instance of Amazon (EC2).
  ///
  /// - Parameters:
  ///   - role: The role; if `nil`, requested from the metadata service.
  ///   - allowsV1: Whether to send requests without a token if the metadata service supports none.
  public static func amazonInstance(role: String? = nil, allowsV1: Bool = true) -> AmazonInstanceMetadataProvider {
    AmazonInstanceMetadataProvider(role: role, allowsV1: allowsV1, transport: AsyncHTTPClientTransport.shared)
  }
}
