// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
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
    appServer = AppServer(issuer, token: services.appToken)
    metadata = Metadata(issuer, requiresToken: services.requiresMetadataToken)
    tokenServices = Self.tokenServices(issuer, services)
  }

  /// Handles a request and sends the response.
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
    var response: Answer
    if let status {
      response = handler.response(for: .injected(status), to: call)
    } else {
      do throws(ErrorResponse) {
        if let refusal { throw refusal }
        guard body != nil else { throw ErrorResponse(.contentTooLarge, "InvalidParameter", "The body is too long.") }
        response = try handler.response(to: call)
      } catch {
        context.counters.refused(error.code, by: handler.endpoint)
        record?.refused(error.code, error.message)
        response = handler.response(for: error, to: call)
      }
      if let status = try await exchange.end(&response) {
        response = handler.response(for: .injected(status), to: call)
      }
    }
    response.headers[.date] = date.httpDate
    response.headers[.server] = "localcloud"
    try await exchange.send(response, to: request.method, with: writer)
  }

  /// Returns the endpoint that a request is addressed to, based on the request's path.
  private static func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint {
    let path = InboundCall.path(of: request)
    if clouds.contains(where: { $0.appServerPath == path }) { return .appServer }
    return Metadata.isPath(path) ? .metadata : .sts
  }

  /// Returns the error response for a request whose target cannot be read, or whose `Host` header does not specify this
  /// machine, or `nil` if the request is acceptable.
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
  private let issuer: Issuer
  private let clouds: [any KeyDocuments]
  private let token: Secret?

  init(_ issuer: Issuer, _ clouds: [any KeyDocuments] = ServicesGateway.clouds, token: Secret?) {
    self.issuer = issuer
    self.clouds = clouds
    self.token = token
  }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .get || call.request.method == .post else {
      throw .methodNotAllowed(call.request.method.rawValue)
    }
    try checkCaller(call)
    guard let cloud = cloud(of: call), let role = issuer.firstRole(of: cloud.provider),
      let lifetime = issuer.lifetime(nil, default: min(1800, role.maximumDuration.components.seconds), in: 1...43_200)
    else {
      throw ErrorResponse(.notFound, "EntityNotExist.Role", "The app server has no role for this service.")
    }
    let key = issuer.issue(
      for: cloud.provider, role: role, session: "app", lasting: lifetime, by: endpoint, at: call.date)
    return Answer(cloud.appServerDocument(key, requestID: call.requestID))
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    guard let cloud = cloud(of: call) else { return Answer(error.status) }
    return Answer(cloud.appServerDocument(for: error), error.status)
  }

  private func cloud(of call: InboundCall) -> (any KeyDocuments)? {
    clouds.first { $0.appServerPath == call.path }
  }

  /// Checks the app token in a request.
  ///
  /// - Throws: `Unauthorized` if an app token is configured and the request does not contain it.
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
