// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// The HTTP request handler of the simulated Node API.
struct NodeGateway: Sendable {
  private static let bodyByteLimit = 8 * 1024 * 1024

  let api: NodeAPI
  let context: CloudContext

  /// Handles a Node API request and sends the response.
  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.open(NodeAPI.endpoint, record)
    let date = context.now
    var response: Answer
    if let status = try await exchange.begin() {
      response = api.response(for: .injected(status))
    } else {
      do {
        guard request.head.path?.utf8.first == UInt8(ascii: "/") else { throw ErrorResponse.unreadableTarget }
        guard let body = try await InboundCall.body(of: request, limit: Self.bodyByteLimit) else {
          throw ErrorResponse.node(.contentTooLarge, "The body is too long.")
        }
        let call = InboundCall(request.head, body: body, requestID: BlobID.random().description, at: date)
        response = try await api.response(to: call)
      } catch {
        let error = ErrorResponse(ofNode: error)
        context.counters.refused(error.code, by: NodeAPI.endpoint)
        record?.refused(error.code, error.message)
        response = api.response(for: error)
      }
      if let status = try await exchange.end(&response) { response = api.response(for: .injected(status)) }
    }
    response.headers[.date] = date.httpDate
    response.headers[.server] = "localcloud"
    if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"node\"" }
    let blobs = api.aspera.files.store.blobs
    try await exchange.send(response, to: request.method, with: writer) { extents, send in
      try await blobs.read(extents, send)
    }
  }
}

extension ErrorResponse {
  /// Creates the error response for an error that was thrown while a Node API request was handled.
  fileprivate init(ofNode error: any Error) {
    switch error {
    case let error as ErrorResponse: self = error
    case let problem as FileProblem: self = .node(problem)
    default: self = .node(.internalServerError, "The server failed: \(Self.kind(of: error))")
    }
  }
}
