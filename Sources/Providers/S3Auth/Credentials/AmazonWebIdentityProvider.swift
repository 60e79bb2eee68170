// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that exchanges an identity token for temporary keys of a role at Amazon's token service (STS).
///
/// The provider sends unsigned `AssumeRoleWithWebIdentity` requests. Pods of Amazon's container service obtain their
/// keys in this way (IRSA), and so do jobs of other services that issue identity tokens. Page:
/// "AssumeRoleWithWebIdentity" in the STS API reference.
///
/// If the service cannot reach the identity provider, up to three requests are sent, with a pause between them. If the
/// service calls the token invalid, the token is read and sent once more, because the platform may just have replaced
/// the token file.
public struct AmazonWebIdentityProvider: CredentialProvider {
  private static let action = "AssumeRoleWithWebIdentity"

  /// The pauses before the retries that follow if the service could not reach the identity provider.
  private static let pauses = [Duration.seconds(1), .seconds(2)]

  /// The provider's name, for error messages.
  public let source: String

  private let role: AmazonRole
  private let endpoint: AmazonSTSEndpoint
  private let token: @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// Creates a provider that assumes a role with an identity token.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights further, as JSON of at most 2048 bytes, or `nil` for all
  ///     rights of the role.
  ///   - endpoint: The STS endpoint.
  ///   - token: A closure that returns the identity token. It is called for each request, because tokens are rotated.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600),
    policy: String? = nil, endpoint: AmazonSTSEndpoint = .global,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    source = "Amazon STS AssumeRoleWithWebIdentity (\(ServiceText().shown(roleARN)))"
    role = AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
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
    let parameters = try role.parameters(of: Self.action, check)
    let address = try endpoint.address(check)
    var pauses = Self.pauses[...]
    var isTokenReadAgain = false
    while true {
      let response = try await exchange.send { () async throws(CredentialError) in
        let identity = try await check.identityToken(token)
        return PreparedCall(
          address.amazonCall(parameters + [FormPair("WebIdentityToken", identity.reveal())]), masks: [identity])
      }
      let refusal = response.amazonRefusal
      if response.isSuccess, refusal == nil {
        return try CredentialReader.amazonSTS(source).amazonRoleKey(in: response, to: Self.action)
      }
      if refusal?.code == "IDPCommunicationError", let pause = pauses.popFirst() {
        try await wait(pause, by: context.time)
      } else if refusal?.code == "InvalidIdentityToken", !isTokenReadAgain {
        isTokenReadAgain = true
      } else {
        throw RefusalRules.amazon.error(
          for: response, refusal, source: source, fallback: "See the vendor's documentation of this code.")
      }
    }
  }

  private func wait(_ pause: Duration, by time: any SigningClock) async throws(CredentialError) {
    do {
      try await time.sleep(for: pause)
    } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait was cancelled.", remedy: "Retry if the key is still needed.")
    }
  }
}
