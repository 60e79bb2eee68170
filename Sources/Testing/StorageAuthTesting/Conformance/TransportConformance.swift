// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
public import StorageAuth

/// A conformance suite for transports, which checks an implementation against each ``TransportRule``.
///
/// The suite runs servers on 127.0.0.1 that record what they receive byte for byte, and that answer slowly, partially or
/// not at all. The transport is all that it needs:
///
/// ```swift
/// try await TransportConformance.check { MyTransport() }
/// ```
///
/// A report lists all rules. The rule about idle connections needs a transport with a short limit:
///
/// ```swift
/// let report = await TransportConformance(idleLimit: .seconds(1), impatient: { MyTransport(idle: .seconds(1)) }) {
///   MyTransport()
/// }.report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct TransportConformance<Subject: HTTPTransport>: Sendable {
  /// The number of concurrent requests.
  public let concurrency: Int

  /// The time limit for each call, measured with the machine's clock.
  public let patience: Duration

  /// The limit for idle connections of the transports that `impatient` creates.
  public let idleLimit: Duration

  let makeTransport: @Sendable () -> Subject
  let makeImpatient: (@Sendable () -> Subject)?

  /// Creates a suite for a transport.
  ///
  /// - Parameters:
  ///   - concurrency: The number of concurrent requests, all of which the transport must have in flight at once.
  ///   - patience: The time limit for each call, measured with the machine's clock. A call that takes longer breaks its
  ///     rule, and the suite stops waiting for it.
  ///   - idleLimit: The limit for idle connections of the transports that `impatient` creates.
  ///   - impatient: A closure that creates a transport with `idleLimit`, or `nil` to skip the rule about idle
  ///     connections.
  ///   - makeTransport: A closure that creates a transport; it is called for each rule.
  public init(
    concurrency: Int = 64, patience: Duration = .seconds(20), idleLimit: Duration = .seconds(1),
    impatient: (@Sendable () -> Subject)? = nil, _ makeTransport: @escaping @Sendable () -> Subject
  ) {
    self.concurrency = concurrency
    self.patience = patience
    self.idleLimit = idleLimit
    self.makeTransport = makeTransport
    makeImpatient = impatient
  }

  /// Checks a transport against all rules.
  ///
  /// - Parameter makeTransport: A closure that creates a transport; it is called for each rule.
  /// - Throws: A ``ConformanceFailure`` with the report if the transport breaks a rule.
  public static func check(_ makeTransport: @escaping @Sendable () -> Subject) async throws(ConformanceFailure) {
    try await TransportConformance(makeTransport).report().throwIfFailed()
  }

  /// Checks the transport against the given rules.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: A report with one check for each rule.
  public func report(_ rules: [TransportRule] = TransportRule.allCases) async -> ConformanceReport {
    var checks: [ConformanceReport.Check] = []
    for rule in rules {
      let result: Result<Int, any Error>
      do {
        result = .success(try await check(rule, makeTransport()))
      } catch {
        result = .failure(error)
      }
      checks.append(ConformanceReport.Check(rule.rawValue) { try result.get() })
    }
    return ConformanceReport(subject: "\(Subject.self)", checks: checks)
  }

  private func check(_ rule: TransportRule, _ transport: Subject) async throws -> Int {
    switch rule {
    case .path: try await checkPath(transport)
    case .unusualPath: try await checkUnusualPath(transport)
    case .headers: try await checkHeaders(transport)
    case .unusualHeaders: try await checkUnusualHeaders(transport)
    case .addedHeaders: try await checkAddedHeaders(transport)
    case .contentLength: try await checkContentLength(transport)
    case .lazyUpload: try await checkLazyUpload(transport)
    case .repeatedBody: try await checkRepeatedBody(transport)
    case .shortBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000))
    case .longBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 30_000))
    case .failingBody:
      try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000, error: BodyFailure()))
    case .earlyResponse: try await checkEarlyResponse(transport)
    case .lazyDownload: try await checkLazyDownload(transport)
    case .redirects: try await checkRedirects(transport)
    case .contentEncoding: try await checkContentEncoding(transport)
    case .framing: try await checkFraming(transport)
    case .trailer: try await checkTrailer(transport)
    case .cookies: try await checkCookies(transport)
    case .cache: try await checkCache(transport)
    case .challenge: try await checkChallenge(transport)
    case .head: try await checkHead(transport)
    case .bodilessStatus: try await checkBodilessStatus(transport)
    case .informational: try await checkInformational(transport)
    case .truncation: try await checkTruncation(transport)
    case .truncatedHead: try await checkTruncatedHead(transport)
    case .refusal: try await checkRefusal(transport)
    case .loss: try await checkLoss(transport)
    case .malformed: try await checkMalformed(transport)
    case .recovery: try await checkRecovery(transport)
    case .repetition: try await checkRepetition(transport)
    case .idleLimit: try await checkIdleLimit()
    case .cancellation: try await checkCancellation(transport)
    case .concurrency: try await checkConcurrency(transport)
    case .release: try await checkRelease(transport)
    case .secrecy: try await checkSecrecy(transport)
    }
  }
}

