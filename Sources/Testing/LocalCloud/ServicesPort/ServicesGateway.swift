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
    default: tokenServices.dropLast().first { $0.handles(call) } ?? tokenServices[tokenServices.count - 1]
    }
  }
}
