// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The failure of a server that does not send a complete response.
enum BrokenResponse: CaseIterable, Sendable {
  case nothing, reset, partialHead, partialBody, partialChunk, resetBody, garbage, lowStatus, negativeLength

  /// All responses except for the one with a rule of its own.
  static let common = allCases.filter { $0 != .partialHead }

  func send(on connection: LoopbackConnection) throws(LoopbackError) {
    switch self {
    case .nothing: break
    case .reset: connection.reset()
    case .partialHead: try connection.send("HTTP/1.1 200 OK\r\nContent-Le")
    case .partialBody: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    case .partialChunk: try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf")
    case .resetBody:
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      connection.reset()
    case .garbage: try connection.send("garbage\r\n\r\n")
    case .lowStatus: try connection.send("HTTP/1.1 42 Low\r\nContent-Length: 0\r\n\r\n")
    case .negativeLength: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc")
    }
  }
}

extension TransportConformance {
  /// Starts a server that sends broken responses, and valid ones to other paths.
  private func brokenServer(recordingIn recording: Recording<WireRequest> = Recording()) throws -> LoopbackServer {
    try server { connection in
      while true {
        let request = try connection.readHead()
        try connection.readBody(request.contentLength)
        recording.add(request)
        if let response = BrokenResponse.allCases.first(where: { request.path.hasBytePrefix("/\($0)") }) {
          return try response.send(on: connection)
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  private func check(
    _ responses: [BrokenResponse], _ code: TransportError.Code?, _ transport: Subject
  ) async throws -> Int {
    let server = try brokenServer()
    for response in responses {
      let error = try await failure(transport, request(.get, "/\(response)", to: server), "\(response)")
      if let code { try requireCode(code, error, "\(response)") }
    }
    return responses.count
  }

  func checkTruncation(_ transport: Subject) async throws -> Int {
    try await check([.partialBody, .partialChunk, .resetBody], .connectionLost, transport)
  }

  func checkTruncatedHead(_ transport: Subject) async throws -> Int {
    try await check([.partialHead], .connectionLost, transport)
  }

  func checkLoss(_ transport: Subject) async throws -> Int {
    try await check([.nothing, .reset], .connectionLost, transport)
  }

  func checkMalformed(_ transport: Subject) async throws -> Int {
    try await check([.garbage, .lowStatus, .negativeLength], nil, transport)
  }

  func checkRefusal(_ transport: Subject) async throws -> Int {
    let server = try brokenServer()
    server.stop()
    let error = try await failure(transport, request(to: server), "a refused connection")
    try requireCode(.connectionFailed, error, "a refused connection")
    return 1
  }

  func checkRecovery(_ transport: Subject) async throws -> Int {
    let server = try brokenServer()
    for broken in BrokenResponse.common {
      _ = try await exchange(transport, request(.get, "/\(broken)", to: server))
      for body in [HTTPBody.none, .bytes([1, 2, 3])] {
        let method: HTTPRequest.Method = body.length > 0 ? .put : .get
        let response = try await response(transport, request(method, to: server, body: body), body: body)
        try require(response.text == "ok", "the response after \(broken) is not the server's")
      }
    }
    return BrokenResponse.common.count
  }

  func checkRepetition(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try brokenServer(recordingIn: recording)
    let bodies = [HTTPBody.none, .bytes([1, 2, 3]), TestBody(length: 50_000).body]
    for (method, body) in bodies.flatMap({ [(HTTPRequest.Method.post, $0), (.put, $0)] }) {
      _ = try await response(transport, request(to: server))
      let before = recording.values.count
      let request = request(method, "/\(BrokenResponse.nothing)", to: server, body: body)
      let error = try await failure(transport, request, body: body, "a lost \(method)")
      try requireCode(.connectionLost, error, "a lost \(method)")
      let count = recording.values.count - before
      try require(count == 1, "a lost \(method) was sent \(count) times")
    }
    return bodies.count * 2
  }

  func checkIdleLimit() async throws -> Int {
    guard let makeImpatient else { throw NotTried(reason: "no transport with a short limit is given") }
    let transport = makeImpatient()
    let server = try server { connection in
      if try connection.readHead().path == "/body" {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      }
      _ = connection.waitForEnd()
    }
    for path in ["/head", "/body"] {
      let start = ContinuousClock.now
      let error = try await failure(transport, request(.get, path, to: server), "waiting for the \(path.dropFirst())")
      try requireCode(.timeout, error, "waiting for the \(path.dropFirst())")
      let duration = ContinuousClock.now - start
      try require(duration > idleLimit * 0.9, "waiting for the \(path.dropFirst()) ended after \(duration)")
    }
    return 2
  }

  func checkSecrecy(_ transport: Subject) async throws -> Int {
    let secrets = ["secret0canary", "token0canary", "body0canary"]
    let server = try brokenServer()
    let closed = try brokenServer()
    closed.stop()
    let body = HTTPBody.bytes(Array("body0canary".utf8))
    var requests: [(HTTPRequest, HTTPBody)] = [
      (request(.put, "/a?token=token0canary", to: closed, body: body), body),
      (request(.put, "/../a b?token=token0canary", to: server, body: body), body),
    ]
    let failing = TestBody(length: 20_000, produced: 10_000, error: BodyFailure()).body
    requests.append((request(.put, "/a?token=token0canary", to: server, body: failing), failing))
    for broken in BrokenResponse.common {
      requests.append((request(.put, "/\(broken)?token=token0canary", to: server, body: body), body))
    }
    for (request, body) in requests {
      var request = request
      request.headerFields[.authorization] = "secret0canary"
      if case .failure(let error) = try await exchange(transport, request, body: body) {
        try secrets.requireAbsent(fromDisplaysOf: error, "the error of \(request.path?.prefix { $0 != "?" } ?? "")")
      }
    }
    return requests.count
  }
}
