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
    var answer: Answer
    if let status = try await exchange.begin() {
      answer = api.answer(for: .injected(status))
    } else {
      do {
        guard request.head.path?.utf8.first == UInt8(ascii: "/") else { throw RefusalAnswer.unreadableTarget }
        guard let body = try await InboundCall.body(of: request, limit: Self.bodyByteLimit) else {
          throw RefusalAnswer.node(.contentTooLarge, "The body is too long.")
        }
        let call = InboundCall(request.head, body: body, requestID: BlobID.random().description, at: date)
        answer = try await api.answer(to: call)
      } catch {
        let error = RefusalAnswer(ofNode: error)
        context.counters.refused(error.code, by: NodeAPI.endpoint)
        record?.refused(error.code, error.message)
        answer = api.answer(for: error)
      }
      if let status = try await exchange.end(&answer) { answer = api.answer(for: .injected(status)) }
    }
    answer.headers[.date] = date.httpDate
    answer.headers[.server] = "localcloud"
    if answer.status == .unauthorized { answer.headers[.wwwAuthenticate] = "Basic realm=\"node\"" }
    let blobs = api.aspera.files.store.blobs
    try await exchange.send(answer, to: request.method, with: writer) { extents, send in
      try await blobs.read(extents, send)
    }
  }
}

extension RefusalAnswer {
  /// Creates the error response for an error that was thrown while a Node API request was handled.
  fileprivate init(ofNode error: any Error) {
    switch error {
    case let error as RefusalAnswer: self = error
    case let problem as FileProblem: self = .node(problem)
    default: self = .node(.internalServerError, "The server failed: \(Self.kind(of: error))")
    }
  }
}
