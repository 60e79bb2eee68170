// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
internal import StorageAuth

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
    let segments = [
      ".", "..", "%2e", "%2E%2e", ".%2e", "...", ";", "a;b", "%", "%z", "%2", "%00", "%0d%0a", "%25%", " ", "a b", "\t",
      "\\", "|", "^", "`", "{a}", "<a>", "\"", "[a]", "#", "a#b", "é", "e\u{301}", "猫", "\u{7f}", "\u{0}", "\r\nx: y",
      "\n", "@", ":", "::", "a:80", "*", "%C3%A9", "%c3%a9", "%ff", "'",
    ]
    let paths = segments.flatMap { text in
      [
        "/\(text)", "/\(text)/", "/a/\(text)/b", "/a/\(text)?b", "/a\(text)", "/a?\(text)", "/a?b=\(text)&c",
        "/a?b/\(text)/",
      ]
    }
    let wholePaths = ["", "*", "a", "?a", "/" + String(repeating: "a", count: 50_000)]
    return try await send(paths + wholePaths, transport) { path, error in
      try require(error.code == .invalidRequest, "\(path) was rejected with the code \(error.code)")
    }
  }

  /// Sends requests with the given paths, which must arrive unchanged unless the transport rejects them.
  private func send(
    _ paths: [String], _ transport: Subject, acceptRejection: (String, TransportError) throws -> Void
  ) async throws -> Int {
    let (server, recording) = try recordingServer { _ in Self.ok }
    var sentCount = 0
    return try await paths.tryEach { path in
      let request = request(.get, path, to: server)
      // HTTPRequest removes and replaces what no header field may contain.
      let sentPath = request.head.path ?? ""
      switch try await outcome(transport, request) {
      case .failure(let error): try acceptRejection(String(sentPath.prefix(80)), error)
      case .success(let response):
        _ = try await completeResponse(response)
        sentCount += 1
        guard let line = recording.values.last?.line, recording.values.count == sentCount else {
          throw Violation("\(sentPath.prefix(80)) was sent \(recording.values.count - sentCount + 1) times")
        }
        let isUnchanged = line.utf8.elementsEqual("GET \(sentPath) HTTP/1.1".utf8)
        try require(isUnchanged, "\(sentPath.prefix(80)) arrived as \(line.prefix(80))")
      }
    }
  }

  func checkHeaders(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in Self.ok }
    let fields = [
      ("Authorization", "ACME4-HMAC-SHA256 Credential=id/20261120/north-1/store/acme4_request,Signature=0a1b"),
      ("Date", "Fri, 20 Nov 2026 10:00:00 GMT"), ("Content-Type", "text/plain; charset=utf-8"),
      ("Content-MD5", "XrY7u+Ae7tCTyyK7j1rNww=="), ("Content-Disposition", "attachment; filename=\"a, b.txt\""),
      ("Content-Encoding", "gzip"), ("x-acme-date", "20261120T100000Z"), ("x-acme-security-token", "token/+=="),
      ("x-acme-meta-name", "a  b,c;d=e"), ("X-Acme-Content-SHA256", "UNSIGNED-PAYLOAD"), ("Range", "bytes=0-99"),
      ("If-None-Match", "*"), ("User-Agent", "conformance/1.0"), ("Cache-Control", "max-age=60"),
      ("Accept", "text/xml"), ("Accept-Encoding", "identity"), ("x-acme-long", String(repeating: "a", count: 4_000)),
    ]
    for method in [HTTPRequest.Method.get, .put, .delete] {
      let body = method == .put ? HTTPBody.bytes([1, 2, 3]) : .none
      var request = request(method, to: server, body: body)
      for (name, value) in fields { request.head.headerFields[try field(name)] = value }
      _ = try await response(transport, request)
      guard let received = recording.values.last else { throw Violation("no request arrived") }
      for (name, value) in fields {
        let values = received.values(name.lowercased())
        try require(values == [value], "\(name) of \(method) arrived \(values.count) times, or with another value")
      }
      let hosts = received.values("host")
      try require(hosts == [request.head.authority], "the header Host of \(method) is \(hosts)")
    }
    return fields.count * 3
  }

  func checkUnusualHeaders(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in Self.ok }
    let valueLists = [
      [""], ["a", "b"], ["a", "a"], ["猫"], ["é"], ["a\tb"], ["a,b", "c"], ["\"a\\\"\""], [":"], ["a;"],
      [String(repeating: "a", count: 8_000)],
    ]
    let name = try field("x-acme-meta-name")
    return try await valueLists.tryEach { values in
      var request = request(to: server)
      for value in values { request.head.headerFields.append(HTTPField(name: name, value: value)) }
      let previousCount = recording.values.count
      switch try await outcome(transport, request) {
      case .failure(let error):
        try require(error.code == .invalidRequest, "\(values) was rejected with the code \(error.code)")
        try require(recording.values.count == previousCount, "\(values) was sent and rejected")
      case .success(let response):
        _ = try await completeResponse(response)
        let received = recording.values.last?.values("x-acme-meta-name") ?? []
        try require(received == values, "\(values) arrived as \(received)")
      }
    }
  }

  func checkAddedHeaders(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { request in
      request.method == "HEAD" ? "HTTP/1.1 200 OK\r\n\r\n" : Self.ok
    }
    // The permitted values by header, or `nil` for any value.
    let harmlessValues: [String: Set<String>?] = [
      "accept": ["*/*"], "accept-encoding": ["identity"], "accept-language": nil, "cache-control": ["no-cache"],
      "connection": ["keep-alive", "close"], "host": nil, "pragma": ["no-cache"], "priority": nil, "user-agent": nil,
    ]
    let requests: [(HTTPRequest.Method, HTTPBody)] = [
      (.get, .none), (.head, .none), (.delete, .none), (.put, .none), (.post, .none), (.put, .bytes([1])),
      (.post, .bytes([1])), (.put, TestBody(length: 2_000_000).body), (.post, TestBody(length: 2_000_000).body),
    ]
    return try await requests.tryEach { method, body in
      var request = request(method, to: server, body: body)
      request.head.headerFields[.contentType] = nil
      if case .failure(let error) = try await exchange(transport, request) {
        guard let error = error as? TransportError, error.code == .invalidRequest else {
          throw Violation("\(method) without Content-Type failed")
        }
        return
      }
      for (name, value) in recording.values.last?.fields ?? [] {
        let name = name.lowercased()
        if name == "content-length", value == "\(body.length)" { continue }
        let isHarmless = harmlessValues[name].map { $0?.contains(value.lowercased()) ?? true } ?? false
        try require(isHarmless, "\(method) has the additional header \(name)")
      }
    }
  }

  private func field(_ name: String) throws(Violation) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { throw Violation("\(name) is not a name") }
    return name
  }
}

