// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A provider that assumes a role with another key and returns the temporary keys that Tencent Cloud's token service
/// (STS) issues.
///
/// The provider sends `AssumeRole` requests that are signed with TC3-HMAC-SHA256. If the service rejects the signing
/// time, the provider takes the service's time from the response, signs the request again once, and uses that time for
/// later requests.
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
    source = "Tencent STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = TencentRole(
      arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, externalID: externalID,
      endpoint: TencentSTS(region: region, endpoint: endpoint))
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
    let call = try role.endpoint.call("AssumeRole", try role.parameters(check), check)
    return try await service.tencentRoleKey(for: call, source: source, in: context)
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
  public static func url(_ url: String) -> TencentSTSEndpoint { TencentSTSEndpoint(url: url) }
}

extension CredentialProvider where Self == TencentAssumeRoleProvider {
  /// Returns a provider of temporary keys for a Tencent Cloud role that another key may assume.
  ///
  /// The parameters are those of the initializer of ``TencentAssumeRoleProvider``.
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
  private let sts: TencentSTS
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
    sts = TencentSTS(region: region, endpoint: endpoint)
    service = SignedExchange(source: source, credentials: credentials, rules: .tencent)
  }

  /// Requests a temporary key from the token service and reads the service's time from the response.
  ///
  /// - Parameter context: The context of the call.
  /// - Returns: A temporary key and the service's time.
  /// - Throws: The errors of ``TencentAssumeRoleProvider/issue(in:)``, and `failed` if the signing key is temporary.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.sessionName(name, marks: "=,.@_-", length: 1...128)
    try check.policy(policy)
    let seconds = try check.seconds(duration, in: 1...129_600)
    let parameters: JSONObject = [
      "DurationSeconds": .number(JSONNumber(seconds)), "Name": .string(name),
      "Policy": .string(policy.percentEncoded()),
    ]
    let call = try sts.call("GetFederationToken", parameters, check)
    return try await service.tencentRoleKey(for: call, source: source, in: context, permanent: true)
  }
}

extension CredentialProvider where Self == TencentFederationProvider {
  /// Returns a provider of temporary Tencent Cloud keys with some of the rights of a permanent key.
  ///
  /// The parameters are those of the initializer of ``TencentFederationProvider``.
  public static func tencentFederation(
    _ name: String, policy: String, credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard
  ) -> TencentFederationProvider {
    TencentFederationProvider(
      name: name, policy: policy, credentials: credentials, duration: duration, region: region, endpoint: endpoint)
  }
}

/// A provider that exchanges an identity token for temporary keys of a role at Tencent Cloud's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithWebIdentity` requests. Pods of the vendor's container service obtain
/// their keys in this way.
public struct TencentWebIdentityProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: TencentRole
  private let providerID: String
  private let token: IdentityTokenSource

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
    role = TencentRole(
      arn: roleARN, sessionName: sessionName, duration: duration,
      endpoint: TencentSTS(region: region, endpoint: endpoint))
    self.providerID = providerID
    self.token = token
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: The errors of ``TencentAssumeRoleProvider/issue(in:)``, or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    var parameters = try role.parameters(check)
    try check.resourceName(providerID, of: "identity provider", form: "of one word", !providerID.isEmpty)
    parameters["ProviderId"] = .string(providerID)
    let response = try await exchange.send { [parameters] () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      var parameters = parameters
      parameters["WebIdentityToken"] = .string(identity.reveal())
      var call = try role.endpoint.call("AssumeRoleWithWebIdentity", parameters, check)
      call.request.headerFields[.authorization] = "SKIP"
      call.request.headerFields[.tcTimestamp] = "\(exchange.time.now.unixSeconds)"
      return PreparedCall(call, masks: [identity])
    }
    try RefusalRules.tencent.check(response, response.tencentRefusal, source: source)
    return try CredentialReader(ofTokenService: source).tencentRoleKey(in: response)
  }
}

/// Tencent Cloud's STS at an endpoint, with the region that requests name.
struct TencentSTS: Sendable, Hashable {
  let region: String
  let endpoint: TencentSTSEndpoint

