// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
internal import StorageAuth

/// The size of a body that is larger than the buffers between a client and a server on one machine.
private let largeSize = 48 * 1_024 * 1_024

/// The number of bytes that the buffers between a client and a server may contain, in both systems' sockets and in the
/// transport.
private let mostBuffered = 16 * 1_024 * 1_024

extension TransportConformance {
  func checkContentLength(_ transport: Subject) async throws -> Int {
    let received = Recording<(WireRequest, [UInt8])>()
    let server = try server { connection in
      while true {
        let request = try connection.readHead()
        var body: [UInt8] = []
        try connection.readBody(request.contentLength) { body += $0 }
        received.add((request, body))
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let expected = (0..<100_000).map(TestBody.byte)
    let bodies: [(HTTPBody, [UInt8])] = [
      (.bytes([]), []), (.bytes([1, 2, 3]), [1, 2, 3]), (.bytes(expected), expected),
      (TestBody(length: 100_000).body, expected), (.stream(ByteStream(expected), length: 100_000), expected),
      (.stream(ByteStream([]), length: 0), []),
    ]
    for (body, bytes) in bodies {
      _ = try await response(transport, request(.put, to: server, body: body), body: body)
      guard let (request, sent) = received.values.last else { throw Violation("no request arrived") }
      try require(request.values("transfer-encoding").isEmpty, "a body of \(bytes.count) bytes has Transfer-Encoding")
      let lengths = request.values("content-length")
      try require(lengths == ["\(bytes.count)"], "a body of \(bytes.count) bytes has the length \(lengths)")
      try require(request.values("expect").isEmpty, "a body of \(bytes.count) bytes has Expect")
      try require(sent == bytes, "a body of \(bytes.count) bytes arrived changed")
    }
    return bodies.count
  }

  func checkLazyUpload(_ transport: Subject) async throws -> Int {
    let (received, gate) = (Recording<Bool>(), DispatchSemaphore(value: 0))
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
      received.add(isEqual && position == largeSize)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let body = TestBody(length: largeSize)
    let call = Task { [request = request(.put, to: server, body: body.body)] in
      await answered(within: patience) { try? await transport.send(request, body: body.body).response.status.code }
    }
    let readAhead = await settledValue { body.count.count }
    gate.signal()
    let status = await call.value
    try require(readAhead <= mostBuffered, "\(readAhead) bytes were read while the server read none")
    try require(readAhead > 0, "no bytes were read before the server answered")
    try require(status == 200, "the upload did not complete")
    try require(received.values == [true], "the body arrived changed")
    try require(body.count.count == largeSize, "the body was read \(body.count.count / largeSize) times")
    return 1
  }

  func checkRepeatedBody(_ transport: Subject) async throws -> Int {
    let received = Recording<[UInt8]>()
    let server = try server { connection in
      while true {
        let request = try connection.readHead()
        var body: [UInt8] = []
        try connection.readBody(request.contentLength) { body += $0 }
        received.add(body)
        try connection.send("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let body = TestBody(length: 50_000).body
    for _ in 0..<3 {
      let response = try await response(transport, request(.put, to: server, body: body), body: body)
      try require(response.status == 503, "the response has the status \(response.status)")
    }
    let expected = (0..<50_000).map(TestBody.byte)
    try require(received.values == [expected, expected, expected], "a repeated body arrived changed")
    return 3
  }

  func checkIncompleteBody(_ transport: Subject, _ body: TestBody) async throws -> Int {
    let (started, received) = (Recording<Bool>(), Recording<Int>())
    let server = try server { connection in
      _ = try connection.readHead()
      started.add(true)
      received.add(try connection.readBody(.max))
    }
    let what = "a body of \(body.produced) bytes with the length \(body.length)"
    let error = try await failure(transport, request(.put, to: server, body: body.body), body: body.body, what)
    try require(error.code != .cancelled, "\(what) has the code cancelled")
    let hasEnded = await received.wait(for: started.values.count, within: patience)
    try require(hasEnded, "the connection was not closed after \(what)")
    let count = received.values.first ?? 0
    try require(count <= min(body.length, body.produced), "the server received \(count) bytes of \(what)")
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
    let body = TestBody(length: largeSize).body
    let response = try await response(transport, request(.put, to: server, body: body), body: body)
    try require(response.status == 413, "the response has the status \(response.status)")
    try require(response.text == "large", "the body of the response is lost")
    return 1
  }

  func checkLazyDownload(_ transport: Subject) async throws -> Int {
    let sent = Recording<Int>()
    let patience = patience
    let server = try server { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(largeSize)\r\n\r\n")
      let count = connection.sendZeros(largeSize, untilStalledFor: .milliseconds(500))
      sent.add(count)
      _ = connection.sendZeros(largeSize - count, untilStalledFor: patience)
    }
    let response = try await answer(transport, request(to: server)).get()
    let hasStalled = await sent.wait(for: 1, within: patience)
    try require(hasStalled, "the server was not done in time")
    let readAhead = sent.values.first ?? 0
    try require(readAhead <= mostBuffered, "the server sent \(readAhead) bytes to a reader that read none")
    let count = await answered(within: patience) {
      var count = 0
      do {
        for try await chunk in response.body { count += chunk.count }
      } catch {
        return -1
      }
      return count
    }
    try require(count == largeSize, "the reader received \(count ?? -1) of \(largeSize) bytes")
    return 1
  }

  /// Returns a number as soon as it no longer changes.
  private func settledValue(_ value: @Sendable () -> Int) async -> Int {
    var last = -1
    var unchanged = 0
    let end = ContinuousClock.now + patience
    while unchanged < 5, ContinuousClock.now < end {
      try? await Task.sleep(for: .milliseconds(100))
      let current = value()
      unchanged = current == last && current > 0 ? unchanged + 1 : 0
      last = current
    }
    return last
  }
}
