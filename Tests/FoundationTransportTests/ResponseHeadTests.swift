// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import FoundationTransport
import HTTPTypes
import StorageAuth
import XCTest

@testable import StorageAuthTesting

/// Tests heads of responses that URLSession reads in its own way.
final class ResponseHeadTests: XCTestCase {
  /// Sends a request to a server that answers each request with the same bytes, and then closes the connection.
  private func response(
    _ answer: String, _ method: HTTPRequest.Method = .get
  ) async -> Result<(HTTPResponse, String), TransportError> {
    do {
      let server = try LoopbackServer(patience: .seconds(10)) { connection in
        _ = try connection.readHead()
        try connection.send(answer)
      }
      defer { server.stop() }
      let request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/k")
      let response = try await URLSessionTransport().send(request, body: .none)
      let bytes = try await response.body.collected(upTo: 1 << 20)
      return .success((response.response, String(decoding: bytes ?? [], as: UTF8.self)))
    } catch let error as TransportError {
      return .failure(error)
    } catch {
      XCTFail("\(error)")
      return .failure(.lost)
    }
  }

  /// A body that only the end of the connection delimits may be incomplete.
  func testEndOfTheConnectionIsToldApart() async throws {
    for (answer, isUncertain) in [
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false),
      ("HTTP/1.1 200 OK\r\n\r\nok", true), ("HTTP/1.0 200 OK\r\n\r\nok", true),
      ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok", true), ("HTTP/1.1 204 No Content\r\n\r\n", false),
    ] {
      for transport in [URLSessionTransport(), AsyncHTTPClientTransport()] as [any HTTPTransport] {
        let server = try LoopbackServer(patience: .seconds(10)) { connection in
          _ = try connection.readHead()
          try connection.send(answer)
        }
        defer { server.stop() }
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/k")
        let response = try await transport.send(request, body: .none)
        _ = try await response.body.collected(upTo: 100)
        XCTAssertEqual(response.endsWithConnection(), isUncertain, "\(type(of: transport)): \(answer)")
      }
    }
  }

  private func assertFails(
    _ answer: String, _ code: TransportError.Code, _ reason: String, line: UInt = #line
  ) async {
    switch await response(answer) {
    case .success(let (head, _)): XCTFail("the response \(head.status) was returned", line: line)
    case .failure(let error):
      XCTAssertEqual(error.code, code, "\(error)", line: line)
      XCTAssertTrue(error.message.contains(reason), error.message, line: line)
    }
  }

  func testUnusualHeadsAreRead() async throws {
    for (answer, status) in [
      ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200),
      ("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", 200), ("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", 999),
      ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200),
      ("HTTP/1.1 503 Slow Down\r\nContent-Length: 2\r\nRetry-After: 5\r\n\r\nok", 503),
    ] {
      switch await response(answer) {
      case .success(let (head, text)):
        XCTAssertEqual(head.status.code, status, answer)
        XCTAssertEqual(text, "ok", answer)
      case .failure(let error): XCTFail("\(answer): \(error)")
      }
    }
  }

  #if canImport(FoundationNetworking)
    func testHeadsThatFoundationCannotReadAreErrors() async {
      for answer in [
        "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length:2\r\n\r\nok",
        "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
      ] {
        await assertFails(answer, .connectionLost, "was lost")
      }
    }
  #endif

  func testFieldsAreRead() async throws {
    let long = String(repeating: "a", count: 60_000)
    let fields = "X-Empty:\r\nx-oss-meta-name: \u{732b}\r\nX-Space:  a  b \t\r\nETag: \"1\"\r\nX-Long: \(long)\r\n"
    let head = try await response("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok").get().0.headerFields
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { head[$0] } }
    XCTAssertEqual(field("x-oss-meta-name"), "\u{732b}")
    XCTAssertEqual(field("x-space"), "a  b")
    XCTAssertEqual(field("etag"), "\"1\"")
    XCTAssertEqual(field("x-long"), long)
  }

  // matrix: URLSession: bad input, failure
  func testTooManyFieldsAreAnError() async {
    let fields = (0..<1_100).map { "X-\($0): 1\r\n" }.joined()
    await assertFails("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n", .connectionLost, "header fields")
  }

  // matrix: URLSession: bad input, failure
  func testInvalidStatusIsAnError() async {
    for status in ["000", "042", "099"] {
      await assertFails(
        "HTTP/1.1 \(status) Odd\r\nContent-Length: 0\r\n\r\n", .connectionLost, "the response is not valid in HTTP")
    }
  }

  func testDecodedBodyIsRefused() async throws {
    await assertFails(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", .invalidRequest, "Content-Encoding")
    let (head, _) = try await response(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n", .head
    ).get()
    XCTAssertEqual(head.headerFields[.contentEncoding], "gzip")
  }

  func testRedirectWithoutLocationIsReturnedIfItsBodyIsEmpty() async throws {
    let (head, text) = try await response("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n").get()
    XCTAssertEqual(head.status.code, 301)
    XCTAssertEqual(text, "")
    #if canImport(FoundationNetworking)
      await assertFails(
        "HTTP/1.1 301 Moved\r\nContent-Length: 2\r\n\r\nok", .invalidRequest, "a redirect without a location")
    #endif
  }
}

extension TransportError {
  fileprivate static let lost = TransportError(.connectionLost, "The test has failed.", remedy: "See its message.")
}
