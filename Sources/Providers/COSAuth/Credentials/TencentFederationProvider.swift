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
  ///   - timeout: The time limit for one request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks that the provider uses.
  public init(
    name: String, policy: String, credentials: some CredentialProvider<AccessKey>, duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard, timeout: Duration = .seconds(10),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    source = "Tencent STS GetFederationToken (\(ServiceText().shown(name)))"
    self.name = name
    self.policy = policy
    self.duration = duration
    self.region = region
    self.endpoint = endpoint
    service = SignedExchange(
      exchange: ServiceExchange(source: source, transport: transport, time: time, timeout: timeout),
      credentials: credentials,
      rules: .tencent)
  }

  /// Requests a temporary key from the token service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits, the signing key is
  ///   temporary or the service cannot be reached; `rejected` if the service refuses the request; `malformedResponse` if
  ///   the response has no usable key; `timeout` if the service does not respond in time; or the code of the error with
  ///   which `credentials` failed to supply the signing key.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the token service and reads the service's time from the response.
  ///
  /// - Returns: A temporary key and the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.sessionName(name, marks: "=,.@_-", length: 1...128)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      name: name, policy: TencentSTSParameters.encoded(policy: policy),
      seconds: try check.seconds(duration, in: 1...129_600))
    let call = try TencentSTSCall("GetFederationToken", region: region, endpoint: endpoint, check).call(parameters)
    let response = try await service.response(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, permanent: true
    ) { call }
    return try CredentialReader.tencentSTS(source).tencentRoleKey(in: response)
  }
}
