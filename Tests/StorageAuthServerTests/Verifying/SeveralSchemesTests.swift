// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import COSAuth
import HTTPTypes
import NIOCore
import NIOHTTP1
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import VerifiedService
import XCTest

/// Tests one URL that accepts OSS V1, V4 and COS: `VerifiedService`, over the wire.
final class SeveralSchemesTests: XCTestCase {
  private static let date = Timestamp(unixSeconds: 1_795_161_600)
  private static let first = AccessKey(id: "AKIDKfirst", secret: "not-a-secret-of-the-first")
  private static let second = AccessKey(id: "LTAIsecond", secret: "not-a-secret-of-the-second")

  private enum Scheme: CaseIterable {
    case v1, v4, cos

    func signed(_ request: HTTPRequest, with key: AccessKey = first) throws -> HTTPRequest {
      let context = SigningContext(date: date)
      return switch self {
      case .v1: try OSSSigner(.v1).signed(request, with: key, in: context)
      case .v4: try OSSSigner(.v4, region: "cn-hangzhou").signed(request, with: key, in: context)
      case .cos: try COSSigner().signed(request, with: key, in: context)
      }
    }

    func presigned(_ request: HTTPRequest, with key: AccessKey = first) throws -> HTTPRequest {
      let context = SigningContext(date: date)
      let link =
        switch self {
        case .v1: try OSSSigner(.v1).presign(request, with: key, validFor: .seconds(60), in: context)
        case .v4:
          try OSSSigner(.v4, region: "cn-hangzhou").presign(request, with: key, validFor: .seconds(60), in: context)
        case .cos: try COSSigner().presign(request, with: key, validFor: .seconds(60), in: context)
        }
      var copy = request
      copy.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      return copy
    }
  }

  private struct Bench {
    let authority: String
    let time: ManualClock

    init(_ test: XCTestCase, isStrict: Bool = false) async throws {
      time = ManualClock(now: date)
      let service = VerifiedService(accounts: [first, second], isStrict: isStrict, time: time)
      authority = String(try await RunningServer.start(service.router, test).dropFirst("http://".count))
    }

    func request(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
      var request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
      if method == .put { request.headerFields[.contentLength] = "5" }
      return request
    }

    /// Sends a request unchanged; one with a Content-Length gets the body `hello`.
    func send(_ request: HTTPRequest) async throws -> (status: Int, text: String) {
      let body = request.headerFields.contains(.contentLength) ? "hello" : ""
      let wire = RawExchange.text(request, target: request.path ?? "") + body
      let answer = try await RawExchange.answer(to: wire, at: authority)
      return (answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, answer)
    }

    func assertAnswers(
      _ status: Int, _ request: HTTPRequest, _ what: String, containing part: String = "", line: UInt = #line
    ) async throws {
      let answer = try await send(request)
      XCTAssertEqual(answer.status, status, "\(what): \(answer.text)", line: line)
      if !part.isEmpty { XCTAssertTrue(answer.text.contains(part), "\(what): \(answer.text)", line: line) }
    }
  }

  private func named(_ text: String) throws -> HTTPField.Name { try XCTUnwrap(HTTPField.Name(text)) }

  func testOneURLAcceptsEachScheme() async throws {
    for isStrict in [false, true] {
      let bench = try await Bench(self, isStrict: isStrict)
      for scheme in Scheme.allCases {
        for key in [Self.first, Self.second] {
          let put = try scheme.signed(bench.request(.put, "/files/\(scheme)/a%20b"), with: key)
          try await bench.assertAnswers(200, put, "\(scheme) puts")
          let path = "/files/\(scheme)/a%20b?versionId=7"
          for get in [
            try scheme.signed(bench.request(.get, path), with: key),
            try scheme.presigned(bench.request(.get, path), with: key),
          ] {
            let (status, text) = try await bench.send(get)
            XCTAssertEqual(status, 200, text)
            let plain = text.replacing("\\/", with: "/")
            for part in [
              #""id":"\#(key.id)""#, #""bucket":"files""#, #""key":"\#(scheme)/a b""#, #""byteCount":5"#,
              #""name":"versionId""#, #""value":"7""#,
            ] {
              XCTAssertTrue(plain.contains(part), "\(part): \(text)")
            }
          }
          let delete = try scheme.signed(bench.request(.delete, "/files/\(scheme)/a%20b"), with: key)
          try await bench.assertAnswers(204, delete, "\(scheme) deletes")
          try await bench.assertAnswers(403, delete, "again", containing: "RequestReplayed")
        }
      }
    }
  }

