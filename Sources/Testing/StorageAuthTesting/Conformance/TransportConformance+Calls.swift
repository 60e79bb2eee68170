// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A complete response.
struct CompleteResponse: Sendable {
  let head: HTTPResponse
  let body: [UInt8]

  var status: Int { head.status.code }

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A record of a server, for which a check can wait.
final class Recording<Value: Sendable>: Sendable {
  private let recorded = Lock<[Value]>([])
  private let tally = Tally()

  var values: [Value] { recorded.withLock { $0 } }

  func add(_ value: Value) {
    recorded.withLock { $0.append(value) }
    tally.add(1)
  }

  /// Waits until a number of values has been recorded.
  ///
  /// - Returns: Whether there were enough values in time.
  func wait(for count: Int, within patience: Duration) async -> Bool {
    await answered(within: patience) { [tally] in await tally.reached(count) } != nil && values.count >= count
  }
}

extension TransportConformance {
  typealias Answer = Result<HTTPStreamingResponse, TransportError>

  /// Starts a server that runs a function for each connection.
  func server(
    _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
  ) throws(LoopbackError) -> LoopbackServer {
    try LoopbackServer(patience: patience, serve)
  }

  /// Starts a server that records requests, reads their bodies, and sends a response to each of them.
  func server(
    recordingIn recording: Recording<WireRequest> = Recording(),
    _ answer: @escaping @Sendable (WireRequest) -> String
  ) throws(LoopbackError) -> LoopbackServer {
    try server { connection in
      while true {
        let request = try connection.readHead()
        try connection.readBody(request.contentLength)
        recording.add(request)
        try connection.send(answer(request))
      }
    }
  }

  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/photos/cat.jpg", to server: LoopbackServer,
    body: HTTPBody = .none
  ) -> HTTPRequest {
    var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path)
    if body.length > 0 || method == .put { request.headerFields[.contentLength] = "\(body.length)" }
    if body.length > 0 { request.headerFields[.contentType] = "application/octet-stream" }
    return request
  }

  /// Sends a request and returns the response's head with an unread body.
  func answer(
    _ transport: Subject, _ request: HTTPRequest, body: HTTPBody = .none
  ) async throws(Violation) -> Answer {
    let answer = await answered(within: patience) { () async -> Answer in
      do throws(TransportError) { return .success(try await transport.send(request, body: body)) } catch {
        return .failure(error)
      }
    }
    guard let answer else { throw Violation("send(_:body:) did not return within \(patience)") }
    return answer
  }

  /// Reads the whole body of a response.
  func complete(_ response: HTTPStreamingResponse) async throws(Violation) -> Result<CompleteResponse, any Error> {
    let complete = await answered(within: patience) { () async -> Result<CompleteResponse, any Error> in
      do {
        var body: [UInt8] = []
        for try await chunk in response.body { body += chunk }
        return .success(CompleteResponse(head: response.response, body: body))
      } catch {
        return .failure(error)
      }
    }
    guard let complete else { throw Violation("the body did not end within \(patience)") }
    return complete
  }

  /// Sends a request and reads the whole response.
  func exchange(
    _ transport: Subject, _ request: HTTPRequest, body: HTTPBody = .none
  ) async throws(Violation) -> Result<CompleteResponse, any Error> {
    switch try await answer(transport, request, body: body) {
    case .success(let response): try await complete(response)
    case .failure(let error): .failure(error)
    }
  }

  /// Sends a request and returns the whole response, which must arrive.
  func response(
    _ transport: Subject, _ request: HTTPRequest, body: HTTPBody = .none
  ) async throws(Violation) -> CompleteResponse {
    switch try await exchange(transport, request, body: body) {
    case .success(let response): return response
    case .failure(let error as TransportError):
      throw Violation("\(request.method) failed with the code \(error.code): \(error.message)")
    case .failure(let error): throw Violation("\(request.method) threw \(type(of: error)), not a TransportError")
    }
  }

  /// Sends a request and returns the error, which must be thrown before the end of the response.
  func failure(
    _ transport: Subject, _ request: HTTPRequest, body: HTTPBody = .none, _ what: String
  ) async throws(Violation) -> TransportError {
    switch try await exchange(transport, request, body: body) {
    case .success(let response): throw Violation("\(what) gave a response with status \(response.status)")
    case .failure(let error as TransportError): return error
    case .failure(let error): throw Violation("\(what) threw \(type(of: error)), not a TransportError")
    }
  }

  func requireCode(
    _ code: TransportError.Code, _ error: TransportError, _ what: String
  ) throws(Violation) {
    try require(error.code == code, "\(what) has the code \(error.code), not \(code)")
  }
}

/// The error of a body that cannot be read.
struct BodyFailure: Error, CustomStringConvertible {
  var description: String { "body0canary" }
}

/// A streamed body with bytes that depend on their position, which counts what has been read.
struct TestBody: Sendable {
  private static let chunkSize = 16_384

  let length: Int
  let produced: Int
  let error: (any Error)?
  let count = Tally()

  init(length: Int, produced: Int? = nil, error: (any Error)? = nil) {
    self.length = length
    self.produced = produced ?? length
    self.error = error
  }

  static func byte(at position: Int) -> UInt8 { UInt8(truncatingIfNeeded: position / chunkSize) }

  var body: HTTPBody {
    let stream = ByteStream { [produced, error, count] in
      var position = 0
      return {
        guard position < produced else {
          if let error { throw error }
          return nil
        }
        let size = min(Self.chunkSize, produced - position)
        defer { position += size }
        count.add(size)
        return [UInt8](repeating: Self.byte(at: position), count: size)
      }
    }
    return .stream(stream, length: Int64(length))
  }
}
