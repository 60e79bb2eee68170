internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The server of an app, which hands out temporary keys in the shapes that the vendors' SDKs read.
struct AppServer: ServiceDesk {
  static let ossPath = "/oss/distribute-token.json"
  static let cosPath = "/cos/credentials"

  let endpoint = LocalCloud.Endpoint.appServer
  private let issuer: Issuer
  private let token: Secret?

  init(_ issuer: Issuer, token: Secret?) {
    self.issuer = issuer
    self.token = token
  }

  func answer(to call: InboundCall) throws(ServiceError) -> Answer {
    guard call.request.method == .get || call.request.method == .post else {
      throw .methodNotAllowed(call.request.method.rawValue)
    }
    try checkCaller(call)
    let provider = provider(of: call)
    guard let role = issuer.firstRole(of: provider),
      let lifetime = issuer.lifetime(nil, default: min(1800, role.maximumDuration.components.seconds), in: 1...43_200)
    else {
      throw ServiceError(.notFound, "EntityNotExist.Role", "The app server has no role of this cloud.")
    }
    let key = issuer.issue(
      for: provider, role: role, session: "app", lasting: lifetime, by: endpoint, at: call.date)
    return Answer(provider == .oss ? ossToken(key) : cosToken(key, call.requestID))
  }

  func answer(for error: ServiceError, to call: InboundCall) -> Answer {
    let status = JSONValue.number(JSONNumber(error.status.code))
    let document: JSONValue =
      switch provider(of: call) {
      case .oss: ["StatusCode": status, "ErrorCode": .text(error.code), "ErrorMessage": .text(error.message)]
      case .cos: ["code": status, "codeDesc": .text(error.code), "message": .text(error.message)]
      }
    return Answer(document, error.status)
  }

  private func ossToken(_ key: IssuedKey) -> JSONValue {
    [
      "StatusCode": 200, "AccessKeyId": .text(key.id), "AccessKeySecret": .text(key.secret),
      "SecurityToken": .text(key.token), "Expiration": .text(key.end.iso8601),
    ]
  }

  private func cosToken(_ key: IssuedKey, _ requestID: String) -> JSONValue {
    [
      "credentials": [
        "tmpSecretId": .text(key.id), "tmpSecretKey": .text(key.secret), "sessionToken": .text(key.token),
      ],
      "startTime": .number(JSONNumber(key.start.unixSeconds)), "expiredTime": .number(JSONNumber(key.end.unixSeconds)),
      "expiration": .text(key.end.iso8601), "requestId": .text(requestID),
    ]
  }

  private func provider(of call: InboundCall) -> LocalCloud.Provider { call.path == Self.ossPath ? .oss : .cos }

  /// Whether the app is logged in.
  private func checkCaller(_ call: InboundCall) throws(ServiceError) {
    guard let token else { return }
    if call.request.headerFields[.authorization] == nil { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
    guard let given = call.authorization, given.hasBytePrefix("Bearer "), Secret(String(given.dropFirst(7))) == token
    else {
      throw ServiceError(.unauthorized, "Unauthorized", "The app is not logged in: send its bearer token.")
    }
  }
}