/// A moment at which a request is cancelled.
private enum Phase: String, CaseIterable {
  case beforeSending = "before sending"
  case duringUpload = "during the upload"
  case awaitingHead = "while waiting for the response"
  case readingBody = "while reading the body"
}

extension TransportConformance {
  func checkCancellation(_ transport: Subject) async throws -> Int {
    for phase in Phase.allCases {
      let (reached, ended) = (Recording<Bool>(), Recording<Bool>())
      let server = try server { connection in
        _ = try connection.readHead()
        if phase == .readingBody {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        } else {
          reached.add(true)
        }
        ended.add(connection.waitForEnd())
      }
      let body = phase == .duringUpload ? TestBody(length: 1 << 40).body : .none
      let call = Task { [request = request(phase == .duringUpload ? .put : .get, to: server, body: body)] in
        while phase == .beforeSending, !Task.isCancelled { await Task.yield() }
        do {
          for try await _ in try await transport.send(request, body: body).body { reached.add(true) }
          return nil as (any Error)?
        } catch {
          return error
        }
      }
      if phase != .beforeSending {
        let isReached = await reached.wait(for: 1, within: patience)
        try require(isReached, "a request to be cancelled \(phase.rawValue) did not arrive")
      }
      call.cancel()
      guard let error = await answered(within: patience, { await call.value }) else {
        throw Violation("a request cancelled \(phase.rawValue) did not end within \(patience)")
      }
      guard let error = error as? TransportError else {
        throw Violation("a request cancelled \(phase.rawValue) did not throw a TransportError")
      }
      try requireCode(.cancelled, error, "a request cancelled \(phase.rawValue)")
      guard phase != .beforeSending else { continue }
      let hasEnded = await ended.wait(for: 1, within: patience)
      try require(hasEnded && ended.values == [true], "cancelling \(phase.rawValue) did not close the connection")
    }
    return Phase.allCases.count
  }