/// The size of a body that is larger than the buffers between a client and a server on one machine.
private let largeBodyByteCount = 48 * 1_024 * 1_024
/// The number of bytes that the buffers of both systems' sockets and of the transport may contain.
private let bufferedByteLimit = 16 * 1_024 * 1_024

extension TransportConformance {
  func checkContentLength(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
    let expected = (0..<100_000).map(TestBody.byte)
    let bodies: [(HTTPBody, [UInt8])] = [
      (.bytes([]), []), (.bytes([1, 2, 3]), [1, 2, 3]), (.bytes(expected), expected),
      (TestBody(length: 100_000).body, expected), (.stream(ByteStream(expected), length: 100_000), expected),
      (.stream(ByteStream([]), length: 0), []),
    ]
    return try await bodies.tryEach { body, bytes in
      _ = try await response(transport, request(.put, to: server, body: body))
      guard let request = recording.values.last else { throw Violation("no request arrived") }
      try require(request.values("transfer-encoding").isEmpty, "a body of \(bytes.count) bytes has Transfer-Encoding")
      let lengths = request.values("content-length")
      try require(lengths == ["\(bytes.count)"], "a body of \(bytes.count) bytes has the length \(lengths)")
      try require(request.values("expect").isEmpty, "a body of \(bytes.count) bytes has Expect")
      try require(request.body == bytes, "a body of \(bytes.count) bytes arrived changed")
    }
  }

