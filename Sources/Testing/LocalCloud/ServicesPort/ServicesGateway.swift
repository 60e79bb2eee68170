// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

/// The request handler of the port that the token services, the app server and the instance metadata service share.
struct ServicesGateway: Sendable {
  private let context: CloudContext
  private let appServer: AppServer
  private let metadata: Metadata
  private let tokenServices: [any TokenServiceHandler]

  init(_ services: LocalCloud.Services, _ context: CloudContext) {
    self.context = context
    let issuer = Issuer(services, context)
    appServer = AppServer(issuer: issuer, token: services.appToken)
    metadata = Metadata(issuer: issuer, requiresToken: services.requiresMetadataToken)
    tokenServices = Self.tokenServices(issuer, services)
  }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.open(Self.endpoint(of: request.head), record)
    let date = context.now
    let requestID = BlobID.random().description.asciiUppercased
    let status = try await exchange.begin()
    if status == nil, request.headers[.expect]?.asciiLowercased == "100-continue" {
      try await writer.writeInformationalHead(HTTPResponse(status: .continue))
    }
    let refusal = Self.refusal(of: request.head)
    let body = status == nil && refusal == nil ? try await InboundCall.body(of: request) : []
    let call = InboundCall(request.head, body: body ?? [], requestID: requestID, at: date)
    let handler = handler(for: call)
    let response = try await context.answer(
      exchange, status, by: handler.endpoint, at: date, failureCode: "InternalError",
      refusal: { handler.response(for: $0, to: call) }
    ) {
      if let refusal { throw refusal }
      guard body != nil else { throw ErrorResponse(.contentTooLarge, "InvalidParameter", "The body is too long.") }
      return try handler.response(to: call)
    }
    try await exchange.send(response, to: request.method, with: writer)
  }

  /// Returns the endpoint that a request is addressed to, based on the request's path.
  private static func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint {
    let path = InboundCall.path(of: request)
    if clouds.contains(where: { $0.appServerPath == path }) { return .appServer }
    return Metadata.isPath(path) ? .metadata : .sts
  }

  /// Returns the error for a target that cannot be read, or a `Host` header that does not name this machine.
  ///
  /// The check of the host applies only to the services without authentication, and protects them from DNS rebinding
  /// attacks by web pages.
  private static func refusal(of request: HTTPRequest) -> ErrorResponse? {
    if request.path?.utf8.first != UInt8(ascii: "/") { return .unreadableTarget }
    if endpoint(of: request) == .sts { return nil }
    // If the request has a second Host header, it is only found among the header fields.
    if LoopbackHost.isNamed(by: request.authority), request.headerFields.first("host") == nil { return nil }
    return ErrorResponse(
      .forbidden, "Forbidden", "The Host header does not name this machine. Use localhost or 127.0.0.1 in the URL.")
  }

  private func handler(for call: InboundCall) -> any ServiceHandler {
    if let callbacks = context.callbacks, call.path == CallbackSender.keyPath {
      return CallbackKeyHandler(sender: callbacks)
    }
    return switch Self.endpoint(of: call.request) {
    case .appServer: appServer
    case .metadata: metadata
    default: tokenServices.dropLast().first { $0.isAsked(by: call) } ?? tokenServices[tokenServices.count - 1]
    }
  }
}

/// The simulated app server, which issues temporary credentials in the formats that the vendors' SDKs parse.
struct AppServer: ServiceHandler {
  let endpoint = LocalCloud.Endpoint.appServer
  let issuer: Issuer
  let token: Secret?

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .get || call.request.method == .post else {
      throw .methodNotAllowed(call.request.method.rawValue)
    }
    try checkCaller(call)
    guard let cloud = cloud(of: call), let role = issuer.firstRole(of: cloud.provider),
      let lifetime = issuer.lifetime(nil, default: min(1800, role.maximumDuration.components.seconds), in: 1...43_200)
    else { throw ErrorResponse(.notFound, "EntityNotExist.Role", "The app server has no role for this service.") }
    let order = TokenTable.Order(provider: cloud.provider, role: role, session: "app", lifetime: lifetime)
    let key = issuer.issue(order, by: endpoint, at: call.date)
    return Answer(cloud.appServerDocument(key, requestID: call.requestID))
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    guard let cloud = cloud(of: call) else { return Answer(error.status) }
    return Answer(cloud.appServerDocument(for: error), error.status)
  }

  private func cloud(of call: InboundCall) -> (any KeyDocuments)? {
    ServicesGateway.clouds.first { $0.appServerPath == call.path }
  }

  /// Throws if an app token is configured and the request does not contain it.
  private func checkCaller(_ call: InboundCall) throws(ErrorResponse) {
    guard let token else { return }
    if call.request.headerFields[.authorization] == nil { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
    let given = (cloud(of: call)?.authorizationPrefixes ?? []).compactMap { prefix in
      call.authorization?.removingBytePrefix(prefix).map { Secret(String($0)) }
    }
    guard given.contains(token) else {
      throw ErrorResponse(.unauthorized, "Unauthorized", "The app token is wrong; send it as a bearer token.")
    }
  }
}

/// A service on the port that the token services, the app server and the instance metadata service share.
protocol ServiceHandler: Sendable {
  /// The endpoint whose statistics count the calls to the service.
  var endpoint: LocalCloud.Endpoint { get }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer

