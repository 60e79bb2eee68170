// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A provider that assumes a role with another key and returns the temporary keys that Alibaba Cloud's token service
/// (STS) issues.
///
/// The provider sends `AssumeRole` requests that are signed with ACS3-HMAC-SHA256. If the service rejects the signing
/// time, the provider takes the service's time from the response, signs the request again once, and uses that time for
/// later requests.
///
/// ```swift
/// let keys = AlibabaAssumeRoleProvider(
///   roleARN: "acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss)
/// ```
public struct AlibabaAssumeRoleProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: AlibabaRole
  private let service: SignedExchange

  /// Creates a provider that assumes a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `acs:ram::<account>:role/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - credentials: The provider of the key that assumes the role. The key must not be the root account's key.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights, as JSON of at most 2048 bytes, or `nil` for all of the role.
  ///   - externalID: The external ID that the role's trust policy requires, 2 to 1224 characters, or `nil` for none.
  ///   - endpoint: The STS endpoint.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global
  ) {
    self.init(
      AlibabaRole(
        arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, externalID: externalID,
        endpoint: endpoint), credentials: credentials)
  }

  init(_ role: AlibabaRole, credentials: some CredentialProvider<AccessKey>) {
    source = "Alibaba STS AssumeRole (\(ServiceText().shown(role.arn)))"
    self.role = role
    service = SignedExchange(source: source, credentials: credentials, rules: .alibaba)
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
    let parameters = try role.parameters(check)
    let address = try check.address(role.endpoint.url).appending("/?" + FormPair.written(parameters))
    let response = try await service.response(signedWith: ACS3Signer(), refusal: \.alibabaRefusal, in: context) {
      var call = address.call(.post)
      call.request.headerFields[.acsAction] = "AssumeRole"
      call.request.headerFields[.acsVersion] = AlibabaSTSEndpoint.version
      call.request.headerFields[.acsNonce] = ServiceNonce.make()
      return call
    }
    return try CredentialReader(ofTokenService: source).alibabaRoleKey(in: response)
  }
}

/// An endpoint of Alibaba Cloud's token service (STS).
public struct AlibabaSTSEndpoint: Sendable, Hashable {
  static let version = "2015-04-01"

  let url: String

  /// The global STS endpoint, which is reachable from everywhere: `sts.aliyuncs.com`.
  public static let global = AlibabaSTSEndpoint(url: "https://sts.aliyuncs.com")

  /// Returns the public STS endpoint for a region: `sts.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func region(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts.\(region).aliyuncs.com")
  }

  /// Returns the STS endpoint inside a region's private network (VPC): `sts-vpc.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func vpc(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts-vpc.\(region).aliyuncs.com")
  }

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server
  ///   runs on this machine.
  public static func url(_ url: String) -> AlibabaSTSEndpoint { AlibabaSTSEndpoint(url: url) }
}

enum ServiceNonce {
  /// Returns 128 random bits as hexadecimal digits.
  static func make() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(hex: bytes) })
  }
}

extension CredentialProvider where Self == AlibabaAssumeRoleProvider {
  /// Returns a provider of temporary keys for an Alibaba Cloud role that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .alibabaAssumeRole("acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss))
  /// ```
  ///
  /// The parameters are those of the initializer of ``AlibabaAssumeRoleProvider``.
  public static func alibabaAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global
  ) -> AlibabaAssumeRoleProvider {
    AlibabaAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint)
  }
}

