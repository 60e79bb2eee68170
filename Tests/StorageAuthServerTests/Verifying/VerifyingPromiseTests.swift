// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests the middleware's guarantees to its handlers: only signed parts, safe keys, and no repeated modifications.
final class VerifyingPromiseTests: XCTestCase {
  private func withEach(_ body: (VerifyingBench) async throws -> Void) async throws {
    for service in VerifyingBench.Service.allCases { try await body(VerifyingBench(service, self)) }
  }

  func testHandlerDoesNotReceiveParametersAddedAfterSigning() async throws {
    for service in [VerifyingBench.Service.ossV1, .cosCompatible] {
      let bench = try await VerifyingBench(service, self)
      for request in [try bench.signed(bench.request()), try bench.presigned(bench.request())] {
        var changed = request
        let path = request.path ?? ""
        changed.path = path + (path.contains("?") ? "&" : "?") + "prefix=secret/&max-keys=1"
        let (status, text) = try await bench.send(changed)
        XCTAssertEqual(status, 200, text)
        XCTAssertFalse(text.contains("prefix") || text.contains("max-keys"), "\(service): \(text)")
      }
    }
  }

  func testDangerousKeyReachesNoHandler() async throws {
    let paths = [
      "\(VerifyingBench.bucket)/a%00b", "\(VerifyingBench.bucket)/..", "\(VerifyingBench.bucket)/../b",
      "\(VerifyingBench.bucket)/a/../../b", "\(VerifyingBench.bucket)/a/%2e%2e/b", "\(VerifyingBench.bucket)/./a",
      "\(VerifyingBench.bucket)/a/.", "\(VerifyingBench.bucket)//a", "\(VerifyingBench.bucket)/a//b",
      "\(VerifyingBench.bucket)/a%2f%2fb", "\(VerifyingBench.bucket)/..%5c..%5cb", "\(VerifyingBench.bucket)/a%0ab",
      "\(VerifyingBench.bucket)/a%7fb", "\(VerifyingBench.bucket)/a%c2%85b", "\(VerifyingBench.bucket)/a%e2%80%a8b",
      "\(VerifyingBench.bucket)/..%20/b", "\(VerifyingBench.bucket)/.../b", "/x", "//", "../x", "%2e%2e/x", "./x",
      "a%00/x", "\(VerifyingBench.bucket)/\(String(repeating: "k", count: 1025))",
    ]
    try await withEach { bench in
      for path in paths {
        var plain = try bench.request()
        plain.path = "/" + path
        let before = bench.handled.value
        let (status, text) = try await bench.exchange(bench.signed(plain))
        XCTAssertEqual(bench.handled.value, before, "\(bench.service) \(path): \(text)")
        XCTAssertEqual(status, 400, "\(bench.service) \(path): \(text)")
      }
      for key in ["a", "a b/+é", "dir/", ".well-known/x", "..a", "a..", "a.b/c..d", "日本/語"] {
        let (status, text) = try await bench.send(bench.signed(bench.request(.get, key)))
        XCTAssertEqual(status, 200, "\(bench.service) \(key): \(text)")
      }
    }
  }

  func testSignatureIsUsedOnceInEveryPlacement() async throws {
    for service in [VerifyingBench.Service.cos, .cosCompatible] {
      for first in [Placement.header, .sign, .fields] {
        for second in Placement.allCases {
          let bench = try await VerifyingBench(service, self)
          let put = try bench.signed(bench.request(.put))
          let before = try await bench.send(first.placed(put))
          XCTAssertEqual(before.status, 200, "\(service) \(first): \(before.text)")
          try await bench.assertRefused(second.placed(put), ["RequestReplayed"], "\(first), then \(second)")
        }
      }
    }
  }