  func testRequestOfTwoSchemesIsRejected() async throws {
    let bench = try await Bench(self)
    for one in Scheme.allCases {
      for other in Scheme.allCases where (one == .cos) != (other == .cos) {
        let plain = bench.request(.get, "/files/a")
        var both = try other.presigned(plain)
        both.headerFields = try one.signed(plain).headerFields
        try await bench.assertAnswers(400, both, "\(one) in the header, \(other) in the URL")
        var twice = try one.signed(plain)
        let authorization = try XCTUnwrap(other.signed(plain).headerFields[.authorization])
        twice.headerFields.append(HTTPField(name: .authorization, value: authorization))
        try await bench.assertAnswers(400, twice, "\(one) and \(other) in two headers")
      }
    }
    var sloppy = try Scheme.v4.signed(bench.request(.get, "/files/a"))
    for name in ["sign=x", "SIGN=x", "%73ign=x", "q-ak=x", "Q-Signature=x"] {
      sloppy.path = "/files/a?" + name
      try await bench.assertAnswers(400, sloppy, name)
    }
  }

  func testRequestOfNoSchemeIsRejected() async throws {
    let bench = try await Bench(self)
    try await bench.assertAnswers(403, bench.request(.get, "/files/a"), "nothing", containing: "AccessDenied")
    for authorization in ["Bearer x", "AWS4-HMAC-SHA256 Credential=a", "Basic eA=="] {
      let request = bench.request(.get, "/files/a", [.authorization: authorization])
      try await bench.assertAnswers(400, request, authorization)
    }
  }

  func testHeadersOfOtherSchemesMustBeSigned() async throws {
    let bench = try await Bench(self)
    for (scheme, names) in [
      (Scheme.v1, ["x-cos-copy-source", "x-cos-security-token", "X-CI-Process", "pic-operations"]),
      (.v4, ["x-cos-copy-source", "x-cos-security-token", "x-ci-process", "Pic-Operations"]),
      (.cos, ["x-oss-copy-source", "X-OSS-Object-Acl", "x-oss-security-token"]),
    ] {
      for name in names {
        var request = try scheme.signed(bench.request(.put, "/files/\(name)"))
        request.headerFields[try named(name)] = "e"
        try await bench.assertAnswers(403, request, "\(scheme) with \(name)", containing: "AccessDenied")
      }
    }
    for (scheme, parameter) in [(Scheme.v1, "x-cos-acl=public"), (.cos, "x-oss-process=y"), (.cos, "X-OSS-Process=y")] {
      var request = try scheme.signed(bench.request(.put, "/files/a"))
      request.path = "/files/a?" + parameter
      try await bench.assertAnswers(403, request, "\(scheme) with \(parameter)", containing: "AccessDenied")
    }
  }

