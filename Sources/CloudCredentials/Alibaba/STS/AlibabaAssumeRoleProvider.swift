internal import HTTPTypes
public import StorageAuth

/// Temporary keys of a role that another key may assume: Alibaba Cloud's STS, `AssumeRole`, signed with ACS3-HMAC-SHA256.
///
/// If the service refuses the time of the signature, its own is taken from the answer, and the call is signed again,
/// once; later calls use that time from the start.
///
/// ```swift
/// let keys = AlibabaAssumeRoleProvider(
///   roleARN: "acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss,
///   transport: transport)
/// ```
public struct AlibabaAssumeRoleProvider: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let role: AlibabaRole
  private let externalID: String?
  private let endpoint: AlibabaSTSEndpoint
  private let service: SignedExchange

  /// Names the role, and where the key comes from that assumes it.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `acs:ram::<account>:role/<name>`.
  ///   - sessionName: Who acts, for the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - credentials: Where the key comes from that assumes the role; it cannot be that of the account itself.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, and no more than the role allows.
  ///   - policy: What the key may do at most, as JSON of at most 2048 bytes; nothing for all that the role may.
  ///   - externalID: What the role demands of who assumes it: 2 to 1224 characters.
  ///   - endpoint: Where the service is asked.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global, timeout: Duration = .seconds(10), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = "Alibaba STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = AlibabaRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.externalID = externalID
    self.endpoint = endpoint
    service = SignedExchange(
      exchange: ServiceExchange(source: source, transport: transport, time: time, timeout: timeout),
      credentials: credentials,
      rules: .alibaba)
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
    var parameters = try role.parameters(check)
    if let externalID {
      guard (2...1224).contains(externalID.utf8.count) else {
        throw check.refused(
          "The external id has \(externalID.utf8.count) characters.", "Use the one that the role demands: 2 to 1224.")
      }
      parameters.append(FormPair("ExternalId", externalID))
    }
    let address = try check.address(endpoint.url).appending("/?" + FormPair.written(parameters))
    let answer = try await service.answer(signedWith: ACS3Signer(), refusal: \.alibabaRefusal) {
      var call = address.call(.post)
      call.request.headerFields[.acsAction] = "AssumeRole"
      call.request.headerFields[.acsVersion] = AlibabaRole.version
      call.request.headerFields[.acsNonce] = ServiceNonce.make()
      return call
    }
    return try AnswerReader.alibabaSTS(source).alibabaRoleKey(in: answer)
  }
}
