// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
internal import StorageAuth

extension TransportConformance {
  func checkRedirects(_ transport: Subject) async throws -> Int {
    let statuses = [301, 302, 303, 307, 308]
    let locations = ["Location: /elsewhere\r\n", "Location: http://127.0.0.1:1/elsewhere\r\n"]
    let (server, recording) = try recordingServer { request in
      let parts = request.path.words(between: "/").compactMap { Int(digits: $0) }
      guard parts.count == 2 else { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
      return "HTTP/1.1 \(parts[0]) Moved\r\n\(locations[parts[1]])Content-Length: 5\r\n\r\nmoved"
    }
    for status in statuses {
      for (method, index) in [(HTTPRequest.Method.get, 0), (.put, 1), (.post, 0)] {
        let response = try await response(transport, request(method, "/\(status)/\(index)", to: server))
        try require(response.status == status, "a redirect \(status) was answered with \(response.status)")
        try require(response.text == "moved", "the body of a redirect \(status) is lost")
      }
    }
    try require(recording.values.count == statuses.count * 3, "a redirect was followed")
    return statuses.count * 3
  }

  func checkContentEncoding(_ transport: Subject) async throws -> Int {
    // "hello" in gzip, which is sent with each of the encodings.
    let hello: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let encodings = ["gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "aws-chunked", "identity"]
    let server = try server { connection in
      while true {
        let encoding = try connection.readHead().path.dropFirst()
        try connection.send(
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(hello.count)\r\n\r\n")
        try connection.send(hello)
      }
    }
    return try await encodings.tryEach { encoding in
      switch try await exchange(transport, request(.get, "/\(encoding)", to: server)) {
      case .success(let response):
        try require(response.body == hello, "a body with the encoding \(encoding) was changed")
      case .failure(let error):
        guard encoding != "identity", let error = error as? TransportError, !error.isRetryable else {
          throw Violation("a body with the encoding \(encoding) failed")
        }
      }
    }
  }

  func checkFraming(_ transport: Subject) async throws -> Int {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let responses = [
      chunked + "5\r\nfirst\r\nA\r\n and\r\nthen\r\n0\r\n\r\n", chunked + "f;a=b\r\nfirst and\r\nthen\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\nfirst and\r\nthen",
    ]
    let server = try server { connection in
      while true {
        let index = Int(try connection.readHead().path.dropFirst()) ?? 0
        for byte in responses[index].utf8 { try connection.send([byte]) }
        if !responses[index].hasPrefix(chunked) { return }
      }
    }
    return try await responses.indices.tryEach { index in
      let response = try await response(transport, request(.get, "/\(index)", to: server))
      try require(response.text == "first and\r\nthen", "the body of response \(index + 1) is \(response.text)")
    }
  }

  func checkTrailer(_ transport: Subject) async throws -> Int {
    let server = try recordingServer { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nETag: \"1\"\r\nExpires: 0\r\n\r\n"
    }.server
    return try await (0..<2).tryEach { _ in
      let response = try await response(transport, request(to: server))
      try require(response.text == "ok", "the body is \(response.text)")
    }
  }

  func checkCookies(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in
      "HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/; Max-Age=3600\r\nContent-Length: 0\r\n\r\n"
    }
    for _ in 0..<3 { _ = try await response(transport, request(to: server)) }
    let cookies = recording.values.flatMap { $0.values("cookie") }
    try require(cookies.isEmpty, "a cookie was sent with a later request")
    return 3
  }

  func checkCache(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in
      "HTTP/1.1 200 OK\r\nCache-Control: public, max-age=3600\r\nETag: \"1\"\r\nContent-Length: 2\r\n\r\nok"
    }
    for _ in 0..<3 { _ = try await response(transport, request(to: server)) }
    try require(recording.values.count == 3, "3 requests were sent \(recording.values.count) times")
    let conditions = recording.values.flatMap { $0.values("if-none-match") }
    try require(conditions.isEmpty, "a later request has a condition")
    return 3
  }

  func checkChallenge(_ transport: Subject) async throws -> Int {
    let digest = "Digest realm=\"node\", nonce=\"1\", qop=\"auth\""
    let challenges = ["Basic realm=\"node\"", digest, "Bearer", "Negotiate"]
    let (server, recording) = try recordingServer { request in
      let challenge = challenges[Int(request.path.dropFirst()) ?? 0]
      return "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 6\r\n\r\ndenied"
    }
    for index in challenges.indices {
      for method in [HTTPRequest.Method.get, .put] {
        var request = request(method, "/\(index)", to: server)
        request.head.headerFields[.authorization] = "Basic aWQ6c2VjcmV0"
        let response = try await response(transport, request)
        try require(response.status == 401 && response.text == "denied", "\(challenges[index]): the response is lost")
      }
    }
    try require(recording.values.count == challenges.count * 2, "a request with a challenge was repeated")
    return challenges.count * 2
  }

  func checkHead(_ transport: Subject) async throws -> Int {
    let server = try recordingServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"1\"\r\n\r\n" }.server
    return try await (0..<3).tryEach { _ in
      let response = try await response(transport, request(.head, to: server))
      let length = response.head.headerFields[.contentLength]
      try require(length == "1000000", "the response has the Content-Length \(length ?? "nil")")
      try require(response.head.headerFields[.eTag] == "\"1\"", "the response lacks its ETag")
      try require(response.body.isEmpty, "the body has \(response.body.count) bytes")
    }
  }