  /// Returns the HTTP response for an error, in the service's format.
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer
}

protocol TokenServiceHandler: ServiceHandler {
  func isAsked(by call: InboundCall) -> Bool
}

/// The access key ID and session token that a call to a token service contains.
struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?

  init(_ accessKeyID: AccessKeyID, token: String?) {
    self.accessKeyID = accessKeyID
    sessionToken = token.map { Secret($0) }
  }
}

/// The simulated instance metadata service, which returns only credentials, with and without tokens (IMDSv2, IMDSv1).
struct Metadata: ServiceHandler {
  private static let tokenPath = "/latest/api/token"
  private static let longestTokenLife: Int64 = 21_600

  let endpoint = LocalCloud.Endpoint.metadata
  let issuer: Issuer
  let requiresToken: Bool
  private let tokens = ExpiringSet(capacity: 10_000)

  /// Returns whether a path belongs to the service, even if the service has no document with the path.
  static func isPath(_ path: String) -> Bool { path.hasBytePrefix("/latest/") || path.hasBytePrefix("/meta-data/") }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    if call.path == Self.tokenPath { return try token(for: call) }
    guard call.request.method == .get else { throw .methodNotAllowed(call.request.method.rawValue) }
    for cloud in ServicesGateway.clouds {
      for path in cloud.metadataPaths {
        guard let name = Self.rest(of: call.path, after: path) else { continue }
        if let token = cloud.metadataToken { try checkToken(token, of: call) }
        return try credentials(of: cloud, named: name, for: call)
      }
    }
    throw Self.notFound
  }

  /// Returns a plain-text error response, like the response of a web server without error documents.
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    Self.text("\(error.status.code) - \(error.status.reasonPhrase)\n", error.status)
  }

  private static let notFound = ErrorResponse(.notFound, "NotFound", "The item does not exist.")

  private static func rest(of path: String, after prefix: String) -> String? {
    if path.isIdentical(to: prefix.dropLast()) { return "" }
    return path.removingBytePrefix(prefix).map(String.init)
  }

  private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
    Answer(status, headers: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
  }

  // MARK: IMDSv2

  private func token(for call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .put else { throw .methodNotAllowed(call.request.method.rawValue) }
    let headers = ServicesGateway.clouds.compactMap { $0.metadataToken.flatMap { call.header($0.lifeHeader) } }
    guard headers.count == 1, let seconds = Int64(digits: headers[0]),
      (1...Self.longestTokenLife).contains(seconds)
    else { throw ErrorResponse(.badRequest, "BadRequest", "The lifetime of the token must be 1 to 21,600 seconds.") }
    let token = RandomText.letters(56)
    _ = tokens.insert(token, until: call.date.advanced(by: .seconds(seconds)), at: call.date)
    return Self.text(token)
  }

  /// Checks the metadata token in a request, which must be valid even if the server doesn't require one.
  private func checkToken(_ token: MetadataToken, of call: InboundCall) throws(ErrorResponse) {
    let given = HTTPField.Name(token.header).map { call.request.headerFields[values: $0] } ?? []
    if given.isEmpty {
      guard requiresToken else { return }
      issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    } else if given.count == 1, tokens.contains(given[0], at: call.date) {
      return
    }
    throw ErrorResponse(token.refusal, token.refusal.reasonPhrase, "The metadata token is missing, invalid or expired.")
  }

  // MARK: Credentials

  private func credentials(
    of cloud: any KeyDocuments, named name: String, for call: InboundCall
  ) throws(ErrorResponse) -> Answer {
    guard let role = issuer.firstRole(of: cloud.provider) else { throw Self.notFound }
    if name.isEmpty { return Self.text(role.name) }
    guard name == role.name,
      let lifetime = issuer.lifetime(nil, default: min(21_600, role.maximumDuration.components.seconds), in: 1...43_200)
    else { throw Self.notFound }
    let order = TokenTable.Order(provider: cloud.provider, role: role, session: "instance", lifetime: lifetime)
    let key = issuer.issue(order, by: endpoint, at: call.date)
    return Answer(cloud.metadataDocument(key))
  }
}

/// The formats in which a vendor's app server and instance metadata service return temporary credentials.
protocol KeyDocuments: Sendable {
  var provider: LocalCloud.Provider { get }

  var appServerPath: String { get }

  /// The accepted prefixes of the app token in the `Authorization` header of requests to the app server.
  var authorizationPrefixes: [String] { get }

  func appServerDocument(_ key: RevealedKey, requestID: String) -> JSONValue

  func appServerDocument(for error: ErrorResponse) -> JSONValue

  /// The paths of the vendor's instance metadata with credentials, without the role name that follows.
  var metadataPaths: [String] { get }

  /// The headers for metadata tokens (IMDSv2), or `nil` if the vendor's metadata service has no tokens.
  var metadataToken: MetadataToken? { get }

  func metadataDocument(_ key: RevealedKey) -> JSONValue
}

extension KeyDocuments {
  var authorizationPrefixes: [String] { ["Bearer "] }
}

/// The headers that a vendor's instance metadata service uses for metadata tokens (IMDSv2).
struct MetadataToken: Sendable {
  /// The name of the header that requests the lifetime of a new token, in seconds.
  let lifeHeader: String

  let header: String

  /// The status of the response to a request with a missing, invalid or expired token.
  var refusal = HTTPResponse.Status.forbidden
}
