// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests that forged callbacks are refused, each for its own reason, and before work is done for them.
final class CallbackForgeryTests: XCTestCase {
  private static let keyURL = "http://gosspublic.alicdn.com/callback_pub_key_v1.pem"

  /// The public key of OSS, which is published at the URL above.
  private static let vendorKey = """
    -----BEGIN PUBLIC KEY-----
    MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKs/JBGzwUB2aVht4crBx3oIPBLNsjGs
    C0fTXv+nvlmklvkcolvpvXLTjaxUHR3W9LXxQ2EHXAJfCB+6H2YF1k8CAwEAAQ==
    -----END PUBLIC KEY-----
    """

  private static let body = Array("bucket=yonghu-test".utf8)

  /// The example of the page "Callback", <https://www.alibabacloud.com/help/en/oss/developer-reference/callback>.
  private static func example(_ change: (inout HTTPRequest) throws -> Void = { _ in }) throws -> HTTPRequest {
    var request = HTTPRequest(method: .post, scheme: "http", authority: "app", path: "/index.php?id=1&index=2")
    request.headerFields[.authorization] =
      "kKQeGTRccDKyHB3H9vF+xYMSrmhMZjzzl2/kdD1ktNVgbWEfYTQG0G2SU/RaHBovRCE8OkQDjC3uG33esH2txA=="
    request.headerFields[try name] = Array(keyURL.utf8).base64
    try change(&request)
    return request
  }

  private static var name: HTTPField.Name { get throws { try XCTUnwrap(HTTPField.Name("x-oss-pub-key-url")) } }

  private let transport = ScriptedTransport { request in
    .text(request.head.authority == "gosspublic.alicdn.com" ? vendorKey : "")
  }

  private func assertRefused(
    _ code: CallbackRefusal.Code, fetches: Int, body: [UInt8] = body, line: UInt = #line,
    _ change: (inout HTTPRequest) throws -> Void
  ) async throws {
    let before = transport.requests.count
    let verifier = CallbackVerifier(transport: transport)
    do {
      _ = try await verifier.verify(try Self.example(change), body: body)
      XCTFail("accepted", line: line)
    } catch let refusal as CallbackRefusal {
      XCTAssertEqual(refusal.code, code, refusal.message, line: line)
    }
    XCTAssertEqual(transport.requests.count - before, fetches, "fetches", line: line)
  }

  // matrix: OSS callback: verification
  func testExampleOfTheVendorIsAccepted() async throws {
    let verifier = CallbackVerifier(transport: transport)
    let callback = try await verifier.verify(try Self.example(), body: Self.body)
    XCTAssertEqual(callback.value(of: "bucket"), "yonghu-test")
    XCTAssertEqual(callback.target, "/index.php?id=1&index=2")
    _ = try await verifier.verify(try Self.example { $0.path = "/%69ndex.php?id=1&index=2" }, body: Self.body)
    XCTAssertEqual(
      transport.requests.map(\.url), ["https://gosspublic.alicdn.com/callback_pub_key_v1.pem"],
      "the key is fetched once, over TLS")
  }

  // matrix: OSS callback: forgery
  func testChangedPartsAreRefused() async throws {
    try await assertRefused(.mismatch, fetches: 1, body: Array("bucket=yonghu-tess".utf8)) { _ in }
    try await assertRefused(.mismatch, fetches: 1, body: Self.body + [10]) { _ in }
    try await assertRefused(.mismatch, fetches: 1) { $0.path = "/index.php?id=2&index=2" }
    try await assertRefused(.mismatch, fetches: 1) { $0.path = "/index.php?id=1%26index=2" }
    try await assertRefused(.mismatch, fetches: 1) { $0.path = "/other.php?id=1&index=2" }
    try await assertRefused(.mismatch, fetches: 1) { $0.path = "/index.php" }
    try await assertRefused(.method, fetches: 0) { $0.method = .put }
  }

  // matrix: OSS callback: forgery
  func testBoundariesOfThePartsCannotMove() async throws {
    try await assertRefused(.target, fetches: 0) { $0.path = "/index.php%3Fid=1&index=2" }
    try await assertRefused(.target, fetches: 0, body: Array("yonghu-test".utf8)) {
      $0.path = "/index.php%3Fid=1&index=2%0Abucket="
    }
    try await assertRefused(.target, fetches: 0, body: []) { $0.path = "/index.php?id=1&index=2\nbucket=yonghu-test" }
    try await assertRefused(.target, fetches: 0) { $0.path = "/index.php%?id=1&index=2" }
    try await assertRefused(.target, fetches: 0) { $0.path = "index.php?id=1&index=2" }
    try await assertRefused(.target, fetches: 0) { $0.path = "/?" + String(repeating: "a", count: 9_000) }
  }