  func checkBodilessStatus(_ transport: Subject) async throws -> Int {
    let heads = [
      "204 No Content\r\n", "304 Not Modified\r\nETag: \"1\"\r\n", "304 Not Modified\r\nContent-Length: 5\r\n",
      "304 Not Modified\r\nContent-Encoding: gzip\r\n", "200 OK\r\nContent-Length: 0\r\n",
    ]
    let server = try recordingServer { request in "HTTP/1.1 \(heads[Int(request.path.dropFirst()) ?? 0])\r\n" }.server
    for (index, head) in heads.enumerated() {
      let response = try await response(transport, request(.get, "/\(index)", to: server))
      try require(head.hasPrefix("\(response.status)"), "\(head.prefix(3)) was returned as \(response.status)")
      try require(response.body.isEmpty, "the body of \(head.prefix(3)) has \(response.body.count) bytes")
    }
    return heads.count
  }

  func checkInformational(_ transport: Subject) async throws -> Int {
    let server = try recordingServer { _ in
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    }.server
    return try await [HTTPBody.none, .bytes([1, 2, 3]), TestBody(length: 100_000).body].tryEach { body in
      let method: HTTPRequest.Method = body.length > 0 ? .put : .get
      let response = try await response(transport, request(method, to: server, body: body))
      try require(response.status == 200 && response.text == "ok", "the status is \(response.status)")
      let link = HTTPField.Name("Link").flatMap { response.head.headerFields[$0] }
      try require(link == nil, "the final response has a field of an informational one")
    }
  }
}

/// A phase of a request in which its task is cancelled.
private enum RequestPhase: String, CaseIterable {
  case beforeSending = "before sending"
  case duringUpload = "during the upload"
  case awaitingHead = "while waiting for the response"
  case readingBody = "while reading the body"
}

extension TransportConformance {
  func checkCancellation(_ transport: Subject) async throws -> Int {
    for phase in RequestPhase.allCases { try await checkCancellation(transport, in: phase) }
    return RequestPhase.allCases.count
  }