  func testOSSSignatureCannotBeMoved() async throws {
    for service in [VerifyingBench.Service.ossV1, .ossV4] {
      let bench = try await VerifyingBench(service, self)
      let put = try bench.signed(bench.request(.put))
      let authorization = try XCTUnwrap(put.headerFields[.authorization])
      let signature = try XCTUnwrap(authorization.split { $0 == ":" || $0 == "=" }.last.map(String.init))
      var moved = put
      moved.headerFields[.authorization] = nil
      let date = String(VerifyingBench.date.unixSeconds)
      let encoded = signature.replacing("+", with: "%2B").replacing("/", with: "%2F") + (service == .ossV1 ? "=" : "")
      let query =
        service == .ossV1
        ? "OSSAccessKeyId=LTAItest&Expires=\(date)&Signature=\(encoded)"
        : "x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-date=20261120T080000Z&x-oss-expires=900&x-oss-credential="
          + "LTAItest/20261120/cn-hangzhou/oss/aliyun_v4_request&x-oss-signature=\(encoded)"
      moved.path = (put.path ?? "") + "?" + query
      try await bench.assertRefused(
        moved, ["SignatureDoesNotMatch", "InvalidArgument", "AccessDenied"], "in the URL")
    }
  }

  func testLastFractionOfASecondIsGuardedAgainstReplay() async throws {
    let bench = try await VerifyingBench(.cos, self)
    var put = try bench.request(.put)
    let window = COSKeyTime(from: bench.time.now, until: bench.time.now.advanced(by: .seconds(10)))
    try COSSigner().sign(&put, with: VerifyingBench.key, during: window)
    bench.time.advance(by: .milliseconds(10_400))
    let first = try await bench.send(put)
    XCTAssertEqual(first.status, 200, first.text)
    bench.time.advance(by: .milliseconds(300))
    try await bench.assertRefused(put, ["RequestReplayed"], "in the last second")
  }

  func testOneUserOfAKeyCannotLockOutOthers() async throws {
    try await withEach { bench in
      let full = try await VerifyingBench(
        bench.service, self, replays: ReplayGuard(MemoryReplayStore(limit: 40)))
      var statuses: [Int] = []
      for number in 0..<60 {
        statuses.append(try await full.send(full.signed(full.request(.put, "flood/\(number)"))).status)
      }
      XCTAssertEqual(Set(statuses), [200, 503], "\(bench.service)")
      for number in 0..<5 {
        let other = try full.signed(full.request(.put, "\(number)"), with: VerifyingBench.temporary)
        let (status, text) = try await full.send(other)
        XCTAssertEqual(status, 200, "\(bench.service): \(text)")
        try await full.assertRefused(other, ["RequestReplayed"], "again")
      }
      full.time.advance(by: .seconds(3700))
      let later = try await full.send(full.signed(full.request(.put, "later")))
      XCTAssertEqual(later.status, 200, "\(bench.service): its own signatures have expired")
    }
  }

  func testOtherSpellingOfTheKeyIDIsNotASecondUse() async throws {
    try await withEach { bench in
      let put = try bench.signed(bench.request(.put), with: VerifyingBench.withK)
      let first = try await bench.send(put)
      XCTAssertEqual(first.status, 200, first.text)
      var respelt = put
      respelt.headerFields[.authorization] = put.headerFields[.authorization]?.replacing("AKID", with: "A\u{212A}ID")
      let before = bench.handled.value
      let (status, text) = try await bench.exchange(respelt)
      XCTAssertTrue([400, 403].contains(status), "\(bench.service): \(status) \(text)")
      XCTAssertEqual(bench.handled.value, before, "\(bench.service): the handler was reached")
    }
  }

  /// The locations of a COS authorization.
  private enum Placement: CaseIterable {
    case header, sign, fields

    /// Returns the request with the authorization moved from its header to this location.
    func placed(_ request: HTTPRequest) throws -> HTTPRequest {
      guard self != .header else { return request }
      let authorization = try XCTUnwrap(request.headerFields[.authorization])
      var moved = request
      moved.headerFields[.authorization] = nil
      let escaped = authorization.utf8.map { byte in
        let kept = byte == 0x2d || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        return kept ? String(UnicodeScalar(byte)) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
      let path = request.path ?? ""
      let separator = path.contains("?") ? "&" : "?"
      moved.path = path + separator + (self == .sign ? "sign=\(escaped.joined())" : authorization)
      return moved
    }
  }
}
