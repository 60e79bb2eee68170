// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

/// The HTTP request handler of the simulated transfer server.
struct TransferGateway: Sendable {
  private static let bodyByteLimit = 8 * 1024 * 1024

  let desk: TransferDesk

  private var context: CloudContext { desk.aspera.cloud }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.open(TransferDesk.endpoint, record)
    var response: Answer
    if let status = try await exchange.begin() {
      response = Answer(HTTPResponse.Status(code: status))
    } else {
      do {
        response = try await self.response(to: request, at: context.now)
      } catch {
        response = refusal(error, of: session(of: request), at: context.now, record)
      }
      if let status = try await exchange.end(&response) { response = Answer(HTTPResponse.Status(code: status)) }
    }
    response.headers[.server] = "localcloud"
    let blobs = desk.aspera.files.store.blobs
    try await exchange.send(response, to: request.method, with: writer) { extents, send in
      try await blobs.read(extents, send)
    }
  }

  private func response(to request: Request, at date: Timestamp) async throws -> Answer {
    let call = InboundCall(request.head, body: [], requestID: "", at: date)
    let names = call.path.words(between: "/").map(String.init)
    guard names.first == "connections" else { throw TransferRefusal.protocolError }
    if names.count == 1 { return try desk.connect() }
    guard names.count > 2, let connection = desk.connections[names[1]] else { throw TransferRefusal.protocolError }
    connection.session?.record.noteClient(at: date)
    if connection.session?.record.progress.status == .canceled { throw TransferRefusal.canceled }
    if names.count == 4, names[2] == "files", let number = Int(digits: names[3]) {
      let parameters = call.pairs.flatMap { CallParameters($0) }
      guard let offset = parameters?["offset"].flatMap({ Int64(digits: $0) }) else {
        throw TransferRefusal.protocolError
      }
      if request.method == .put { return try await desk.write(number, from: offset, request, connection, at: date) }
      guard let count = parameters?["count"].flatMap({ Int64(digits: $0) }) else { throw TransferRefusal.protocolError }
      return try desk.read(number, from: offset, count, connection)
    }
    guard let body = try await InboundCall.body(of: request, limit: Self.bodyByteLimit),
      let document = try? JSONValue(parsing: body)
    else { throw TransferRefusal.protocolError }
    switch names[2] {
    case "login": return try desk.login(document, connection)
    case "session": return try desk.begin(document, connection, at: date)
    case "sources": return try desk.source(document, connection)
    case "kinds": return try desk.kind(document, connection)
    case "folders": return try await desk.makeFolder(document, connection, at: date)
    case "links": return try await desk.makeLink(document, connection, at: date)
    case "listings": return try desk.list(document, connection)
    case "removals": return try await desk.remove(document, connection)
    case "moves": return try await desk.move(document, connection, at: date)
    case "files": return try await desk.open(document, connection, at: date)
    case "end": return try desk.end(names[1], connection, at: date)
    case "abort": return desk.abort(names[1], document, connection, at: date)
    case "presence": return Answer([:])
    default: throw TransferRefusal.protocolError
    }
  }

  /// Returns the session that a request belongs to, or `nil` if no session has begun on its connection.
  private func session(of request: Request) -> TransferConnection.Session? {
    let names = InboundCall.path(of: request.head).words(between: "/").map(String.init)
    return names.count > 1 ? desk.connections[names[1]]?.session : nil
  }

  private func refusal(
    _ error: any Error, of session: TransferConnection.Session?, at date: Timestamp, _ record: RequestRecord?
  ) -> Answer {
    let refusal =
      switch error {
      case let error as TransferRefusal: error
      case let problem as FileProblem: TransferRefusal(problem.relative(to: session?.claim?.base ?? .root))
      default: TransferRefusal(36, "The transfer desk failed: \(ErrorResponse.kind(of: error))")
      }
    if let record = session?.record, record.progress.status == .running {
      desk.aspera.activity.end(record, .failed, refusal, at: date)
    }
    if !refusal.isInjected { context.counters.refused(String(refusal.code), by: TransferDesk.endpoint) }
    record?.noteRefusal(String(refusal.code), refusal.text)
    return Answer(refusal.document, .forbidden)
  }
}
