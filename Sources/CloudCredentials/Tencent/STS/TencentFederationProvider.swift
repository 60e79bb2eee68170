// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys with a subset of a permanent key's rights: Tencent Cloud's STS, `GetFederationToken`.
///
/// The request is signed with TC3-HMAC-SHA256. If the service rejects the time of the signature, the provider takes the
/// service's time from the response, signs the request again once, and uses that time for later requests.
public struct TencentFederationProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source: String

  private let name: String
  private let policy: String
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider for a policy.
  ///
  /// - Parameters:
  ///   - name: The name of the session in the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: The policy of the key, as JSON; the service requires one.
  ///   - credentials: The provider of the permanent key.
  ///   - duration: The lifetime: whole seconds up to 129600, or up to 7200 for the root account's key.
  ///   - region: The region in the request; the response does not depend on it.
  ///   - endpoint: The endpoint of the service.
  ///   - timeout: The timeout for one request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks.
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

  /// Requests a temporary key from the service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits, the signing key is
  ///   temporary or the service cannot be reached; `rejected` if the service refuses; `malformedAnswer`; `timeout`; or
  ///   the code of the error with which `credentials` failed to supply the signing key.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the service and reads its time.
  ///
  /// - Returns: A temporary key with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.sessionName(name, marks: "=,.@_-", length: 1...128)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      name: name, policy: TencentSTSParameters.encoded(policy: policy),
      seconds: try check.seconds(duration, in: 1...129_600))
    let call = try TencentSTSCall("GetFederationToken", region: region, endpoint: endpoint, check).call(parameters)
    let answer = try await service.answer(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, permanent: true
    ) { call }
    return try AnswerReader.tencentSTS(source).tencentRoleKey(in: answer)
  }
}
