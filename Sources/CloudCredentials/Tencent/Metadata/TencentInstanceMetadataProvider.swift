internal import HTTPTypes
public import StorageAuth

/// Temporary keys of the role of an instance (CVM), from its metadata service.
///
/// Where the service cannot be reached, or the instance has no role, the error is `notConfigured`, so that a chain goes
/// on; a service that has answered before is taken to be there. The transport must not send these requests through a
/// proxy.
public struct TencentInstanceMetadataProvider: CredentialProvider {
  /// The name of the source.
  public let source = "Tencent instance metadata"

  private let role: String?
  private let service: MetadataService

  /// Sets up a provider.
  ///
  /// - Parameters:
  ///   - role: The role; nothing to ask the service for it.
  ///   - endpoint: Where the service is. It can be set in code alone: whoever can set it gets to name the keys.
  ///   - timeout: The most time for each answer.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  public init(
    role: String? = nil, endpoint: String = "http://metadata.tencentyun.com", timeout: Duration = .seconds(1),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
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
    // The vendor's tools ask at either of two paths; older images know the second alone.
    for path in ["/latest/meta-data", "/meta-data"].map({ $0 + "/cam/security-credentials/" }) {
      var name = role
      if name == nil { name = try service.firstRole(in: try await service.get(path)) }
      guard let name else { continue }
      let answer = try await service.get(path + (try service.pathElement(ofRole: name)))
      guard answer.status != 404 else { continue }
      return try service.reader.tencentKey(
        in: try service.fields(of: answer), times: [try service.fields(of: answer)], at: answer.issuerTime)
    }
    if let role { throw service.unknownRole(role) }
    throw service.noRole
  }
}
