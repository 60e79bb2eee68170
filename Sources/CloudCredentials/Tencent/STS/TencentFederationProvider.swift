internal import HTTPTypes
public import StorageAuth

/// Temporary keys with some of the rights of a permanent one: Tencent Cloud's STS, `GetFederationToken`, signed with
/// TC3-HMAC-SHA256.
///
/// If the service refuses the time of the signature, its own is taken from the answer, and the call is signed again,
/// once; later calls use that time from the start.
public struct TencentFederationProvider: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let name: String
  private let policy: String
  private let duration: Duration
  private let region: String
  private let endpoint: TencentSTSEndpoint
  private let service: SignedExchange

  /// Names what the key may do, and where the permanent key comes from.
  ///
  /// - Parameters:
  ///   - name: Who acts, for the vendor's logs: 1 to 128 letters, digits and `=,.@_-`.
  ///   - policy: What the key may do, as JSON; it cannot be left out.
  ///   - credentials: Where the permanent key comes from.
  ///   - duration: The lifetime: whole seconds up to 129600, or up to 7200 for the key of the account itself.
  ///   - region: The region that the call names; the answer is the same from each.
  ///   - endpoint: Where the service is asked.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    name: String, policy: String, credentials: some CredentialProvider<AccessKey>, duration: Duration = .seconds(1800),
    region: String = "ap-guangzhou", endpoint: TencentSTSEndpoint = .standard, timeout: Duration = .seconds(10),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    source = "Tencent STS GetFederationToken (\(ServiceText().shown(name)))"
    self.name = name
    self.policy = policy
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
    try check.sessionName(name, marks: "=,.@_-", length: 1...128)
    try check.policy(policy)
    let parameters = TencentSTSParameters(
      name: name, policy: TencentSTSParameters.encoded(policy: policy),
      seconds: try check.seconds(duration, in: 1...129_600))
    let call = try TencentSTSCall("GetFederationToken", region: region, endpoint: endpoint, check).call(parameters)
    let answer = try await service.answer(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, permanent: true
    ) { call }
    return try AnswerReader.tencentSTS(source).tencentRoleKey(in: answer)
  }
}
