// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that exchanges an identity token for temporary keys of a role at Tencent Cloud's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithWebIdentity` requests. Pods of the vendor's container service obtain
/// their keys in this way.
public struct TencentWebIdentityProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let roleARN: String
  private let providerID: String
  private let sessionName: String
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let token: @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - providerID: The name, in the vendor's console, of the identity provider that issued the token.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - duration: The lifetime of the keys: whole seconds up to 43200, and at most the role's maximum.
  ///   - region: The region ID in the request; the response does not depend on the region.
  ///   - endpoint: The STS endpoint.
  ///   - token: A closure that returns the identity token. It is called for each request, because tokens are rotated.
  public init(
    roleARN: String, providerID: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(7200), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard,
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
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    try check.tencentRole(roleARN, sessionName: sessionName)
    try check.resourceName(providerID, of: "identity provider", form: "of one word", !providerID.isEmpty)
    let seconds = try check.seconds(duration, in: 1...43_200)
    let unsigned = try TencentSTSCall("AssumeRoleWithWebIdentity", region: region, endpoint: endpoint, check)
    let response = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      var call = unsigned.call(
        TencentSTSParameters(
          roleARN: roleARN, sessionName: sessionName, providerID: providerID, identityToken: identity.reveal(),
          seconds: seconds))
      call.request.headerFields[.authorization] = "SKIP"
      call.request.headerFields[.tcTimestamp] = "\(exchange.time.now.unixSeconds)"
      return PreparedCall(call, masks: [identity])
    }
    let refusal = response.tencentRefusal
    guard response.isSuccess, refusal == nil else {
      throw RefusalRules.tencent.error(
        for: response, refusal, source: source, fallback: "See the vendor's documentation of this code.")
    }
    return try CredentialReader.tencentSTS(source).tencentRoleKey(in: response)
  }
}