/// A provider that exchanges an identity token for temporary keys of a role at Alibaba Cloud's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithOIDC` requests. Pods of the vendor's container service obtain their keys
/// in this way (RRSA).
public struct AlibabaOIDCProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: AlibabaRole
  private let providerARN: String
  private let token: IdentityTokenSource

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `acs:ram::<account>:role/<name>`.
  ///   - providerARN: The ARN of the identity provider that issued the token:
  ///     `acs:ram::<account>:oidc-provider/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights, as JSON of at most 2048 bytes, or `nil` for all of the role.
  ///   - endpoint: The STS endpoint.
  ///   - token: A closure that returns the identity token. It is called for each request, because tokens are rotated.
  public init(
    roleARN: String, providerARN: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(3600), policy: String? = nil, endpoint: AlibabaSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      AlibabaRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, endpoint: endpoint),
      providerARN: providerARN, token: token)
  }

  init(_ role: AlibabaRole, providerARN: String, token: @escaping IdentityTokenSource) {
    source = "Alibaba STS AssumeRoleWithOIDC (\(ServiceText().shown(role.arn)))"
    var role = role
    role.externalID = nil  // The operation has no such parameter.
    self.role = role
    self.providerARN = providerARN
    self.token = token
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: The errors of ``AlibabaAssumeRoleProvider/issue(in:)``, or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    let parameters = try role.parameters(check)
    try check.resourceName(
      providerARN, of: "identity provider", form: "acs:ram::<account>:oidc-provider/<name>",
      providerARN.hasPrefix("acs:ram::") && providerARN.contains(":oidc-provider/"))
    let query = FormPair.written([
      FormPair("Action", "AssumeRoleWithOIDC"), FormPair("Version", AlibabaSTSEndpoint.version),
      FormPair("Format", "JSON"),
      FormPair("Timestamp", exchange.time.now.iso8601), FormPair("SignatureNonce", ServiceNonce.make()),
    ])
    let address = try check.address(role.endpoint.url).appending("/?" + query)
    let response = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      let form = parameters + [FormPair("OIDCProviderArn", providerARN), FormPair("OIDCToken", identity.reveal())]
      let call = address.call(
        .post, headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(FormPair.written(form).utf8))
      return PreparedCall(call, masks: [identity])
    }
    try RefusalRules.alibaba.check(response, response.alibabaRefusal, source: source)
    return try CredentialReader(ofTokenService: source).alibabaRoleKey(in: response)
  }
}

/// A role of Alibaba Cloud, with the parameters that `AssumeRole` and `AssumeRoleWithOIDC` share.
typealias AlibabaRole = AssumedRole<AlibabaSTSEndpoint>

extension AlibabaRole {
  func parameters(_ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 5 && parts[0] == "acs" && parts[1] == "ram" && !parts[3].isEmpty && parts[4].hasBytePrefix("role/")
      && parts[4].count > 5
    try check.resourceName(arn, of: "role", form: "acs:ram::<account>:role/<name>", isRole)
    return try parameters(sessionMarks: ".@-_", check)
  }
}

extension RefusalRules {
  static let alibaba = RefusalRules(
    clock: ["InvalidTimeStamp.Expired", "InvalidTimeStamp.NotBefore", "IllegalTimestamp"],
    passing: ["Throttling", "ServiceUnavailable", "InternalError", "SignatureNonceUsed"],
    remedies: [
      ("InvalidTimeStamp", "Set this machine's clock."),
      ("IllegalTimestamp", "Set this machine's clock."),
      ("NoPermission", "Give the caller AliyunSTSAssumeRoleAccess, and let the role trust the caller."),
      ("EntityNotExist.Role", "Check the name of the role."),
      ("InvalidAccessKeyId", "Check the ID of the signing key."),
      ("InvalidSecurityToken", "Get a new temporary key to sign with."),
      ("SignatureDoesNotMatch", "Check the secret of the signing key; a blank at its end is the usual cause."),
      ("IncompleteSignature", "Check the secret of the signing key."),
      ("InvalidParameter.DurationSeconds", "Request a lifetime within the role's maximum."),
      ("AuthenticationFail", "Check the provider of the identity token, its audience, and that it has not expired."),
    ])
}

extension ServiceResponse {
  var alibabaRefusal: ServiceRefusal? {
    guard let object, let code = object["Code"]?.code, code != "Success" else { return nil }
    return ServiceRefusal(code: code, message: object["Message"]?.string ?? "", requestID: object["RequestId"]?.string)
  }
}

extension CredentialReader {
  func alibabaRoleKey(in response: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let fields = try object(response)["Credentials"]?.object else {
      throw malformed("The response has no object Credentials.")
    }
    return try alibabaKey(in: fields, at: response.issuerTime)
  }

  /// Returns the temporary key in an object with the fields that all services of Alibaba Cloud use.
  func alibabaKey(
    in fields: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    try key(("AccessKeyId", "AccessKeySecret", "SecurityToken"), in: fields, in: fields, at: issuerTime)
  }
}
