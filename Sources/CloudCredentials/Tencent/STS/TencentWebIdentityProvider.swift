// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys of a role in exchange for an identity token: Tencent Cloud's STS,
/// `AssumeRoleWithWebIdentity`.
///
/// Pods of the vendor's container service obtain their keys in this way. The request is not signed.
public struct TencentWebIdentityProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source: String

  private let roleARN: String
  private let providerID: String
  private let sessionName: String
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let exchange: ServiceExchange
  private let token: @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// Creates a provider for a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - providerID: The identity provider that issued the token, by its name in the vendor's console.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - duration: The lifetime: whole seconds up to 43200, at most the maximum that the role allows.
  ///   - region: The region in the request; the response does not depend on it.
  ///   - endpoint: The endpoint of the service.
  ///   - timeout: The timeout for reading the identity token and one request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks.
  ///   - token: Returns the identity token; called for each request because tokens are rotated.
  public init(
    roleARN: String, providerID: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(7200), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard,
    timeout: Duration = .seconds(10), transport: any HTTPTransport, time: any SigningClock = .system,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    source = "Tencent STS AssumeRoleWithWebIdentity (\(ServiceText().shown(roleARN)))"
    self.roleARN = roleARN
    self.providerID = providerID
    self.sessionName = sessionName
    self.duration = duration
    self.region = region
    self.endpoint = endpoint
    self.token = token
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// Assumes the role.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses; `malformedAnswer`; `timeout`; or the error of `token`.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the role and reads the service's time.
  ///
  /// - Returns: A temporary key with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.tencentRole(roleARN, sessionName: sessionName)
    try check.resourceName(providerID, of: "identity provider", form: "of one word", !providerID.isEmpty)
    let seconds = try check.seconds(duration, in: 1...43_200)
    let unsigned = try TencentSTSCall("AssumeRoleWithWebIdentity", region: region, endpoint: endpoint, check)
    let answer = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      var call = unsigned.call(
        TencentSTSParameters(
          roleARN: roleARN, sessionName: sessionName, providerID: providerID, identityToken: identity.reveal(),
          seconds: seconds))
      call.request.headerFields[.authorization] = "SKIP"
      call.request.headerFields[.tcTimestamp] = "\(exchange.time.now.unixSeconds)"
      return PreparedCall(call, masks: [identity])
    }
    let refusal = answer.tencentRefusal
    guard answer.isSuccess, refusal == nil else {
      throw RefusalRules.tencent.error(
        for: answer, refusal, source: source, fallback: "See the vendor's documentation of this code.")
    }
    return try AnswerReader.tencentSTS(source).tencentRoleKey(in: answer)
  }
}
