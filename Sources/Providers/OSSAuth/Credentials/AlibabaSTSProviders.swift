// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that assumes a role with another key and returns temporary keys from Alibaba Cloud's token service (STS).
///
/// The provider sends `AssumeRole` requests that are signed with ACS3-HMAC-SHA256. If the service rejects the signing
/// time, the provider signs the request again once with the service's time, and uses that time for later requests.
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
    let role = AlibabaRole(
      arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, externalID: externalID,
      endpoint: endpoint)
    self.init(role, credentials: credentials)
  }

  init(_ role: AlibabaRole, credentials: some CredentialProvider<AccessKey>) {
    source = "Alibaba STS AssumeRole (\(MessageFilter().applied(to: role.arn)))"
    self.role = role
    service = SignedExchange(source: source, credentials: credentials, rules: .alibaba)
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the code of the error of `credentials`.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let parameters = try role.parameters(check)
    let address = try check.address(role.endpoint.baseURL).appending("/?" + FormPair.written(parameters))
    let response = try await service.response(signedWith: ACS3Signer(), refusal: \.alibabaRefusal, in: context) {
      var call = address.call(.post)
      call.request.headerFields[.acsAction] = "AssumeRole"
      call.request.headerFields[.acsVersion] = AlibabaSTSEndpoint.apiVersion
      call.request.headerFields[.acsNonce] = ServiceNonce.random()
      return call
    }
    return try CredentialReader(ofTokenService: source).alibabaRoleKey(in: response)
  }
}

extension CredentialProvider where Self == AlibabaAssumeRoleProvider {
  /// Returns a provider that assumes an Alibaba Cloud role; ``AlibabaAssumeRoleProvider`` describes the parameters.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .alibabaAssumeRole("acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss))
  /// ```
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
/// The provider sends unsigned `AssumeRoleWithOIDC` requests, as pods of the vendor's container service do (RRSA).
public struct AlibabaOIDCProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: AlibabaRole
  private let providerARN: String
  private let token: IdentityTokenSource

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// `providerARN` is the ARN of the token's issuer: `acs:ram::<account>:oidc-provider/<name>`. `token` returns the
  /// identity token, and is called for each request, because tokens are rotated. The other parameters are those of
  /// ``AlibabaAssumeRoleProvider``.
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
    source = "Alibaba STS AssumeRoleWithOIDC (\(MessageFilter().applied(to: role.arn)))"
    var role = role
    role.externalID = nil  // The operation has no such parameter.
    self.role = role
    self.providerARN = providerARN
    self.token = token
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: The errors of ``AlibabaAssumeRoleProvider/issue(in:)``, or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    let parameters = try role.parameters(check)
    try check.requireResourceName(
      providerARN, of: "identity provider", form: "acs:ram::<account>:oidc-provider/<name>",
      providerARN.hasPrefix("acs:ram::") && providerARN.contains(":oidc-provider/"))
    let query = FormPair.written([
      FormPair("Action", "AssumeRoleWithOIDC"), FormPair("Version", AlibabaSTSEndpoint.apiVersion),
      FormPair("Format", "JSON"), FormPair("Timestamp", exchange.time.now.iso8601),
      FormPair("SignatureNonce", ServiceNonce.random()),
    ])
    let address = try check.address(role.endpoint.baseURL).appending("/?" + query)
    let response = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      let form = parameters + [FormPair("OIDCProviderArn", providerARN), FormPair("OIDCToken", identity.reveal())]
      let call = address.call(
        .post, headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(FormPair.written(form).utf8))
      return PreparedCall(call, masks: [identity])
    }
    try RefusalRules.alibaba.requireSuccess(of: response, response.alibabaRefusal, source: source)
    return try CredentialReader(ofTokenService: source).alibabaRoleKey(in: response)
  }
}
