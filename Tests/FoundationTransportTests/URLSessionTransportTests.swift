// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import StorageAuth
import XCTest

@testable import FoundationTransport
@testable import StorageAuthTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests URLSession's transport: progress in both directions, time limits, cancellation and the end of connections.
final class URLSessionTransportTests: XCTestCase {
  private static let chunk = [UInt8](repeating: 7, count: 100_000)

  private func request(_ method: HTTPRequest.Method, to server: LoopbackServer, length: Int = 0) -> HTTPRequest {
    var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/k")
    if length > 0 { request.headerFields[.contentLength] = "\(length)" }
    return request
  }

  /// Returns a body of chunks, before each of which a closure waits.
  private func body(chunks count: Int, waiting: @escaping @Sendable (Int) async throws -> Void) -> HTTPBody {
    .stream(
      ByteStream {
        var index = 0
        return {
          guard index < count else { return nil }
          try await waiting(index)
          index += 1
          return Self.chunk
        }
      }, length: Int64(count * Self.chunk.count))
  }

  // MARK: Progress

  // matrix: URLSession: streaming
  func testBytesOfABodyArriveWhileItsSourceWaits() async throws {
    let received = Tally()
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      let head = try connection.readHead()
      try connection.readBody(head.contentLength) { received.add($0.count) }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    // The last chunk is sent after the source has ended, all others as they come.
    let body = body(chunks: 5) { index in await received.wait(for: max(index - 1, 0) * Self.chunk.count) }
    let response = try await URLSessionTransport().send(request(.put, to: server, length: 500_000), body: body)
    XCTAssertEqual(response.response.status.code, 200)
    XCTAssertEqual(received.count, 500_000)
  }