  private func checkCancellation(_ transport: Subject, in phase: RequestPhase) async throws {
    let reached = Recording<Bool>()
    let ended = Recording<Bool>()
    let server = try server { connection in
      _ = try connection.readHead()
      if phase == .readingBody {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      } else {
        reached.add(true)
      }
      ended.add(connection.waitForEnd())
    }
    // The body is too large to be sent before the cancellation.
    let body = phase == .duringUpload ? TestBody(length: 1 << 40).body : .none
    let call = Task { [request = request(phase == .duringUpload ? .put : .get, to: server, body: body)] in
      while phase == .beforeSending, !Task.isCancelled { await Task.yield() }
      for try await _ in try await transport.send(request.head, body: body).body { reached.add(true) }
    }
    if phase != .beforeSending {
      let isReached = await reached.wait(for: 1, within: patience)
      try require(isReached, "a request to be cancelled \(phase.rawValue) did not arrive")
    }
    call.cancel()
    guard let result = await answered(within: patience, { await call.result }) else {
      throw Violation("a request cancelled \(phase.rawValue) did not end within \(patience)")
    }
    guard case .failure(let error as TransportError) = result else {
      throw Violation("a request cancelled \(phase.rawValue) did not throw a TransportError")
    }
    try requireCode(.cancelled, of: error, in: "a request cancelled \(phase.rawValue)")
    guard phase != .beforeSending else { return }
    let hasEnded = await ended.wait(for: 1, within: patience)
    try require(hasEnded && ended.values == [true], "cancelling \(phase.rawValue) did not close the connection")
  }