  // matrix: OSS callback: forgery
  func testKeysFromOtherPlacesAreRefusedWithoutAFetch() async throws {
    for url in [
      "http://example.com/callback_pub_key_v1.pem", "https://gosspublic.alicdn.com.example.com/k.pem",
      "http://gosspublic.alicdn.com@example.com/k.pem", "http://example.com@gosspublic.alicdn.com/k.pem",
      "http://user:pass@gosspublic.alicdn.com/k.pem", "http://gosspublic.alicdn.com:8080/k.pem",
      "http://GOSSPUBLIC.alicdn.com./k.pem", "ftp://gosspublic.alicdn.com/k.pem", "//gosspublic.alicdn.com/k.pem",
      "http://gosspublic.alicdn.com\\@example.com/k.pem", "http://gosspublic.alicdn.com",
      "http://gosspublic.alicdn.com/",
      "http://gosspublic.alicdn.com/../k.pem", "http://gosspublic.alicdn.com/k.pem?u=http://example.com",
      "http://gosspublic.alicdn.com/k.pem#x", "http://gosspublic.alicdn.com/%2e%2e/k", "http://127.0.0.1/k.pem",
      "http://gosspublic.аlicdn.com/k.pem", "http://gosspublic.alicdn.com/" + String(repeating: "k", count: 200), "",
    ] {
      try await assertRefused(url.isEmpty ? .missingHeader : .keyLocation, fetches: 0) {
        $0.headerFields[try Self.name] = Array(url.utf8).base64
      }
    }
  }

  // matrix: OSS callback: forgery
  func testMissingAndMalformedHeadersAreRefusedWithoutAFetch() async throws {
    for name in [HTTPField.Name.authorization, try Self.name] {
      try await assertRefused(.missingHeader, fetches: 0) { $0.headerFields[name] = nil }
      try await assertRefused(.missingHeader, fetches: 0) {
        let value = $0.headerFields[name] ?? ""
        $0.headerFields[values: name] = [value, value]
      }
      for value in ["e", "!!!!", "====", "YQ=", " ", String(repeating: "A", count: 2_000)] {
        try await assertRefused(value == " " ? .missingHeader : .malformedHeader, fetches: 0) {
          $0.headerFields[name] = value.trimmed
        }
      }
    }
    try await assertRefused(.malformedHeader, fetches: 0) { $0.headerFields[.authorization] = "YQ==" }
  }

  // matrix: OSS callback: forgery
  func testSignatureOfAnotherKeyIsRefused() async throws {
    let other = try PrivateKey.generateRSA(bits: 2048)
    let message = Array("/index.php?id=1&index=2\n".utf8) + Self.body
    let signature = try other.sign(message, with: .rsaPKCS1MD5)
    try await assertRefused(.mismatch, fetches: 1) { $0.headerFields[.authorization] = signature.base64 }
    let pem = try XCTUnwrap(other.publicKey.pem)
    let verifier = CallbackVerifier(transport: ScriptedTransport { _ in .text(pem) })
    _ = try await verifier.verify(
      try Self.example { $0.headerFields[.authorization] = signature.base64 }, body: Self.body)
    for algorithm: SignatureAlgorithm in [.rsaPKCS1(.sha256), .rsaPSS(.sha256)] {
      let wrong = try other.sign(message, with: algorithm)
      do {
        _ = try await verifier.verify(
          try Self.example { $0.headerFields[.authorization] = wrong.base64 }, body: Self.body)
        XCTFail("accepted")
      } catch let refusal as CallbackRefusal {
        XCTAssertEqual(refusal.code, .mismatch)
      }
    }
  }

  // matrix: OSS callback: forgery
  func testLargeBodyIsRefusedWithoutAFetch() async throws {
    try await assertRefused(.bodyTooLarge, fetches: 0, body: [UInt8](repeating: 0, count: 64 * 1024 + 1)) { _ in }
  }
}

extension String {
  fileprivate var trimmed: String { self == " " ? "" : self }
}
