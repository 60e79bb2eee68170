// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that assumes a role with another key and returns temporary keys from Amazon's token service (STS).
///
/// The provider sends `AssumeRole` requests that are signed with Signature Version 4. If the service rejects the
/// signing time, the provider signs the request again once with the service's time, and uses that time for later
/// requests. Pages: "AssumeRole" in the STS API reference and "Create a signed AWS API request" in the IAM User Guide.
public struct AmazonAssumeRoleProvider: CredentialProvider {
  private static let action = "AssumeRole"

  /// The provider's name, for error messages.
  public let source: String

  private let role: AmazonRole
  private let service: SignedExchange

  /// Creates a provider that assumes a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum. If the
  ///     signing key itself belongs to a role, the maximum is one hour.
  ///   - policy: A policy that restricts the keys' rights, as JSON of at most 2048 bytes, or `nil` for all of the role.
  ///   - externalID: The external ID that the role requires of other accounts, 2 to 1224 characters, or `nil` for none.
  ///   - endpoint: The STS endpoint.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) {
    let role = AmazonRole(
      arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, externalID: externalID,
      endpoint: endpoint)
    self.init(role, credentials: credentials)
  }

  init(_ role: AmazonRole, credentials: some CredentialProvider<AccessKey>) {
    source = "Amazon STS AssumeRole (\(MessageFilter().applied(to: role.arn)))"
    self.role = role
    service = SignedExchange(source: source, credentials: credentials, rules: .amazon)
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the code of the error of `credentials`.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let form = try role.parameters(of: Self.action, check)
    let call = try role.endpoint.requestURL(check).amazonCall(with: form)
    let signer = SigV4Signer(region: role.endpoint.signingRegion, service: "sts")
    let response = try await service.response(signedWith: signer, refusal: \.amazonRefusal, in: context) { call }
    return try CredentialReader(ofTokenService: source).amazonRoleKey(in: response, to: Self.action)
  }
}

extension CredentialProvider where Self == AmazonAssumeRoleProvider {
  /// Returns a provider that assumes an AWS role; ``AmazonAssumeRoleProvider`` describes the parameters.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .amazonAssumeRole("arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws))
  /// ```
  public static func amazonAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) -> AmazonAssumeRoleProvider {
    AmazonAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint)
  }
}

/// A provider that exchanges an identity token for temporary keys of a role at Amazon's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithWebIdentity` requests, as pods of Amazon's container service do (IRSA),
/// and jobs of other services that issue identity tokens. Page: "AssumeRoleWithWebIdentity" in the STS API reference.
///
/// If the service cannot reach the identity provider, up to three requests are sent, with pauses between them. If the
/// service calls the token invalid, the token is read and sent once more, because it may have been replaced.
public struct AmazonWebIdentityProvider: CredentialProvider {
  private static let action = "AssumeRoleWithWebIdentity"
  /// The pauses before the requests that are sent again if the service cannot reach the identity provider.
  private static let pauses = [Duration.seconds(1), .seconds(2)]

  /// The provider's name, for error messages.
  public let source: String

  private let role: AmazonRole
  private let token: IdentityTokenSource

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// `token` returns the identity token, and is called for each request, because tokens are rotated. The other
  /// parameters are those of ``AmazonAssumeRoleProvider``.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600),
    policy: String? = nil, endpoint: AmazonSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    self.init(
      AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy, endpoint: endpoint),
      token: token)
  }

  init(_ role: AmazonRole, token: @escaping IdentityTokenSource) {
    source = "Amazon STS AssumeRoleWithWebIdentity (\(MessageFilter().applied(to: role.arn)))"
    var role = role
    role.externalID = nil  // The operation has no such parameter.
    self.role = role
    self.token = token
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Throws: The errors of ``AmazonAssumeRoleProvider/issue(in:)``, or the error of the `token` closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    let parameters = try role.parameters(of: Self.action, check)
    let requestURL = try role.endpoint.requestURL(check)
    var remainingPauses = Self.pauses[...]
    var hasReadTokenAgain = false
    while true {
      let response = try await exchange.send { () async throws(CredentialError) in
        let identity = try await check.identityToken(token)
        let form = parameters + [FormPair("WebIdentityToken", identity.reveal())]
        return PreparedCall(requestURL.amazonCall(with: form), masks: [identity])
      }
      let refusal = response.amazonRefusal
      if response.isSuccess, refusal == nil {
        return try CredentialReader(ofTokenService: source).amazonRoleKey(in: response, to: Self.action)
      }
      if refusal?.code == "IDPCommunicationError", let pause = remainingPauses.popFirst() {
        try await sleep(for: pause, by: context.time)
      } else if refusal?.code == "InvalidIdentityToken", !hasReadTokenAgain {
        hasReadTokenAgain = true
      } else {
        throw RefusalRules.amazon.error(for: response, refusal, source: source)
      }
    }
  }

  private func sleep(for pause: Duration, by time: any SigningClock) async throws(CredentialError) {
    do {
      try await time.sleep(for: pause)
    } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait was cancelled.", remedy: "Retry if the key is still needed.")
    }
  }
}