  func testHandlerReceivesSignedPartsSeparately() async throws {
    let bench = try await Bench(self)
    for scheme in [Scheme.v1, .cos] {
      var request = try scheme.signed(bench.request(.get, "/files/a"))
      request.path = "/files/a?prefix=secret/"
      let (status, text) = try await bench.send(request)
      XCTAssertEqual(status, 200, text)
      XCTAssertTrue(text.contains(#""parameters":[]"#), text)
      XCTAssertTrue(text.contains(#""unsignedParameters":["prefix"]"#), text)
    }
  }

  func testMovedSignaturesAreReplays() async throws {
    let bench = try await Bench(self)
    let put = try Scheme.cos.signed(bench.request(.put, "/files/a"))
    try await bench.assertAnswers(200, put, "first")
    var moved = put
    let authorization = try XCTUnwrap(put.headerFields[.authorization])
    moved.headerFields[.authorization] = nil
    moved.path = "/files/a?" + authorization
    try await bench.assertAnswers(403, moved, "as parameters", containing: "RequestReplayed")
    moved.path = "/files/a?sign=" + authorization.replacing("&", with: "%26").replacing("=", with: "%3D")
    try await bench.assertAnswers(403, moved, "as sign", containing: "RequestReplayed")
  }

  func testKeyIDsAreComparedExactly() async throws {
    let bench = try await Bench(self)
    for scheme in Scheme.allCases {
      let put = try scheme.signed(bench.request(.put, "/files/a"))
      try await bench.assertAnswers(200, put, "\(scheme)")
      var respelt = put
      respelt.headerFields[.authorization] = put.headerFields[.authorization]?.replacing("AKIDK", with: "AKID\u{212A}")
      let (status, text) = try await bench.send(respelt)
      XCTAssertTrue([400, 403].contains(status), "\(scheme): \(text)")
      XCTAssertFalse(text.contains("\u{212A}"), "the attacker's spelling must not be repeated: \(text)")
    }
  }

  func testDangerousPathsReachNoFile() async throws {
    let bench = try await Bench(self)
    for path in [
      "/files/a%00b", "/files/../x", "/files/%2e%2e/x", "/files/a/..%2f..%2fx", "//files/a", "/files//a", "/files/a//b",
      "/files/./a", "/files/..%5cx", "/files/a%0d%0ab", "/files/%2fetc/passwd",
    ] {
      for scheme in Scheme.allCases {
        let (status, text) = try await bench.send(scheme.signed(bench.request(.get, path)))
        XCTAssertTrue([400, 404].contains(status), "\(scheme) \(path): \(text)")
      }
    }
  }

  func testRepeatedAndExcessiveHeadersAreRejected() async throws {
    let bench = try await Bench(self)
    for scheme in Scheme.allCases {
      let put = try scheme.signed(bench.request(.put, "/files/a", [.contentType: "text/plain"]))
      for name in [HTTPField.Name.contentType, .authorization, .contentLength] {
        var twice = put
        twice.headerFields.append(HTTPField(name: name, value: put.headerFields[name] ?? ""))
        let (status, text) = try await bench.send(twice)
        // The HTTP parser joins equal lengths or rejects them; in both cases there is one length.
        XCTAssertTrue([400, 403].contains(status) || name == .contentLength && status == 200, "\(name): \(text)")
      }
    }
    var masked = bench.request(.get, "/files/e", [.authorization: "OSS nobody:AAAA"])
    for _ in 0..<120 {
      masked.headerFields.append(HTTPField(name: try named("x-cos-security-token"), value: "e"))
    }
    let clock = ContinuousClock()
    let elapsed = try await clock.measure {
      let (status, text) = try await bench.send(masked)
      XCTAssertTrue([400, 403].contains(status), text)
      XCTAssertLessThan(text.utf8.count, 65_536)
    }
    XCTAssertLessThan(elapsed, .seconds(5))
    var many = bench.request(.get, "/files/e", [.authorization: "OSS nobody:AAAA"])
    for number in 0..<900 { many.headerFields.append(HTTPField(name: try named("x-\(number)"), value: "e")) }
    let (status, text) = try await bench.send(many)
    XCTAssertTrue([400, 403, 413, 431].contains(status), text)
  }

  func testOneAccountCannotFillTheStoreForAnother() async throws {
    let bench = try await Bench(self)
    var refused = 0
    for number in 0..<2600 {
      let put = try Scheme.v1.signed(bench.request(.put, "/files/\(number)"))
      var wire = HTTPClientRequest(url: "http://\(bench.authority)\(put.path ?? "")")
      wire.method = .PUT
      for field in put.headerFields where field.name != .contentLength {
        wire.headers.add(name: field.name.rawName, value: field.value)
      }
      wire.body = .bytes(Array("hello".utf8))
      let answer = try await HTTPClient.shared.execute(wire, timeout: .seconds(60))
      _ = try await answer.body.collect(upTo: 1 << 16)
      if answer.status == .serviceUnavailable { refused += 1 }
    }
    XCTAssertEqual(refused, 100, "half of the 5,000 signatures")
    for scheme in Scheme.allCases {
      let other = try scheme.signed(bench.request(.put, "/files/\(scheme)"), with: Self.second)
      try await bench.assertAnswers(200, other, "\(scheme)")
      try await bench.assertAnswers(403, other, "\(scheme) again", containing: "RequestReplayed")
    }
  }
}
