// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests the client's HTTP transport over loopback: wire format, redirects, timeouts and cancellation.
final class TransportTests: XCTestCase {
  private func client(_ server: WireServer) -> StorageClient<OSSProvider> {
    ossClient(NetworkTransport.shared, endpoint: "http://127.0.0.1:\(server.port)")
  }

  // matrix: AsyncHTTPClient: wire format
  func testPathIsSentAsSigned() async throws {
    try XCTSkipIf(NetworkTransport.isURLSession, "URLSessionTransport refuses segments with dots only.")
    let keys = ["a//b", "a/../b", "..", "./a/.", "a%2Fb", "a+b c", "猫", "a?b#c", "/lead", "~!*'();:@&=$,[]", "a/"]
    try await WireServer.run { server in
      for key in keys { _ = try await client(server).head(key) }
      XCTAssertEqual(
        server.heads.values.map { $0.prefix { $0 != "\r\n" } },
        [
          "a//b", "a/../b", "..", "./a/.", "a%252Fb", "a%2Bb%20c", "%E7%8C%AB", "a%3Fb%23c", "/lead",
          "~%21%2A%27%28%29%3B%3A%40%26%3D%24%2C%5B%5D", "a/",
        ].map { "HEAD /photos/\($0) HTTP/1.1" })
    }
  }

  // matrix: AsyncHTTPClient: wire format
  func testQueryIsSentAsSigned() async throws {
    let answer = wireAnswer(
      listAnswer(prefix: "a%2F%2F..%2F%252F%2B+%E7%8C%AB", delimiter: "/"))
    try await WireServer.run(answering: answer) { server in
      for try await _ in client(server).list(prefix: "a//../%2F+ 猫", delimiter: "/") {}
      let line = server.heads.values.first?.prefix { $0 != "\r\n" } ?? ""
      XCTAssertTrue(line.contains("prefix=a%2F%2F..%2F%252F%2B%20%E7%8C%AB&delimiter=%2F"))
    }
  }

  // matrix: AsyncHTTPClient: wire format
  func testHeadersAreSentAsSigned() async throws {
    try XCTSkipIf(NetworkTransport.isURLSession, "URLSessionTransport adds Accept-Encoding: identity.")
    try await WireServer.run { server in
      let empty = StorageClientConfiguration(attempts: 1)
      let client = ossClient(
        NetworkTransport.make(), endpoint: "http://127.0.0.1:\(server.port)", configuration: empty)
      try await client.upload([], to: "k.txt", metadata: ["name": "猫"])
      try await client.delete("k.txt")
      let upload = Set(server.heads.values.first?.split(separator: "\r\n").map { $0.lowercased() } ?? [])
      XCTAssertTrue(upload.contains("host: 127.0.0.1:\(server.port)"))
      XCTAssertTrue(upload.contains("content-length: 0"))
      XCTAssertTrue(upload.contains("content-type: text/plain"))
      XCTAssertTrue(upload.contains("x-oss-meta-name: 猫"))
      XCTAssertFalse(upload.contains { $0.hasPrefix("accept-encoding") || $0.hasPrefix("transfer-encoding") })
      let deletion = server.heads.values.last?.lowercased() ?? ""
      XCTAssertFalse(deletion.contains("content-length"))
      XCTAssertFalse(deletion.contains("content-type"))
    }
  }

  func testRedirectIsNotFollowed() async throws {
    let answer = "HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    try await WireServer.run(answering: answer) { server in
      await assertThrows(ServiceError.self, { _ = try await client(server).head("k") }) {
        XCTAssertEqual($0.status.code, 301)
      }
      XCTAssertEqual(server.heads.values.count, 1)
    }
  }

  func testResponseIsNotDecompressed() async throws {
    try XCTSkipIf(NetworkTransport.isURLSession, "URLSessionTransport refuses a response with a Content-Encoding.")
    let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nETag: \"E\"\r\nContent-Length: 3\r\n\r\nabc"
    try await WireServer.run(answering: answer) { server in
      let bytes = try await client(server).download("k", upTo: 10)
      XCTAssertEqual(bytes, Array("abc".utf8))
    }
  }

  // matrix: AsyncHTTPClient: failure
  func testUnreachableServerIsAConnectionFailure() async throws {
    let client = ossClient(NetworkTransport.shared, endpoint: "http://127.0.0.1:1")
    await assertThrows(TransportError.self, { _ = try await client.head("k") }) { error in
      XCTAssertEqual(error.code, .connectionFailed)
      XCTAssertTrue(error.message.contains("127.0.0.1:1"))
    }
  }

  // matrix: AsyncHTTPClient: time limit
  func testUnresponsiveServerTimesOut() async throws {
    try await WireServer.run(answering: "HTTP/1.1 200") { server in
      let transport = NetworkTransport.make(HTTPTimeouts(request: .milliseconds(50)))
      let client = ossClient(
        transport, endpoint: "http://127.0.0.1:\(server.port)", configuration: StorageClientConfiguration(attempts: 1))
      await assertThrows(TransportError.self, { _ = try await client.head("k") }) {
        XCTAssertEqual($0.code, .timeout)
      }
    }
  }

  // matrix: AsyncHTTPClient: cancellation
  func testCancelledRequestThrowsCancellation() async throws {
    try await WireServer.run(answering: "") { server in
      let client = client(server)
      let request = Task { try await client.head("k") }
      while server.heads.values.isEmpty { await Task.yield() }
      request.cancel()
      await assertThrows(CancellationError.self) { _ = try await request.value }
    }
  }

  // matrix: AsyncHTTPClient: bad input
  func testSourceThatShrinksIsReported() async throws {
    try await WireServer.run(answering: "") { server in
      let body = HTTPBody.stream(ByteStream([1, 2]), length: 3)
      var request = HTTPRequest(
        method: .put, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/photos/k")
      request.headerFields[.contentLength] = "3"
      await assertThrows(TransportError.self) { [request] in
        _ = try await NetworkTransport.shared.send(request, body: body)
      }
    }
  }
}
