internal import HTTPTypes
public import StorageAuth

/// Temporary keys of a role that another key may assume: Amazon's STS, `AssumeRole`, signed with Signature Version 4.
///
/// If the service refuses the time of the signature, its own is taken from the answer, and the call is signed again,
/// once; later calls use that time from the start. Pages: "AssumeRole" and "Create a signed AWS API request".
///
/// ```swift
/// let keys = AmazonAssumeRoleProvider(
///   roleARN: "arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws,
///   transport: transport)
/// ```
public struct AmazonAssumeRoleProvider: CredentialProvider {
  private static let action = "AssumeRole"

  /// The name of the source.
  public let source: String

  private let role: AmazonRole
  private let externalID: String?
  private let endpoint: AmazonSTSEndpoint
  private let service: SignedExchange

  /// Names the role, and where the key comes from that assumes it.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: Where the key comes from that assumes the role.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows; at most an hour if the
  ///     key that asks is that of a role.
  ///   - policy: The most that the key may do, as JSON of at most 2048 bytes; `nil` for all that the role may.
  ///   - externalID: The text that the role demands from callers of other accounts: 2 to 1224 characters.
  ///   - endpoint: Where the service is asked.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global, timeout: Duration = .seconds(10), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = "Amazon STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.externalID = externalID
    self.endpoint = endpoint
    service = SignedExchange(
      exchange: ServiceExchange(source: source, transport: transport, time: time, timeout: timeout),
      credentials: credentials,
      rules: .amazon)
  }

  /// Assumes the role.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` for a parameter that the service does not take, and if it cannot be reached;
  ///   `rejected` if it refuses; `malformedAnswer`, `timeout`; or why there is no key to ask with.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the role, and hears the service's time.
  ///
  /// - Returns: A temporary key, with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    var form = try role.parameters(of: Self.action, check)
    if let externalID {
      guard (2...1224).contains(externalID.utf8.count) else {
        throw check.refused(
          "The external id has \(externalID.utf8.count) characters.", "Use the one that the role demands: 2 to 1224.")
      }
      form.append(FormPair("ExternalId", externalID))
    }
    let call = try endpoint.address(check).amazonCall(form)
    let signer = SigV4Signer(region: endpoint.region, service: "sts")
    let answer = try await service.answer(signedWith: signer, refusal: \.amazonRefusal) { call }
    return try AnswerReader.amazonSTS(source).amazonRoleKey(in: answer, to: Self.action)
  }
}