  func checkLazyUpload(_ transport: Subject) async throws -> Int {
    let received = Recording<Bool>()
    let gate = DispatchSemaphore(value: 0)
    let patience = patience
    let server = try server { connection in
      let request = try connection.readHead()
      guard gate.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success else { return }
      var position = 0
      var isEqual = true
      try connection.readBody(request.contentLength) { bytes in
        isEqual = isEqual && bytes[0] == TestBody.byte(at: position)
        position += bytes.count
      }
      received.add(isEqual && position == largeBodyByteCount)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let body = TestBody(length: largeBodyByteCount)
    let request = request(.put, to: server, body: body.body)
    let call = Task {
      await answered(within: patience) {
        try? await transport.send(request.head, body: request.body).response.status.code
      }
    }
    let readAhead = await settledValue { body.readBytes.count }
    gate.signal()
    let status = await call.value
    try require(readAhead <= bufferedByteLimit, "\(readAhead) bytes were read while the server read none")
    try require(readAhead > 0, "no bytes were read before the server answered")
    try require(status == 200, "the upload did not complete")
    try require(received.values == [true], "the body arrived changed")
    let readByteCount = body.readBytes.count
    try require(readByteCount == largeBodyByteCount, "the body was read \(readByteCount / largeBodyByteCount) times")
    return 1
  }

  func checkRepeatedBody(_ transport: Subject) async throws -> Int {
    let (server, recording) = try recordingServer { _ in "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n" }
    let body = TestBody(length: 50_000).body
    for _ in 0..<3 {
      let response = try await response(transport, request(.put, to: server, body: body))
      try require(response.status == 503, "the response has the status \(response.status)")
    }
    let expected = (0..<50_000).map(TestBody.byte)
    try require(recording.values.map(\.body) == [expected, expected, expected], "a repeated body arrived changed")
    return 3
  }

  /// Checks that a body fails that is shorter or longer than its length, or throws.
  func checkIncompleteBody(_ transport: Subject, _ body: TestBody) async throws -> Int {
    let started = Recording<Bool>()
    let received = Recording<Int>()
    let server = try server { connection in
      _ = try connection.readHead()
      started.add(true)
      received.add(try connection.readBody(.max))
    }
    let label = "a body of \(body.producedByteCount) bytes with the length \(body.length)"
    let error = try await failure(transport, request(.put, to: server, body: body.body), of: label)
    try require(error.code != .cancelled, "\(label) has the code cancelled")
    let hasEnded = await received.wait(for: started.values.count, within: patience)
    try require(hasEnded, "the connection was not closed after \(label)")
    let count = received.values.first ?? 0
    try require(count <= min(body.length, body.producedByteCount), "the server received \(count) bytes of \(label)")
    return 1
  }

  func checkEarlyResponse(_ transport: Subject) async throws -> Int {
    let server = try server { connection in
      _ = try connection.readHead()
      try connection.readBody(65_536)
      try connection.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 5\r\n\r\nlarge")
      connection.endSending()
      _ = connection.waitForEnd()
    }
    let body = TestBody(length: largeBodyByteCount).body
    let response = try await response(transport, request(.put, to: server, body: body))
    try require(response.status == 413, "the response has the status \(response.status)")
    try require(response.text == "large", "the body of the response is lost")
    return 1
  }

  func checkLazyDownload(_ transport: Subject) async throws -> Int {
    let sent = Recording<Int>()
    let patience = patience
    let server = try server { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(largeBodyByteCount)\r\n\r\n")
      let count = connection.sendZeros(largeBodyByteCount, untilStalledFor: .milliseconds(500))
      sent.add(count)
      _ = connection.sendZeros(largeBodyByteCount - count, untilStalledFor: patience)
    }
    let response = try await outcome(transport, request(to: server)).get()
    let hasStalled = await sent.wait(for: 1, within: patience)
    try require(hasStalled, "the server was not done in time")
    let readAhead = sent.values.first ?? 0
    try require(readAhead <= bufferedByteLimit, "the server sent \(readAhead) bytes to a reader that read none")
    let count = await answered(within: patience) {
      var count = 0
      do { for try await chunk in response.body { count += chunk.count } } catch { return -1 }
      return count
    }
    try require(count == largeBodyByteCount, "the reader received \(count ?? -1) of \(largeBodyByteCount) bytes")
    return 1
  }

  /// Waits until a number is positive and has not changed for half a second, and returns the number.
  private func settledValue(_ value: @Sendable () -> Int) async -> Int {
    var lastValue = -1
    var unchangedCount = 0
    let deadline = ContinuousClock.now + patience
    while unchangedCount < 5, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(100))
      let currentValue = value()
      unchangedCount = currentValue == lastValue && currentValue > 0 ? unchangedCount + 1 : 0
      lastValue = currentValue
    }
    return lastValue
  }
}
