internal import HTTPTypes
public import StorageAuth

/// Temporary keys of a role that another key may assume: Tencent Cloud's STS, `AssumeRole`, signed with TC3-HMAC-SHA256.
///
/// If the service refuses the time of the signature, its own is taken from the answer, and the call is signed again,
/// once; later calls use that time from the start.
public struct TencentAssumeRoleProvider: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let roleARN: String
  private let sessionName: String
  private let policy: String?
  private let externalID: String?
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let service: SignedExchange

  /// Names the role, and where the key comes from that assumes it.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `qcs::cam::uin/<account>:roleName/<name>`.
  ///   - sessionName: Who acts, for the vendor's logs: 2 to 128 letters, digits and `=,.@_-`.
  ///   - credentials: Where the key comes from that assumes the role.
  ///   - duration: The lifetime: whole seconds up to 43200, and no more than the role allows.
  ///   - policy: What the key may do at most, as JSON; nothing for all that the role may.
  ///   - externalID: What the role demands of who assumes it.
  ///   - region: The region that the call names; the answer is the same from each.
  ///   - endpoint: Where the service is asked.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(7200), policy: String? = nil, externalID: String? = nil,
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard, timeout: Duration = .seconds(10),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    source = "Tencent STS AssumeRole (\(ServiceText().shown(roleARN)))"
    self.roleARN = roleARN
    self.sessionName = sessionName
    self.policy = policy
    self.externalID = externalID
    self.duration = duration
    self.region = region
    self.endpoint = endpoint
    service = SignedExchange(
      exchange: ServiceExchange(source: source, transport: transport, time: time, timeout: timeout),
      credentials: credentials,
      rules: .tencent)
  }

  /// Asks the service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` for a parameter that the service does not take, and if it cannot be reached;
  ///   `rejected` if it refuses; `malformedAnswer`, `timeout`; or why there is no key to ask with.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Asks the service, and hears its time.
  ///
  /// - Returns: A temporary key, with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    try check.tencentRole(roleARN, sessionName: sessionName)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      roleARN: roleARN, sessionName: sessionName, policy: TencentSTSParameters.encoded(policy: policy),
      externalID: externalID, seconds: try check.seconds(duration, in: 1...43_200))
    let call = try TencentSTSCall("AssumeRole", region: region, endpoint: endpoint, check).call(parameters)
    let answer = try await service.answer(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal
    ) { call }
    return try AnswerReader.tencentSTS(source).tencentRoleKey(in: answer)
  }
}
