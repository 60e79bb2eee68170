internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The metadata of an instance, as far as they are keys: of Alibaba Cloud with and without a token that is got before
/// (IMDSv2 and IMDSv1), and of Tencent Cloud.
struct Metadata: ServiceDesk {
  private static let tokenPath = "/latest/api/token"
  private static let alibabaPath = "/latest/meta-data/ram/security-credentials/"
  private static let tencentPaths = [
    "/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/",
  ]
  private static let longestTokenLife: Int64 = 21_600

  let endpoint = LocalCloud.Endpoint.metadata
  private let issuer: Issuer
  private let requiresToken: Bool
  private let tokens = ExpiringSet(capacity: 10_000)

  init(_ issuer: Issuer, requiresToken: Bool) {
    self.issuer = issuer
    self.requiresToken = requiresToken
  }

  /// Whether a path is one of metadata, also of some that are not there.
  static func isPath(_ path: String) -> Bool { path.hasBytePrefix("/latest/") || path.hasBytePrefix("/meta-data/") }

  func answer(to call: InboundCall) throws(ServiceError) -> Answer {
    if call.path == Self.tokenPath { return try token(for: call) }
    guard call.request.method == .get else { throw .methodNotAllowed(call.request.method.rawValue) }
    if let name = Self.rest(of: call.path, after: Self.alibabaPath) {
      try checkToken(of: call)
      return try credentials(of: .oss, named: name, for: call)
    }
    for path in Self.tencentPaths {
      if let name = Self.rest(of: call.path, after: path) { return try credentials(of: .cos, named: name, for: call) }
    }
    throw Self.notFound
  }

  /// Plain text, as of a web server without any document for it.
  func answer(for error: ServiceError, to call: InboundCall) -> Answer {
    Self.text("\(error.status.code) - \(error.status.reasonPhrase)\n", error.status)
  }

  private static let notFound = ServiceError(.notFound, "NotFound", "There is no such item.")

  private static func rest(of path: String, after prefix: String) -> String? {
    if path.isIdentical(to: prefix.dropLast()) { return "" }
    return path.removingBytePrefix(prefix).map(String.init)
  }

  private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
    Answer(status, headers: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
  }

  // MARK: IMDSv2

  private func token(for call: InboundCall) throws(ServiceError) -> Answer {
    guard call.request.method == .put else { throw .methodNotAllowed(call.request.method.rawValue) }
    guard let text = call.header("x-aliyun-ecs-metadata-token-ttl-seconds"), let seconds = Int64(text),
      (1...Self.longestTokenLife).contains(seconds)
    else {
      throw ServiceError(.badRequest, "BadRequest", "The life of the token has to be 1 to 21,600 seconds.")
    }
    let token = KeyMint.text(56)
    _ = tokens.insert(token, until: call.date.advanced(by: .seconds(seconds)), at: call.date)
    return Self.text(token)
  }

  /// A token that is sent has to be a living one, also where none is needed.
  private func checkToken(of call: InboundCall) throws(ServiceError) {
    let given = call.request.headerFields[values: .known("x-aliyun-ecs-metadata-token")]
    if given.isEmpty {
      guard requiresToken else { return }
      issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    } else if given.count == 1, tokens.contains(given[0], at: call.date) {
      return
    }
    throw ServiceError(.forbidden, "Forbidden", "A metadata token is needed, or the one that was sent has ended.")
  }

  // MARK: Keys

  private func credentials(
    of provider: LocalCloud.Provider, named name: String, for call: InboundCall
  ) throws(ServiceError) -> Answer {
    guard let role = issuer.firstRole(of: provider) else { throw Self.notFound }
    if name.isEmpty { return Self.text(role.name) }
    guard name == role.name,
      let lifetime = issuer.lifetime(nil, default: min(21_600, role.maximumDuration.components.seconds), in: 1...43_200)
    else { throw Self.notFound }
    let key = issuer.issue(
      for: provider, role: role, session: "instance", lasting: lifetime, by: endpoint, at: call.date)
    return Answer(provider == .oss ? alibabaDocument(key) : tencentDocument(key))
  }

  private func alibabaDocument(_ key: IssuedKey) -> JSONValue {
    [
      "AccessKeyId": .text(key.id), "AccessKeySecret": .text(key.secret), "SecurityToken": .text(key.token),
      "Expiration": .text(key.end.iso8601), "LastUpdated": .text(key.start.iso8601), "Code": "Success",
    ]
  }

  private func tencentDocument(_ key: IssuedKey) -> JSONValue {
    [
      "TmpSecretId": .text(key.id), "TmpSecretKey": .text(key.secret), "Token": .text(key.token),
      "ExpiredTime": .number(JSONNumber(key.end.unixSeconds)), "Expiration": .text(key.end.iso8601), "Code": "Success",
    ]
  }
}