  func checkConcurrency(_ transport: Subject) async throws -> Int {
    let arrived = Recording<Bool>()
    let gate = DispatchSemaphore(value: 0)
    let (concurrency, patience) = (concurrency, patience)
    let server = try server { connection in
      while true {
        let request = try connection.readHead()
        let count = try connection.readBody(request.contentLength)
        arrived.add(true)
        guard gate.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success else { return }
        let text = "\(request.path) \(count)"
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    let calls = (0..<concurrency).map { index in
      Task {
        let body = TestBody(length: index * 100).body
        let method: HTTPRequest.Method = index.isMultiple(of: 2) ? .get : .put
        let request = request(method, "/\(index)", to: server, body: method == .put ? body : .none)
        return try await response(transport, request, body: method == .put ? body : .none).text
      }
    }
    let areInFlight = await arrived.wait(for: concurrency, within: patience)
    for _ in calls { gate.signal() }
    for (index, call) in calls.enumerated() {
      let text = try await call.value
      let expected = "/\(index) \(index.isMultiple(of: 2) ? 0 : index * 100)"
      try require(text == expected, "request \(index) received the response to another one")
    }
    try require(areInFlight, "\(arrived.values.count) of \(concurrency) requests were in flight at the same time")
    return concurrency
  }

  func checkRelease(_ transport: Subject) async throws -> Int {
    for isPartlyRead in [false, true] {
      let ended = Recording<Bool>()
      let server = try server { connection in
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf")
        ended.add(connection.waitForEnd())
      }
      try await open(transport, request(to: server), isPartlyRead: isPartlyRead)
      let hasEnded = await ended.wait(for: 1, within: patience)
      try require(hasEnded && ended.values == [true], "the connection of a released response was not closed")
    }
    return 2
  }

  /// Opens a response, and releases it on return.
  private func open(_ transport: Subject, _ request: HTTPRequest, isPartlyRead: Bool) async throws {
    let response = try await answer(transport, request).get()
    if isPartlyRead {
      for try await _ in response.body { break }
    }
  }
}

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

extension TransportConformance {
  private static var ok: String { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }

  func checkPath(_ transport: Subject) async throws -> Int {
    let paths = [
      "/", "/photos", "/photos/cat.jpg", "/photos/", "/photos//cat.jpg", "//photos", "/a%20b", "/a%2Fb", "/a%2fb",
      "/%E7%8C%AB", "/a%252Fb", "/a+b", "/a~b-c_d.e", "/a!$&'()*+,;=:@b", "/...", "/.a", "/a..b", "/photos?acl",
      "/photos?uploadId=1&partNumber=2", "/photos?a=b=c&d", "/photos?a=%2F%2B+%25", "/photos?prefix=a%2F%2F..%2F",
      "/photos?list-type=2&prefix=&delimiter=%2F", "/photos?x-acme-signature=ab%2Fcd%3D", "/photos?", "/photos?a=/../b",
      "/photos?a=b?c", "/photos?&&", "/photos?=", "/photos?a=b&a=b",
    ]
    return try await send(paths, transport) { path, error in
      throw Violation("\(path) was rejected with the code \(error.code)")
    }
  }

  func checkUnusualPath(_ transport: Subject) async throws -> Int {
    let parts = [
      ".", "..", "%2e", "%2E%2e", ".%2e", "...", ";", "a;b", "%", "%z", "%2", "%00", "%0d%0a", "%25%", " ", "a b", "\t",
      "\\", "|", "^", "`", "{a}", "<a>", "\"", "[a]", "#", "a#b", "é", "e\u{301}", "猫", "\u{7f}", "\u{0}", "\r\nx: y",
      "\n", "@", ":", "::", "a:80", "*", "%C3%A9", "%c3%a9", "%ff", "'",
    ]
    let paths = parts.flatMap { part in
      [
        "/\(part)", "/\(part)/", "/a/\(part)/b", "/a/\(part)?b", "/a\(part)", "/a?\(part)", "/a?b=\(part)&c",
        "/a?b/\(part)/",
      ]
    }
    let unusual = ["", "*", "a", "?a", "/" + String(repeating: "a", count: 50_000)]
    return try await send(paths + unusual, transport) { path, error in
      try require(error.code == .invalidRequest, "\(path) was rejected with the code \(error.code)")
    }
  }

  /// Sends requests with the given paths, which must arrive unchanged unless the transport rejects them.
  private func send(
    _ paths: [String], _ transport: Subject, rejected: (String, TransportError) throws -> Void
  ) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { _ in Self.ok }
    var sent = 0
    for path in paths {
      let request = request(.get, path, to: server)
      // HTTPRequest removes and replaces what no header field may contain.
      let path = request.path ?? ""
      switch try await answer(transport, request) {
      case .failure(let error): try rejected(String(path.prefix(80)), error)
      case .success(let response):
        _ = try await complete(response)
        sent += 1
        guard let line = recording.values.last?.line, recording.values.count == sent else {
          throw Violation("\(path.prefix(80)) was sent \(recording.values.count - sent + 1) times")
        }
        try require(
          line.utf8.elementsEqual("GET \(path) HTTP/1.1".utf8), "\(path.prefix(80)) arrived as \(line.prefix(80))")
      }
    }
    return paths.count
  }

  func checkHeaders(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { _ in Self.ok }
    let fields = [
      ("Authorization", "ACME4-HMAC-SHA256 Credential=id/20261120/north-1/store/acme4_request,Signature=0a1b"),
      ("Date", "Fri, 20 Nov 2026 10:00:00 GMT"), ("Content-Type", "text/plain; charset=utf-8"),
      ("Content-MD5", "XrY7u+Ae7tCTyyK7j1rNww=="), ("Content-Disposition", "attachment; filename=\"a, b.txt\""),
      ("Content-Encoding", "gzip"), ("x-acme-date", "20261120T100000Z"), ("x-acme-security-token", "token/+=="),
      ("x-acme-meta-name", "a  b,c;d=e"), ("X-Acme-Content-SHA256", "UNSIGNED-PAYLOAD"), ("Range", "bytes=0-99"),
      ("If-None-Match", "*"), ("User-Agent", "conformance/1.0"), ("Cache-Control", "max-age=60"),
      ("Accept", "text/xml"),
      ("Accept-Encoding", "identity"), ("x-acme-long", String(repeating: "a", count: 4_000)),
    ]
    for method in [HTTPRequest.Method.get, .put, .delete] {
      let body = method == .put ? HTTPBody.bytes([1, 2, 3]) : .none
      var request = request(method, to: server, body: body)
      for (name, value) in fields { request.headerFields[try field(name)] = value }
      _ = try await response(transport, request, body: body)
      guard let received = recording.values.last else { throw Violation("no request arrived") }
      for (name, value) in fields {
        let values = received.values(name.lowercased())
        try require(values == [value], "\(name) of \(method) arrived \(values.count) times, or with another value")
      }
      let hosts = received.values("host")
      try require(hosts == [request.authority], "the header Host of \(method) is \(hosts)")
    }
    return fields.count * 3
  }

  func checkUnusualHeaders(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { _ in Self.ok }
    let values = [
      [""], ["a", "b"], ["a", "a"], ["猫"], ["é"], ["a\tb"], ["a,b", "c"], ["\"a\\\"\""], [":"], ["a;"],
      [String(repeating: "a", count: 8_000)],
    ]
    for values in values {
      var request = request(to: server)
      let name = try field("x-acme-meta-name")
      for value in values { request.headerFields.append(HTTPField(name: name, value: value)) }
      let before = recording.values.count
      switch try await answer(transport, request) {
      case .failure(let error):
        try require(error.code == .invalidRequest, "\(values) was rejected with the code \(error.code)")
        try require(recording.values.count == before, "\(values) was sent and rejected")
      case .success(let response):
        _ = try await complete(response)
        let received = recording.values.last?.values("x-acme-meta-name") ?? []
        try require(received == values, "\(values) arrived as \(received)")
      }
    }
    return values.count
  }

  func checkAddedHeaders(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { request in
      request.method == "HEAD" ? "HTTP/1.1 200 OK\r\n\r\n" : Self.ok
    }
    let harmless: [String: Set<String>?] = [
      "accept": ["*/*"], "accept-encoding": ["identity"], "accept-language": nil, "cache-control": ["no-cache"],
      "connection": ["keep-alive", "close"], "host": nil, "pragma": ["no-cache"], "priority": nil, "user-agent": nil,
    ]
    let requests: [(HTTPRequest.Method, HTTPBody)] = [
      (.get, .none), (.head, .none), (.delete, .none), (.put, .none), (.post, .none), (.put, .bytes([1])),
      (.post, .bytes([1])), (.put, TestBody(length: 2_000_000).body), (.post, TestBody(length: 2_000_000).body),
    ]
    for (method, body) in requests {
      var request = request(method, to: server, body: body)
      request.headerFields[.contentType] = nil
      if case .failure(let error) = try await exchange(transport, request, body: body) {
        guard let error = error as? TransportError, error.code == .invalidRequest else {
          throw Violation("\(method) without Content-Type failed")
        }
        continue
      }
      for (name, value) in recording.values.last?.fields ?? [] {
        let name = name.lowercased()
        if name == "content-length", value == "\(body.length)" { continue }
        let isHarmless = harmless[name].map { $0?.contains(value.lowercased()) ?? true } ?? false
        try require(isHarmless, "\(method) has the additional header \(name)")
      }
    }
    return requests.count
  }

  private func field(_ name: String) throws(Violation) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { throw Violation("\(name) is not a name") }
    return name
  }
}
