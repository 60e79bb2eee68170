// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that assumes a role with another key and returns the temporary keys that Tencent Cloud's token service
/// (STS) issues.
///
/// The provider sends `AssumeRole` requests that are signed with TC3-HMAC-SHA256. If the service rejects the signing
/// time, the provider takes the service's time from the response, signs the request again once, and uses that time for
/// later requests.
public struct TencentAssumeRoleProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let roleARN: String
  private let sessionName: String
  private let policy: String?
  private let externalID: String?
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider that assumes a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the keys: whole seconds up to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights further, as JSON, or `nil` for all rights of the role.
  ///   - externalID: The external ID that the role's trust policy requires, or `nil` if it requires no external ID.
  ///   - region: The region ID in the request; the response does not depend on the region.
  ///   - endpoint: The STS endpoint.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(7200), policy: String? = nil, externalID: String? = nil,
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) {
    source = "Tencent STS AssumeRole (\(ServiceText().shown(roleARN)))"
    self.roleARN = roleARN
    self.sessionName = sessionName
    self.policy = policy
    self.externalID = externalID
    self.duration = duration
    self.region = region
    self.endpoint = endpoint
    service = SignedExchange(source: source, credentials: credentials, rules: .tencent)
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the code of the error with which `credentials` failed to
  ///   supply the signing key.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.tencentRole(roleARN, sessionName: sessionName)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      roleARN: roleARN, sessionName: sessionName, policy: TencentSTSParameters.encoded(policy: policy),
      externalID: externalID, seconds: try check.seconds(duration, in: 1...43_200))
    let call = try TencentSTSCall("AssumeRole", region: region, endpoint: endpoint, check).call(parameters)
    let response = try await service.response(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, in: context
    ) { call }
    return try CredentialReader.tencentSTS(source).tencentRoleKey(in: response)
  }
}

/// An endpoint of Tencent Cloud's token service (STS).
public struct TencentSTSEndpoint: Sendable, Hashable {
  let url: String

  /// The default STS endpoint: `sts.tencentcloudapi.com`.
  public static let standard = TencentSTSEndpoint(url: "https://sts.tencentcloudapi.com")

  /// The STS endpoint inside the vendor's network: `sts.internal.tencentcloudapi.com`.
  public static let `internal` = TencentSTSEndpoint(url: "https://sts.internal.tencentcloudapi.com")

  /// The STS endpoint for accounts outside of mainland China: `sts.intl.tencentcloudapi.com`.
  public static let international = TencentSTSEndpoint(url: "https://sts.intl.tencentcloudapi.com")

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server
  ///   runs on this machine.
  public static func url(_ url: String) -> TencentSTSEndpoint {
    TencentSTSEndpoint(url: url)
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
      externalID: externalID, region: region, endpoint: endpoint)
  }
}
