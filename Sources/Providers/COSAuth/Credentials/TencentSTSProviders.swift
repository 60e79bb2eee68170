// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A provider that assumes a role with another key and returns temporary keys from Tencent Cloud's token service (STS).
///
/// The provider sends `AssumeRole` requests that are signed with TC3-HMAC-SHA256. If the service rejects the signing
/// time, the provider signs the request again once with the service's time, and uses that time for later requests.
public struct TencentAssumeRoleProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: TencentRole
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
    source = "Tencent STS AssumeRole (\(MessageFilter().applied(to: roleARN)))"
    role = TencentRole(
      arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, externalID: externalID,
      endpoint: TencentSTS(region: region, endpoint: endpoint))
    service = SignedExchange(source: source, credentials: credentials, rules: .tencent)
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the code of the error of `credentials`.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let call = try role.endpoint.unsignedCall(of: "AssumeRole", with: try role.parameters(check), check)
    return try await service.requestTencentKey(with: call, source: source, in: context)
  }
}

extension CredentialProvider where Self == TencentAssumeRoleProvider {
  /// Returns a provider that assumes a Tencent Cloud role; ``TencentAssumeRoleProvider`` describes the parameters.
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

/// A provider of temporary keys with a subset of a permanent key's rights from Tencent Cloud's token service (STS).
///
/// The provider sends `GetFederationToken` requests, which it signs like ``TencentAssumeRoleProvider``.
public struct TencentFederationProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let name: String
  private let policy: String
  private let duration: Duration
  private let sts: TencentSTS
  private let service: SignedExchange

  /// Creates a provider of temporary keys with the rights that a policy grants.
  ///
  /// - Parameters:
  ///   - name: The session name, which appears in the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: The policy that specifies the keys' rights, as JSON; the service requires a policy.
  ///   - credentials: The provider of the permanent key.
  ///   - duration: The lifetime of the keys: whole seconds up to 129600, or up to 7200 for a key of the root account.
  ///   - region: The region ID in the request; the response does not depend on the region.
  ///   - endpoint: The STS endpoint.
  public init(
    name: String, policy: String, credentials: some CredentialProvider<AccessKey>, duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) {
    source = "Tencent STS GetFederationToken (\(MessageFilter().applied(to: name)))"
    self.name = name
    self.policy = policy
    self.duration = duration
    sts = TencentSTS(region: region, endpoint: endpoint)
    service = SignedExchange(source: source, credentials: credentials, rules: .tencent)
  }

  /// Requests a temporary key from the token service and returns it with the service's time.
  ///
  /// - Throws: The errors of ``TencentAssumeRoleProvider/issue(in:)``, and `failed` if the signing key is temporary.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.requireSessionName(name, marks: "=,.@_-", length: 1...128)
    try check.requirePolicy(policy)
    let seconds = try check.wholeSeconds(of: duration, in: 1...129_600)
    let parameters: JSONObject = [
      "DurationSeconds": .number(JSONNumber(seconds)), "Name": .string(name),
      "Policy": .string(policy.percentEncoded()),
    ]
    let call = try sts.unsignedCall(of: "GetFederationToken", with: parameters, check)
    return try await service.requestTencentKey(with: call, source: source, in: context, requiringPermanentKey: true)
  }
}

extension CredentialProvider where Self == TencentFederationProvider {
  /// Returns a provider of keys with fewer rights; ``TencentFederationProvider`` describes the parameters.
  public static func tencentFederation(
    _ name: String, policy: String, credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(1800), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentFederationProvider {
    TencentFederationProvider(
      name: name, policy: policy, credentials: credentials, duration: duration, region: region, endpoint: endpoint)
  }
}

/// A provider that exchanges an identity token for temporary keys of a role at Tencent Cloud's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithWebIdentity` requests, as pods of the vendor's container service do.
public struct TencentWebIdentityProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: TencentRole
  private let providerID: String
  private let token: IdentityTokenSource

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// `providerID` is the name, in the vendor's console, of the identity provider that issued the token. `token` returns
  /// the identity token, and is called for each request, because tokens are rotated. The other parameters are those of
  /// ``TencentAssumeRoleProvider``.
  public init(
    roleARN: String, providerID: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(7200), region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    source = "Tencent STS AssumeRoleWithWebIdentity (\(MessageFilter().applied(to: roleARN)))"
    role = TencentRole(
      arn: roleARN, sessionName: sessionName, duration: duration,
      endpoint: TencentSTS(region: region, endpoint: endpoint))
    self.providerID = providerID
    self.token = token
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: The errors of ``TencentAssumeRoleProvider/issue(in:)``, or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    let roleParameters = try role.parameters(check)
    try check.requireResourceName(providerID, of: "identity provider", form: "of one word", !providerID.isEmpty)
    let response = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      var parameters = roleParameters
      parameters["ProviderId"] = .string(providerID)
      parameters["WebIdentityToken"] = .string(identity.reveal())
      var call = try role.endpoint.unsignedCall(of: "AssumeRoleWithWebIdentity", with: parameters, check)
      // The value with which the vendor's SDKs mark a request that needs no signature.
      call.request.headerFields[.authorization] = "SKIP"
      call.request.headerFields[.tcTimestamp] = "\(exchange.time.now.unixSeconds)"
      return PreparedCall(call, masks: [identity])
    }
    try RefusalRules.tencent.requireSuccess(of: response, response.tencentRefusal, source: source)
    return try CredentialReader(ofTokenService: source).tencentRoleKey(in: response)
  }
}