  /// Creates a request that is not yet signed, after validating the endpoint and the region.
  func call(
    _ action: String, _ parameters: JSONObject, _ check: RequestCheck
  ) throws(CredentialError) -> ServiceCall {
    let address = try check.address(endpoint.url)
    let isRegion = region.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard isRegion, !region.isEmpty else {
      throw check.refused("The name of the region is not valid.", "Write it like ap-guangzhou.")
    }
    return address.call(
      .post,
      headers: [
        .contentType: "application/json; charset=utf-8", .tcAction: action, .tcVersion: "2018-08-13",
        .tcRegion: region,
      ], body: JSONValue.object(parameters).serialized)
  }
}

/// A role of Tencent Cloud, with the parameters that `AssumeRole` and `AssumeRoleWithWebIdentity` share.
typealias TencentRole = AssumedRole<TencentSTS>

extension TencentRole {
  /// Returns the checked parameters, of which STS requires the policy to be percent-encoded once.
  func parameters(_ check: RequestCheck) throws(CredentialError) -> JSONObject {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 6 && parts[0] == "qcs" && parts[2] == "cam" && parts[4].hasBytePrefix("uin/")
      && (parts[5].hasBytePrefix("roleName/") || parts[5].hasBytePrefix("role/")) && !parts[5].hasByteSuffix("/")
    try check.resourceName(arn, of: "role", form: "qcs::cam::uin/<account>:roleName/<name>", isRole)
    try check.sessionName(sessionName, marks: "=,.@_-", length: 2...128)
    try check.policy(policy)
    var parameters: JSONObject = ["RoleArn": .string(arn), "RoleSessionName": .string(sessionName)]
    parameters["DurationSeconds"] = .number(JSONNumber(try check.seconds(duration, in: 1...43_200)))
    parameters["Policy"] = policy.map { .string($0.percentEncoded()) }
    parameters["ExternalId"] = externalID.map { .string($0) }
    return parameters
  }
}

extension SignedExchange {
  /// Sends a request that is signed with TC3-HMAC-SHA256, and returns the temporary key in the response.
  fileprivate func tencentRoleKey(
    for call: ServiceCall, source: String, in context: ProviderContext, permanent: Bool = false
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let response = try await response(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, in: context, permanent: permanent
    ) { call }
    return try CredentialReader(ofTokenService: source).tencentRoleKey(in: response)
  }
}

extension RefusalRules {
  static let tencent = RefusalRules(
    clock: ["AuthFailure.SignatureExpire"],
    passing: ["RequestLimitExceeded", "InternalError", "LimitExceeded.Frequency"],
    remedies: [
      ("AuthFailure.SignatureExpire", "Set this machine's clock."),
      ("AuthFailure.SignatureFailure", "Check the secret of the signing key; a blank at its end is the usual cause."),
      ("AuthFailure.SecretIdNotFound", "Check the ID of the signing key."),
      ("AuthFailure.InvalidSecretId", "Check the ID of the signing key."),
      ("AuthFailure.TokenFailure", "Get a new temporary key to sign with."),
      ("AuthFailure.UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("ResourceNotFound", "Check the name of the role."),
      ("InvalidParameter", "Check the parameter that the message names."),
    ])
}

extension ServiceResponse {
  /// The refusal in an error response, whose HTTP status is that of a success.
  var tencentRefusal: ServiceRefusal? {
    guard let response = object?["Response"]?.object, let error = response["Error"]?.object else { return nil }
    return ServiceRefusal(
      code: error["Code"]?.code ?? "Error", message: error["Message"]?.string ?? "",
      requestID: response["RequestId"]?.string)
  }
}

extension CredentialReader {
  func tencentRoleKey(in received: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let response = try object(received)["Response"]?.object else {
      throw malformed("The response has no object Response.")
    }
    guard let fields = response["Credentials"]?.object else {
      throw malformed("The response has no object Credentials inside Response.")
    }
    return try tencentKey(in: fields, ending: response, at: received.issuerTime)
  }

  /// Returns the temporary key in an object with the fields that Tencent Cloud's STS and metadata service use.
  func tencentKey(
    in fields: JSONObject, ending object: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    try key(
      ("TmpSecretId", "TmpSecretKey", "Token"), in: fields, ending: ["ExpiredTime", "Expiration"], in: object,
      at: issuerTime)
  }
}
