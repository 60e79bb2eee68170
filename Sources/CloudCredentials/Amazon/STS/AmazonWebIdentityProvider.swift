internal import HTTPTypes
public import StorageAuth

/// Temporary keys of a role for the holder of an identity token: Amazon's STS, `AssumeRoleWithWebIdentity`.
///
/// Pods of Amazon's container service get their keys like that (IRSA), and so do jobs of other services that issue
/// identity tokens. The request carries no signature. Page: "AssumeRoleWithWebIdentity".
///
/// If the service could not reach the identity provider, it is asked up to three times, with a pause between. A token that
/// it calls invalid is read and sent once more, because the file that it comes from may just have been replaced.
public struct AmazonWebIdentityProvider: CredentialProvider {
  private static let action = "AssumeRoleWithWebIdentity"

  /// The pauses before the service is asked again whether it reaches the identity provider by now.
  private static let pauses = [Duration.seconds(1), .seconds(2)]

  /// The name of the source.
  public let source: String

  private let role: AmazonRole
  private let endpoint: AmazonSTSEndpoint
  private let exchange: ServiceExchange
  private let token: @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// Names the role, and where the identity token comes from.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: The most that the key may do, as JSON of at most 2048 bytes; `nil` for all that the role may.
  ///   - endpoint: Where the service is asked.
  ///   - timeout: The most time for getting the identity token and for one answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  ///   - token: Gets the identity token; called for each request, because tokens are replaced while in use.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600),
    policy: String? = nil, endpoint: AmazonSTSEndpoint = .global, timeout: Duration = .seconds(10),
    transport: any HTTPTransport, time: any SigningClock = .system,
    token: @escaping @Sendable @concurrent () async throws(CredentialError) -> Secret
  ) {
    source = "Amazon STS AssumeRoleWithWebIdentity (\(ServiceText().shown(roleARN)))"
    role = AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.endpoint = endpoint
    self.token = token
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// Assumes the role.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` for a parameter that the service does not take, and if it cannot be reached;
  ///   `rejected` if it refuses; `malformedAnswer`, `timeout`; or why there is no identity token.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the role, and hears the service's time.
  ///
  /// - Returns: A temporary key, with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    let parameters = try role.parameters(of: Self.action, check)
    let address = try endpoint.address(check)
    var pauses = Self.pauses[...]
    var isTokenReadAgain = false
    while true {
      let answer = try await exchange.send { () async throws(CredentialError) in
        let identity = try await check.identityToken(token)
        return PreparedCall(
          address.amazonCall(parameters + [FormPair("WebIdentityToken", identity.reveal())]), masks: [identity])
      }
      let refusal = answer.amazonRefusal
      if answer.isSuccess, refusal == nil {
        return try AnswerReader.amazonSTS(source).amazonRoleKey(in: answer, to: Self.action)
      }
      if refusal?.code == "IDPCommunicationError", let pause = pauses.popFirst() {
        try await wait(pause)
      } else if refusal?.code == "InvalidIdentityToken", !isTokenReadAgain {
        isTokenReadAgain = true
      } else {
        throw RefusalRules.amazon.error(
          for: answer, refusal, source: source, fallback: "See what the vendor says about this code.")
      }
    }
  }

  private func wait(_ pause: Duration) async throws(CredentialError) {
    do {
      try await exchange.time.sleep(for: pause)
    } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait was cancelled.", remedy: "Ask again if it is still needed.")
    }
  }
}
