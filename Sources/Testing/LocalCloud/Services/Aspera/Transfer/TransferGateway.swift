// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import StorageAuth
internal import StorageAuthServer

/// The request handler of the port of the transfer server.
struct TransferGateway: Sendable {
  private static let bodyByteLimit = 8 * 1024 * 1024
  let server: TransferServer
  private var context: CloudContext { server.aspera.cloud }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.beginExchange(at: TransferServer.endpoint, record)
    var response: Answer
    if let status = try await exchange.injectFaultsBeforeOperation() {
      response = Answer(HTTPResponse.Status(code: status))
    } else {
      do {
        response = try await self.response(to: request, at: context.now)
      } catch {
        response = recordRefusal(error, of: session(of: request), at: context.now, record)
      }
      if let status = try await exchange.injectFaultsAfterOperation(&response) {
        response = Answer(HTTPResponse.Status(code: status))
      }
    }
    response.headers[.server] = "localcloud"
    try await exchange.send(response, to: request.method, with: writer, from: server.aspera.files.store.blobs)
  }

  /// Returns the parts of a path after `/connections`: the ID of a connection, and what the call is about.
  private static func parts(ofPath request: HTTPRequest) throws(TransferRefusal) -> (id: String?, subject: [String]) {
    let names = InboundCall.path(of: request).words(between: "/").map(String.init)
    guard names.first == "connections" else { throw .protocolError }
    return (names.dropFirst().first, Array(names.dropFirst(2)))
  }

  private func response(to request: Request, at date: Timestamp) async throws -> Answer {
    let (id, subject) = try Self.parts(ofPath: request.head)
    guard let id else { return try server.openConnection() }
    guard let resource = subject.first, let connection = server.connections[id] else {
      throw TransferRefusal.protocolError
    }
    connection.session?.record.noteClientRequest(at: date)
    if connection.session?.record.progress.status == .canceled { throw TransferRefusal.canceled }
    // The bytes of a file are not in JSON.
    if resource == "files", subject.count == 2, let number = Int(digits: subject[1]) {
      return try await transferPiece(of: number, request, on: connection, at: date)
    }
    guard let body = try await request.body.bytes(upTo: Self.bodyByteLimit),
      let document = try? JSONValue(parsing: body)
    else { throw TransferRefusal.protocolError }
    return try await response(to: document, about: resource, on: connection, id, at: date)
  }

  private func response(
    to document: JSONValue, about resource: String, on connection: TransferConnection, _ id: String, at date: Timestamp
  ) async throws -> Answer {
    switch resource {
    case "login": try server.logIn(document, on: connection)
    case "session": return try server.beginSession(document, on: connection, at: date)
    case "sources": return try server.openSource(document, on: connection)
    case "kinds": return try server.describeEntry(document, on: connection)
    case "folders": try await server.createFolder(document, on: connection, at: date)
    case "links": return try await server.createLink(document, on: connection, at: date)
    case "listings": return try server.listFolder(document, on: connection)
    case "removals": try await server.removeEntry(document, on: connection)
    case "moves": try await server.moveFile(document, on: connection, at: date)
    case "files": return try await server.openUpload(document, on: connection, at: date)
    case "end": try server.endSession(on: connection, withID: id, at: date)
    case "abort": server.abortSession(document, on: connection, withID: id, at: date)
    case "presence": break
    default: throw TransferRefusal.protocolError
    }
    return Answer([:])
  }

  /// Receives or sends bytes of an open file, from the offset in a parameter on.
  private func transferPiece(
    of number: Int, _ request: Request, on connection: TransferConnection, at date: Timestamp
  ) async throws -> Answer {
    let call = InboundCall(request.head, body: [], requestID: "", at: date)
    func parameter(_ name: String) throws -> Int64 {
      guard let value = call[name].flatMap({ Int64(digits: $0) }) else { throw TransferRefusal.protocolError }
      return value
    }
    let offset = try parameter("offset")
    guard request.method == .put else {
      return try server.readFile(number, from: offset, byteCount: try parameter("count"), on: connection)
    }
    try await server.writeFile(number, from: offset, request, on: connection, at: date)
    return Answer([:])
  }

  private func session(of request: Request) -> TransferConnection.Session? {
    (try? Self.parts(ofPath: request.head))?.id.flatMap { server.connections[$0] }?.session
  }

  /// Ends the session of a failed call, counts the refusal and records it, and returns the response with it.
  private func recordRefusal(
    _ error: any Error, of session: TransferConnection.Session?, at date: Timestamp, _ record: RequestRecord?
  ) -> Answer {
    let refusal =
      switch error {
      case let error as TransferRefusal: error
      case let problem as FileProblem: TransferRefusal(problem.relative(to: session?.permissions?.base ?? .root))
      default: TransferRefusal(.diskWrite, "The transfer server failed: \(ErrorResponse.kind(of: error))")
      }
    if let record = session?.record, record.progress.status == .running {
      server.aspera.activity.recordEnd(of: record, as: .failed, because: refusal, at: date)
    }
    if !refusal.isInjected { context.counters.countRefusal(String(refusal.code), by: TransferServer.endpoint) }
    record?.noteRefusal(String(refusal.code), refusal.text)
    return Answer(refusal.document, .forbidden)
  }
}
