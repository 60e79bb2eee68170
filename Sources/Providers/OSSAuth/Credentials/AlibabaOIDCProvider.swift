// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that exchanges an identity token for temporary keys of a role at Alibaba Cloud's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithOIDC` requests. Pods of the vendor's container service obtain their keys
/// in this way (RRSA).
public struct AlibabaOIDCProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: AlibabaRole
  private let providerARN: String
  private let endpoint: AlibabaSTSEndpoint
  private let token: @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `acs:ram::<account>:role/<name>`.
  ///   - providerARN: The ARN of the identity provider that issued the token:
  ///     `acs:ram::<account>:oidc-provider/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights further, as JSON of at most 2048 bytes, or `nil` for all
  ///     rights of the role.
  ///   - endpoint: The STS endpoint.
  ///   - token: A closure that returns the identity token. It is called for each request, because tokens are rotated.
  public init(
    roleARN: String, providerARN: String, sessionName: String = "swift-storage-auth",
    duration: Duration = .seconds(3600), policy: String? = nil, endpoint: AlibabaSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    source = "Alibaba STS AssumeRoleWithOIDC (\(ServiceText().shown(roleARN)))"
    role = AlibabaRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.providerARN = providerARN
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
    let parameters = try role.parameters(check)
    try check.resourceName(
      providerARN, of: "identity provider", form: "acs:ram::<account>:oidc-provider/<name>",
      providerARN.hasPrefix("acs:ram::") && providerARN.contains(":oidc-provider/"))
    let query = FormPair.written([
      FormPair("Action", "AssumeRoleWithOIDC"), FormPair("Version", AlibabaRole.version), FormPair("Format", "JSON"),
      FormPair("Timestamp", exchange.time.now.iso8601), FormPair("SignatureNonce", ServiceNonce.make()),
    ])
    let address = try check.address(endpoint.url).appending("/?" + query)
    let response = try await exchange.send { () async throws(CredentialError) in
      let identity = try await check.identityToken(token)
      let form =
        parameters + [
          FormPair("OIDCProviderArn", providerARN), FormPair("OIDCToken", identity.reveal()),
        ]
      let call = address.call(
        .post, headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(FormPair.written(form).utf8))
      return PreparedCall(call, masks: [identity])
    }
    let refusal = response.alibabaRefusal
    guard response.isSuccess, refusal == nil else {
      throw RefusalRules.alibaba.error(
        for: response, refusal, source: source, fallback: "See the vendor's documentation of this code.")
    }
    return try CredentialReader.alibabaSTS(source).alibabaRoleKey(in: response)
  }
}
