// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import Dispatch
import HTTPTypes
import StorageAuth
import XCTest

@testable import StorageAuthTesting

/// Tests the idle limit of AsyncHTTPClient's transport during an upload.
final class IdleLimitTests: XCTestCase {
  private static let size = 50_000_000

  private func request(to server: LoopbackServer) -> HTTPRequest {
    var request = HTTPRequest(method: .put, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/k")
    request.headerFields[.contentLength] = "\(Self.size)"
    return request
  }

  /// Bodies of one write and of many.
  private var bodies: [HTTPBody] {
    let stream = ByteStream { () -> ByteStream.Reader in
      var remainingCount = Self.size
      return {
        guard remainingCount > 0 else { return nil }
        remainingCount -= 100_000
        return [UInt8](repeating: 7, count: 100_000)
      }
    }
    return [.bytes([UInt8](repeating: 7, count: Self.size)), .stream(stream, length: Int64(Self.size))]
  }

  // matrix: AsyncHTTPClient: time limit
  func testServerThatStopsReadingTimesOut() async throws {
    #if canImport(Network)
      throw XCTSkip("SKIPPED: Network.framework does not tell how many bytes are unsent")
    #endif
    for body in bodies {
      let gate = DispatchSemaphore(value: 0)
      defer { gate.signal() }
      let server = try LoopbackServer(patience: .seconds(20)) { connection in
        _ = try connection.readHead()
        _ = gate.wait(timeout: .now() + 20)
      }
      let transport = AsyncHTTPClientTransport(timeouts: HTTPTimeouts(idle: .milliseconds(200)))
      do {
        _ = try await transport.send(request(to: server), body: body)
        XCTFail("no error was thrown")
      } catch { XCTAssertEqual(error.code, .timeout, "\(error)") }
    }
  }

  // matrix: AsyncHTTPClient: time limit
  func testServerThatReadsSlowlyIsNotIdle() async throws {
    // The body is one write, which takes longer than the limit.
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      let length = try connection.readHead().contentLength
      for _ in 0..<5 {
        guard gate.wait(timeout: .now() + 0.3) == .timedOut else { return }
        try connection.readBody(length / 5)
      }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let transport = AsyncHTTPClientTransport(timeouts: HTTPTimeouts(idle: .seconds(1)))
    let response = try await transport.send(request(to: server), body: bodies[0])
    XCTAssertEqual(response.response.status.code, 200)
  }
}