  // matrix: URLSession: streaming
  func testBytesOfAResponseArriveWhileTheServerWaits() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
      for _ in 0..<10 {
        try connection.send("a")
        guard gate.wait(timeout: .now() + 20) == .success else { return }
      }
    }
    let response = try await URLSessionTransport().send(request(.get, to: server), body: .none)
    var count = 0
    for try await chunk in response.body {
      count += chunk.count
      for _ in chunk { gate.signal() }
    }
    XCTAssertEqual(count, 10)
  }

  // MARK: Time limits

  // matrix: URLSession: time limit
  func testSlowReaderIsNotIdle() async throws {
    let (size, stalled) = (16 << 20, Tally())
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      let sent = connection.sendZeros(size, untilStalledFor: .milliseconds(300))
      stalled.add(1)
      _ = connection.sendZeros(size - sent, untilStalledFor: .seconds(20))
    }
    let transport = URLSessionTransport(timeouts: HTTPTimeouts(idle: .milliseconds(100)))
    let response = try await transport.send(request(.get, to: server), body: .none)
    await stalled.wait(for: 1)
    var count = 0
    for try await chunk in response.body { count += chunk.count }
    XCTAssertEqual(count, size)
  }

  // matrix: URLSession: time limit
  func testSlowSourceIsNotIdle() async throws {
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      try connection.readBody(connection.readHead().contentLength)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let idle = Duration.milliseconds(100)
    let transport = URLSessionTransport(timeouts: HTTPTimeouts(idle: idle))
    let body = body(chunks: 2) { _ in try await Task.sleep(for: idle * 2) }
    let response = try await transport.send(request(.put, to: server, length: 200_000), body: body)
    XCTAssertEqual(response.response.status.code, 200)
  }

  // matrix: URLSession: time limit
  func testServerThatStopsReadingTimesOut() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      _ = gate.wait(timeout: .now() + 20)
    }
    let transport = URLSessionTransport(timeouts: HTTPTimeouts(idle: .milliseconds(200)))
    let body = body(chunks: 500) { _ in }
    await assertCode(.timeout) {
      _ = try await transport.send(self.request(.put, to: server, length: 50_000_000), body: body)
    }
    gate.signal()
  }

  // matrix: URLSession: time limit
  func testRequestLimitEndsAtTheHead() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      if try connection.readHead().method == "GET" {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
        guard gate.wait(timeout: .now() + 0.4) == .timedOut else { return }
        try connection.send("k")
      } else {
        _ = connection.waitForEnd()
      }
    }
    let transport = URLSessionTransport(timeouts: HTTPTimeouts(request: .milliseconds(200)))
    await assertCode(.timeout) { _ = try await transport.send(self.request(.head, to: server), body: .none) }
    let response = try await transport.send(request(.get, to: server), body: .none)
    let bytes = try await response.body.collected(upTo: 10)
    XCTAssertEqual(bytes, Array("ok".utf8))
  }

  // MARK: Cancellation

  // matrix: URLSession: cancellation
  func testCancellationReachesASourceThatWaits() async throws {
    for waitingChunk in [0, 2] {
      let (isWaiting, ended) = (Tally(), Tally())
      let server = try LoopbackServer(patience: .seconds(20)) { connection in
        _ = try connection.readHead()
        if connection.waitForEnd() { ended.add(1) }
      }
      let body = body(chunks: 4) { index in
        guard index == waitingChunk else { return }
        isWaiting.add(1)
        try await Task.sleep(for: .seconds(60))
      }
      let request = request(.put, to: server, length: 400_000)
      let call = Task { try await URLSessionTransport().send(request, body: body) }
      await isWaiting.wait(for: 1)
      call.cancel()
      await assertCode(.cancelled) { _ = try await call.value }
      if waitingChunk > 1 { await ended.wait(for: 1) }
    }
  }

  // matrix: URLSession: cancellation
  func testCancellationEndsAPausedResponse() async throws {
    let (stalled, ended) = (Tally(), Tally())
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 30)\r\n\r\n")
      _ = connection.sendZeros(1 << 30, untilStalledFor: .milliseconds(200))
      stalled.add(1)
      _ = connection.waitForEnd()
      ended.add(1)
    }
    let transport = URLSessionTransport()
    let request = request(.get, to: server)
    let call = Task {
      let response = try await transport.send(request, body: .none)
      await stalled.wait(for: 1)
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in response.body {}
    }
    await assertCode(.cancelled) { try await call.value }
    await ended.wait(for: 1)
  }

  // MARK: Connections

  func testConnectionIsReusedExceptForUploads() async throws {
    let connections = Tally()
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      connections.add(1)
      while true {
        try connection.readBody(connection.readHead().contentLength)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let transport = URLSessionTransport()
    for method in [HTTPRequest.Method.get, .delete, .get] {
      let response = try await transport.send(request(method, to: server, length: 0), body: .none)
      _ = try await response.body.collected(upTo: 10)
    }
    XCTAssertEqual(connections.count, 1)
    for method in [HTTPRequest.Method.put, .post] {
      let response = try await transport.send(request(method, to: server, length: 100_000), body: .bytes(Self.chunk))
      _ = try await response.body.collected(upTo: 10)
    }
    XCTAssertEqual(connections.count, 3)
  }

  /// A reader that reads the last bytes later would continue the session although its next reader is slow.
  func testFinishedExchangeHasNoSession() async throws {
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let sessions = Sessions(configuration: .transport(basedOn: .default))
    let exact = try ExactRequest(request(.get, to: server), body: .none)
    let exchange = URLSessionExchange(exact, on: sessions, timeouts: HTTPTimeouts())
    await exchange.start()
    while try await exchange.nextChunk() != nil {}
    let isReleased = exchange.state.withLock { $0.session == nil && $0.task == nil }
    XCTAssertTrue(isReleased)
  }

  func testReleasedTransportClosesItsConnections() async throws {
    let ended = Tally()
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      if connection.waitForEnd() { ended.add(1) }
    }
    let bytes = try await bytes(of: request(.get, to: server), over: URLSessionTransport())
    XCTAssertEqual(bytes, Array("ok".utf8))
    await ended.wait(for: 1)
  }

  /// Returns the body of a response, and releases the response and the transport.
  private func bytes(of request: HTTPRequest, over transport: URLSessionTransport) async throws -> [UInt8]? {
    try await transport.send(request, body: .none).body.collected(upTo: 10)
  }

  private func assertCode(
    _ code: TransportError.Code, line: UInt = #line, _ operation: () async throws -> Void
  ) async {
    do {
      try await operation()
      XCTFail("no error was thrown", line: line)
    } catch {
      XCTAssertEqual((error as? TransportError)?.code, code, "\(error)", line: line)
    }
  }
}