  func checkConcurrency(_ transport: Subject) async throws -> Int {
    let arrived = Recording<Bool>()
    let gate = DispatchSemaphore(value: 0)
    let (concurrency, patience) = (concurrency, patience)
    let server = try server { connection in
      while true {
        let request = try connection.readRequest()
        arrived.add(true)
        guard gate.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success else { return }
        let text = "\(request.path) \(request.body.count)"
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    // Every second request is an upload, whose size tells it from the others.
    func bodySize(_ index: Int) -> Int { index.isMultiple(of: 2) ? 0 : index * 100 }
    let calls = (0..<concurrency).map { index in
      Task {
        let size = bodySize(index)
        let body = size == 0 ? HTTPBody.none : TestBody(length: size).body
        let request = request(size == 0 ? .get : .put, "/\(index)", to: server, body: body)
        return try await response(transport, request).text
      }
    }
    let areInFlight = await arrived.wait(for: concurrency, within: patience)
    for _ in calls { gate.signal() }
    for (index, call) in calls.enumerated() {
      let text = try await call.value
      try require(text == "/\(index) \(bodySize(index))", "request \(index) received the response to another one")
    }
    try require(areInFlight, "\(arrived.values.count) of \(concurrency) requests were in flight at the same time")
    return concurrency
  }

  func checkRelease(_ transport: Subject) async throws -> Int {
    try await [false, true].tryEach { isPartlyRead in
      let ended = Recording<Bool>()
      let server = try server { connection in
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf")
        ended.add(connection.waitForEnd())
      }
      try await openAndRelease(transport, request(to: server), isPartlyRead: isPartlyRead)
      let hasEnded = await ended.wait(for: 1, within: patience)
      try require(hasEnded && ended.values == [true], "the connection of a released response was not closed")
    }
  }

  /// Receives a response, whose last reference ends with this call.
  private func openAndRelease(_ transport: Subject, _ request: TestRequest, isPartlyRead: Bool) async throws {
    let response = try await outcome(transport, request).get()
    if isPartlyRead { for try await _ in response.body { break } }
  }
}

/// The response of a server that fails, which is incomplete or invalid.
enum BrokenResponse: CaseIterable, Sendable {
  case nothing, reset, partialHead, partialBody, partialChunk, resetBody, garbage, lowStatus, negativeLength

  /// All responses except for the one that ends the process with Foundation on Linux, which has a rule of its own.
  static let common = allCases.filter { $0 != .partialHead }

  func send(on connection: LoopbackConnection) throws(LoopbackError) {
    switch self {
    case .nothing: break
    case .reset: connection.resetOnClose()
    case .partialHead: try connection.send("HTTP/1.1 200 OK\r\nContent-Le")
    case .partialBody: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    case .partialChunk: try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf")
    case .resetBody:
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      connection.resetOnClose()
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
        let request = try connection.readRequest()
        recording.add(request)
        let path = String(request.path.bytes(before: "?"))
        if let response = BrokenResponse.allCases.first(where: { path.isIdentical(to: "/\($0)") }) {
          return try response.send(on: connection)
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  /// Checks that broken responses are errors, with a code if one is given.
  func checkErrors(
    _ transport: Subject, of responses: [BrokenResponse], _ code: TransportError.Code? = nil
  ) async throws -> Int {
    let server = try brokenServer()
    return try await responses.tryEach { response in
      let error = try await failure(transport, request(.get, "/\(response)", to: server), of: "\(response)")
      if let code { try requireCode(code, of: error, in: "\(response)") }
    }
  }

  func checkRefusal(_ transport: Subject) async throws -> Int {
    let server = try brokenServer()
    server.stop()
    let error = try await failure(transport, request(to: server), of: "a refused connection")
    try requireCode(.connectionFailed, of: error, in: "a refused connection")
    return 1
  }

  func checkRecovery(_ transport: Subject) async throws -> Int {
    let server = try brokenServer()
    return try await BrokenResponse.common.tryEach { broken in
      _ = try await exchange(transport, request(.get, "/\(broken)", to: server))
      for body in [HTTPBody.none, .bytes([1, 2, 3])] {
        let method: HTTPRequest.Method = body.length > 0 ? .put : .get
        let response = try await response(transport, request(method, to: server, body: body))
        try require(response.text == "ok", "the response after \(broken) is not the server's")
      }
    }
  }

  func checkRepetition(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try brokenServer(recordingIn: recording)
    let bodies = [HTTPBody.none, .bytes([1, 2, 3]), TestBody(length: 50_000).body]
    for (method, body) in bodies.flatMap({ [(HTTPRequest.Method.post, $0), (.put, $0)] }) {
      _ = try await response(transport, request(to: server))
      let previousCount = recording.values.count
      let request = request(method, "/\(BrokenResponse.nothing)", to: server, body: body)
      let error = try await failure(transport, request, of: "a lost \(method)")
      try requireCode(.connectionLost, of: error, in: "a lost \(method)")
      let count = recording.values.count - previousCount
      try require(count == 1, "a lost \(method) was sent \(count) times")
    }
    return bodies.count * 2
  }

  func checkIdleLimit() async throws -> Int {
    guard let makeTransportWithIdleLimit else { throw NotTried(reason: "no transport with a short limit is given") }
    let transport = makeTransportWithIdleLimit()
    let server = try server { connection in
      if try connection.readHead().path == "/body" {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      }
      _ = connection.waitForEnd()
    }
    return try await ["head", "body"].tryEach { part in
      let label = "waiting for the \(part)"
      let start = ContinuousClock.now
      let error = try await failure(transport, request(.get, "/\(part)", to: server), of: label)
      try requireCode(.timeout, of: error, in: label)
      let duration = ContinuousClock.now - start
      // Clocks and timers may differ a little.
      try require(duration > idleLimit * 0.9, "\(label) ended after \(duration)")
    }
  }

  func checkSecrecy(_ transport: Subject) async throws -> Int {
    let secrets = ["secret0canary", "token0canary", "body0canary"]
    let server = try brokenServer()
    let closedServer = try brokenServer()
    closedServer.stop()
    let body = HTTPBody.bytes(Array("body0canary".utf8))
    let failingBody = TestBody(length: 20_000, produced: 10_000, error: BodyFailure()).body
    var requests = [
      request(.put, "/a?token=token0canary", to: closedServer, body: body),
      request(.put, "/../a b?token=token0canary", to: server, body: body),
      request(.put, "/a?token=token0canary", to: server, body: failingBody),
    ]
    requests += BrokenResponse.common.map { broken in
      request(.put, "/\(broken)?token=token0canary", to: server, body: body)
    }
    var errorCount = 0
    for var request in requests {
      request.head.headerFields[.authorization] = "secret0canary"
      guard case .failure(let error) = try await exchange(transport, request) else { continue }
      try secrets.requireAbsent(fromDisplaysOf: error, "the error of \(request.head.path?.prefix { $0 != "?" } ?? "")")
      errorCount += 1
    }
    return errorCount
  }
}
