// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// A simulated application of Aspera with an API of its own.
protocol ApplicationHandler: Sendable {
  /// The endpoint whose statistics count the calls to the application.
  var endpoint: LocalCloud.Endpoint { get }

  /// Performs a request to the application and returns the response.
  func response(to call: InboundCall) async throws -> Answer

  /// Returns the HTTP response for an error, in the application's format.
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer
}

/// The request handler of the port that the simulated Aspera on Cloud and the simulated Faspex 5 share.
struct ApplicationsGateway: Sendable {
  private static let bodyByteLimit = 1024 * 1024

  let onCloud: CloudAPI
  let faspex: FaspexAPI
  let context: CloudContext

  /// Handles a request and sends the response.
  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let path = InboundCall.path(of: request.head)
    let handler: any ApplicationHandler = path.hasBytePrefix("\(FaspexAPI.root)/") ? faspex : onCloud
    let exchange = context.open(handler.endpoint, record)
    let date = context.now
    let requestID = BlobID.random().description
    let status = try await exchange.begin()
    let body = status == nil ? try await InboundCall.body(of: request, limit: Self.bodyByteLimit) : []
    let call = InboundCall(request.head, body: body ?? [], requestID: requestID, at: date)
    var response: Answer
    if let status {
      response = handler.response(for: .injected(status), to: call)
    } else {
      do {
        guard !path.isEmpty else { throw ErrorResponse.unreadableTarget }
        guard body != nil else { throw ErrorResponse(.contentTooLarge, "too_long", "The body is too long.") }
        response = try await handler.response(to: call)
      } catch {
        let refusal = ErrorResponse(ofApplication: error)
        context.counters.refused(refusal.code, by: handler.endpoint)
        record?.refused(refusal.code, refusal.message)
        response = handler.response(for: refusal, to: call)
      }
      if let status = try await exchange.end(&response) {
        response = handler.response(for: .injected(status), to: call)
      }
    }
    response.headers[.date] = date.httpDate
    response.headers[.server] = "localcloud"
    try await exchange.send(response, to: request.method, with: writer)
  }
}

extension ErrorResponse {
  /// Creates the error response for an error that was thrown while a request to an application was handled.
  fileprivate init(ofApplication error: any Error) {
    switch error {
    case let error as ErrorResponse: self = error
    case let problem as FileProblem: self = .node(problem)
    default: self.init(.internalServerError, "internal", "The server failed: \(Self.kind(of: error))")
    }
  }
}
