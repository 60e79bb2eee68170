// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that requests temporary keys with a subset of a permanent key's rights from Tencent Cloud's token service
/// (STS).
///
/// The provider sends `GetFederationToken` requests that are signed with TC3-HMAC-SHA256. If the service rejects the
/// signing time, the provider takes the service's time from the response, signs the request again once, and uses that
/// time for later requests.
public struct TencentFederationProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let name: String
  private let policy: String
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider of temporary keys with the rights that a policy grants.
  ///
  /// - Parameters:
  ///   - name: The session name, which appears in the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: The policy that specifies the keys' rights, as JSON; the service requires a policy.
  ///   - credentials: The provider of the permanent key.
  ///   - duration: The lifetime of the keys: whole seconds up to 129600, or up to 7200 if the permanent key is the root
  ///     account's.
  ///   - region: The region ID in the request; the response does not depend on the region.
  ///   - endpoint: The STS endpoint.
  public init(
    name: String, policy: String, credentials: some CredentialProvider<AccessKey>, duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) {
    source = "Tencent STS GetFederationToken (\(ServiceText().shown(name)))"
    self.name = name
    self.policy = policy
    self.duration = duration
    self.region = region
    self.endpoint = endpoint
    service = SignedExchange(source: source, credentials: credentials, rules: .tencent)
  }

  /// Requests a temporary key from the token service and reads the service's time from the response.
  ///
  /// - Parameter context: The context of the call.
  /// - Returns: A temporary key and the service's time.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits, the signing key is
  ///   temporary or the service cannot be reached; `rejected` if the service refuses the request; `malformedResponse` if
  ///   the response has no usable key; `timeout` if the service does not respond in time; or the code of the error with
  ///   which `credentials` failed to supply the signing key.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.sessionName(name, marks: "=,.@_-", length: 1...128)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      name: name, policy: TencentSTSParameters.encoded(policy: policy),
      seconds: try check.seconds(duration, in: 1...129_600))
    let call = try TencentSTSCall("GetFederationToken", region: region, endpoint: endpoint, check).call(parameters)
    let response = try await service.response(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, in: context, permanent: true
    ) { call }
    return try CredentialReader.tencentSTS(source).tencentRoleKey(in: response)
  }
}

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
      name: name, policy: policy, credentials: credentials, duration: duration, region: region, endpoint: endpoint)
  }
}
