// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuthServer
import StorageCrypto
import XCTest

/// Tests the middleware's error responses on the wire and in the log.
final class VerifyingAnswerTests: XCTestCase {
  func testKeyIDInAURLCannotForgeALogLine() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      var request = try bench.presigned(bench.request())
      request.path = request.path?.replacing("LTAItest", with: "LTAI%0Atest%1B%5B2K")
      let (status, text) = try await bench.send(request)
      XCTAssertEqual(status, 400, text)
      let written = bench.log.all.filter { $0.contains("refused") }
      XCTAssertEqual(written.count, 1, "\(service): \(bench.log.all)")
      for line in written {
        XCTAssertFalse(line.contains("LTAI"), "an invalid id must not be logged: \(line)")
        XCTAssertFalse(line.unicodeScalars.contains { $0.value < 0x20 }, "\(service): \(line)")
      }
    }
  }

  func testRejectedHeadHasNoBody() async throws {
    for service in VerifyingBench.Service.allCases {
      for answers in [RefusalFormat.xml, .json] {
        let bench = try await VerifyingBench(service, self, answers: answers)
        let answer = try await bench.exchange("HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 403 "), answer)
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n"), answer)
        XCTAssertEqual(
          answer.lowercased().contains("\r\nx-oss-err: "), (service == .ossV4 || service == .ossV1) && answers == .xml,
          answer)
      }
    }
  }

  func testTargetThatIsNotAPathIsRejected() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      let signed = try bench.signed(bench.request())
      let path = signed.path ?? ""
      let right = try await bench.exchange(bench.wire(signed, path))
      XCTAssertTrue(right.hasPrefix("HTTP/1.1 200 "), right)
      let before = (bench.handled.value, bench.lookups.value)
      for target in ["*", "x\(path)", "/\(path)", "?\(path)", "\(bench.endpoint.authority)\(path)"] {
        let answer = try await bench.exchange(bench.wire(signed, target))
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 403 "), "\(target): \(answer)")
      }
      let twice = bench.wire(signed, path).replacing("\r\nHost:", with: "\r\nHost: other.example\r\nHost:")
      let answer = try await bench.exchange(twice)
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 403 "), answer)
      XCTAssertEqual(bench.handled.value, before.0, "a handler was reached")
    }
  }

  func testPayloadHashIsVerifiedForChunkedBodies() async throws {
    for service in VerifyingBench.Service.allCases {
      for (name, chunks, status) in [
        ("right", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "200"), ("another", "5\r\njello\r\n0\r\n\r\n", "400"),
        ("longer", "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "400"), ("shorter", "4\r\nhell\r\n0\r\n\r\n", "400"),
        ("empty", "0\r\n\r\n", "400"),
      ] {
        let bench = try await VerifyingBench(service, self)
        var plain = try bench.request(.post, headers: [.contentMD5: MD5.hash(Array("hello".utf8)).base64])
        plain.headerFields[.transferEncoding] = "chunked"
        let signed = try bench.signed(plain)
        let answer = try await bench.exchange(bench.wire(signed, signed.path ?? "") + chunks)
        // The strict mode of COS requires a signed length, and a chunked body has none.
        let expected = service == .cos ? "403" : status
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 \(expected) "), "\(service) \(name): \(answer)")
        XCTAssertEqual(bench.handled.value, expected == "200" ? 1 : 0, "\(service) \(name)")
      }
    }
  }
}
