internal import HTTPTypes
public import StorageAuth

/// Temporary keys of the role of an instance (EC2), from its metadata service.
///
/// The newer way of asking, with a token (IMDSv2), is tried first. The older one is taken where the service has no tokens
/// or does not answer the question for one, as it does not behind the network of a container. Where the service cannot be
/// reached, or the instance has no role, the error is `notConfigured`, so that a chain goes on; a service that has
/// answered before is taken to be there. The transport must not send these requests through a proxy.
/// Page: "IMDS credential provider" of the SDK reference.
public struct AmazonInstanceMetadataProvider: CredentialProvider {
  private static let rolesPath = "/latest/meta-data/iam/security-credentials/"

  /// The name of the source.
  public let source = "Amazon instance metadata"

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Sets up a provider.
  ///
  /// - Parameters:
  ///   - role: The role; `nil` to ask the service for it.
  ///   - allowsV1: Whether to ask without a token where the service has none.
  ///   - endpoint: The address of the service, such as `http://[fd00:ec2::254]`. The program at this address names the
  ///     keys, so it must not come from outside.
  ///   - timeout: The most time for each answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://169.254.169.254",
    timeout: Duration = .seconds(1), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    self.allowsV1 = allowsV1
    service = MetadataService(source: source, endpoint: endpoint, timeout: timeout, transport: transport, time: time)
  }

  /// Asks the service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `notConfigured` if there is no service or no role, `failed` or `malformedAnswer` if
  ///   the service is broken.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Asks the service, and hears its time.
  ///
  /// - Returns: A temporary key, with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let issued = try await key(try await tokenHeaders()) { return issued }
    if let issued = try await key(try await tokenHeaders()) { return issued }
    throw CredentialError(
      .failed, source: source, "The metadata service takes no token that it gave (HTTP 401).",
      remedy: "Check the settings of the instance's metadata service.", isRetryable: true)
  }

  /// The key of the role, or `nil` if the service does not take the token any more.
  private func key(_ headers: HTTPFields) async throws(CredentialError) -> IssuedCredential<AccessKey>? {
    var name = role
    if name == nil {
      guard let list = try await answer(to: Self.rolesPath, headers) else { return nil }
      name = try service.firstRole(in: list)
    }
    guard let name else { throw service.noRole }
    let path = Self.rolesPath + (try service.pathElement(ofRole: name))
    guard let answer = try await answer(to: path, headers) else { return nil }
    guard answer.status != 404 else { throw service.unknownRole(name) }
    let fields = try service.fields(of: answer)
    return try service.reader.amazonKey(in: fields, token: "Token", at: answer.issuerTime)
  }

  private func answer(to path: String, _ headers: HTTPFields) async throws(CredentialError) -> ServiceAnswer? {
    let answer = try await service.send(.get, path, headers: headers)
    if answer.status == 401 { return nil }
    guard answer.isSuccess || answer.status == 404 else { throw service.refusal(answer) }
    return answer
  }

  /// The header of each request in the newer way of asking; none where only the older one works.
  private func tokenHeaders() async throws(CredentialError) -> HTTPFields {
    let answer: ServiceAnswer
    do {
      answer = try await service.attempt(.put, "/latest/api/token", headers: [.metadataTokenLifetime: "21600"])
    } catch {
      guard error.code == .timeout, allowsV1 else { throw service.explained(error) }
      return [:]
    }
    if answer.isSuccess {
      let token = String(decoding: answer.body, as: UTF8.self).trimmingBlanks()
      guard !token.isEmpty, token.utf8.count <= 4096, token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw service.reader.malformed("The metadata service answered with no token.") }
      return [.metadataToken: token]
    }
    guard [403, 404, 405].contains(answer.status) else { throw service.refusal(answer) }
    guard allowsV1 else {
      throw CredentialError(
        .failed, source: source,
        "The metadata service gives no token (HTTP \(answer.status)), and asking without one is not allowed.",
        remedy: "Switch the instance to the newer metadata service, or allow the older one.")
    }
    return [:]
  }
}

extension HTTPField.Name {
  fileprivate static let metadataToken = known("x-aws-ec2-metadata-token")
  fileprivate static let metadataTokenLifetime = known("x-aws-ec2-metadata-token-ttl-seconds")
}
