internal import HTTPTypes
public import StorageAuth

/// Temporary keys of the role of an instance (ECS), from its metadata service.
///
/// The newer way of asking, with a token, is tried first. Where the service cannot be reached, or the instance has no
/// role, the error is `notConfigured`, so that a chain goes on; a service that has answered before is taken to be there.
/// The transport must not send these requests through a proxy.
public struct AlibabaInstanceMetadataProvider: CredentialProvider {
  /// The name of the source.
  public let source = "Alibaba instance metadata"

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Sets up a provider.
  ///
  /// - Parameters:
  ///   - role: The role; nothing to ask the service for it.
  ///   - allowsV1: Whether to ask without a token where the service has none.
  ///   - endpoint: Where the service is. It can be set in code alone: whoever can set it gets to name the keys.
  ///   - timeout: The most time for each answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://100.100.100.200",
    timeout: Duration = .seconds(1), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    self.allowsV1 = allowsV1
    service = MetadataService(
      source: source, endpoint: endpoint, timeout: timeout, transport: transport, time: time)
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
    let headers = try await tokenHeaders()
    let path = "/latest/meta-data/ram/security-credentials/"
    var name = role
    if name == nil { name = try service.firstRole(in: try await service.get(path, headers: headers)) }
    guard let name else { throw service.noRole }
    let answer = try await service.get(path + (try service.pathElement(ofRole: name)), headers: headers)
    guard answer.status != 404 else { throw service.unknownRole(name) }
    let fields = try service.fields(of: answer)
    return try service.reader.alibabaKey(in: fields, at: answer.issuerTime)
  }

  /// What each request carries in the newer way of asking; nothing where the service knows only the older one.
  private func tokenHeaders() async throws(CredentialError) -> HTTPFields {
    let answer = try await service.send(.put, "/latest/api/token", headers: [.metadataTokenLifetime: "21600"])
    if answer.isSuccess {
      let token = String(decoding: answer.body, as: UTF8.self).trimmingBlanks()
      guard !token.isEmpty, token.utf8.count <= 4096, token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw service.reader.malformed("The metadata service answered with no token.") }
      return [.metadataToken: token]
    }
    guard [400, 403, 404, 405, 501].contains(answer.status) else { throw service.refusal(answer) }
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
  fileprivate static let metadataToken = known("X-aliyun-ecs-metadata-token")
  fileprivate static let metadataTokenLifetime = known("X-aliyun-ecs-metadata-token-ttl-seconds")
}
