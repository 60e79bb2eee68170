// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import FoundationTransport
import HTTPTypes
import StorageAuth
import XCTest

/// Tests the errors for requests that URLSession would change before it sends them.
final class RefusedRequestTests: XCTestCase {
  /// A port on which no server listens, so that a request that is not refused fails with another code.
  private static let authority = "127.0.0.1:9"

  private func assertRefused(
    _ request: HTTPRequest, body: HTTPBody = .none, _ reason: String, line: UInt = #line
  ) async {
    do {
      _ = try await URLSessionTransport.shared.send(request, body: body)
      XCTFail("\(reason) was sent", line: line)
    } catch {
      XCTAssertEqual(error.code, .invalidRequest, reason, line: line)
      XCTAssertFalse(error.isRetryable, line: line)
      XCTAssertTrue(error.message.contains(reason), error.message, line: line)
      XCTAssertFalse("\(error)".contains("0canary"), "\(error)", line: line)
    }
  }

  private func request(
    _ path: String = "/k?Signature=0canary", method: HTTPRequest.Method = .get, scheme: String = "http",
    authority: String = authority, fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: fields)
  }

  // matrix: URLSession: wire format, bad input
  func testChangedPathIsNamed() async {
    for path in ["/.", "/..", "/a/../b", "/a/./b", "/%2e%2E/b", "/a/.%2e", "/..?a"] {
      await assertRefused(request(path), "a segment of the path is . or .., which is removed")
    }
    await assertRefused(request("/" + String(repeating: "a", count: 60_000)), "the path has 60001 bytes")
    await assertRefused(request("/a b"), "contains a character that must be percent-encoded")
    await assertRefused(request("/%zz"), "contains a percent sign without two hexadecimal digits")
    await assertRefused(request("k"), "does not start with a slash")
  }

  // matrix: URLSession: wire format, bad input
  func testChangedAddressIsNamed() async {
    await assertRefused(request(scheme: "ftp"), "the scheme is neither http nor https")
    await assertRefused(request(authority: "Example.com"), "the host contains uppercase letters")
    await assertRefused(request(authority: "example.com:80"), "the port is the default port")
    await assertRefused(request(scheme: "https", authority: "example.com:443"), "the port is the default port")
    for authority in ["", "example.com:", "a b", "a/b", "a?b", "user@example.com", "exa\u{e9}mple.com"] {
      await assertRefused(request(authority: authority), "the host is not valid")
    }
  }

  // matrix: URLSession: wire format, bad input
  func testChangedHeaderIsNamed() async throws {
    var twice = HTTPFields()
    for value in ["1", "2"] {
      twice.append(HTTPField(name: try XCTUnwrap(HTTPField.Name("x-oss-meta-a")), value: value))
    }
    await assertRefused(request(fields: twice), "the header x-oss-meta-a occurs twice")
    for name in ["Connection", "TE", "Transfer-Encoding", "Upgrade", "Proxy-Authorization", "Trailer", "Keep-Alive"] {
      let fields: HTTPFields = [try XCTUnwrap(HTTPField.Name(name)): "0canary"]
      await assertRefused(request(fields: fields), "the header \(name.lowercased()) is reserved by URLSession")
    }
    let host: HTTPFields = [try XCTUnwrap(HTTPField.Name("Host")): "other0canary"]
    await assertRefused(request(fields: host), "the header host is not the authority of the URL")
    await assertRefused(
      request(method: .put, fields: [.contentLength: "4"]), body: .bytes([1, 2, 3]),
      "the header content-length is not the length of the body")
  }

  // matrix: URLSession: wire format, bad input
  func testChangedMethodAndBodyAreNamed() async throws {
    for method in [HTTPRequest.Method.get, .head] {
      await assertRefused(request(method: method), body: .bytes([1]), "URLSession sends no body with \(method)")
    }
  }

  func testRemedyNamesTheOtherTransport() async {
    do {
      _ = try await URLSessionTransport.shared.send(request("/.."), body: .none)
      XCTFail("the request was sent")
    } catch {
      XCTAssertTrue(error.remedy.contains("AsyncHTTPClientTransport"), error.remedy)
    }
  }
}
