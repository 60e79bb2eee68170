// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import StorageAuth
import XCTest

/// Mismatch errors: limited in size, computed only for existing keys, and without secrets.
final class COSRefusalTextTests: XCTestCase {
  private func request(_ tokens: [String], parameters: String = "") -> HTTPRequest {
    var request = COSFixture.request(.get, "/photos/e?a=e\(parameters)")
    let names = (["host"] + (tokens.isEmpty ? [] : ["x-cos-meta-x"])).joined(separator: ";")
    if !tokens.isEmpty { request = request.adding("x-cos-meta-x", "eeee") }
    for token in tokens { request = request.adding("x-ci-security-token", token) }
    request.headerFields[.authorization] =
      "q-sign-algorithm=sha1&q-ak=AKIDexample&q-sign-time=\(COSFixture.window)&q-key-time=\(COSFixture.window)"
      + "&q-header-list=\(names)&q-url-param-list=a&q-signature=\(String(repeating: "0", count: 40))"
    return request
  }

  func testValuesChosenByTheClientAreNotUsedForMasking() throws {
    for value in ["e", "redacted", Secret.mask, "=", "\u{80}"] {
      var request = COSFixture.request(.get, "/photos/e")
      for index in 0..<8 {
        request.path = (request.path ?? "") + (index == 0 ? "?" : "&") + "security-token=" + value.percentEncodedForTest
      }
      request.headerFields[.authorization] = self.request([]).headerFields[.authorization]?
        .replacing("list=a&", with: "list=security-token&")
      let error = try XCTUnwrap(COSFixture.refusal(request, .compatible))
      guard let comparison = error.comparison else { continue }
      let text = comparison.stringToSign + (comparison.canonicalRequest ?? "")
      XCTAssertLessThan(text.utf8.count, 1000, value)
      XCTAssertTrue(text.contains("/photos/e"), text)
    }
  }

  func testLongStringsAreTruncated() throws {
    let long = String(repeating: "%C3%A9", count: 5000)
    var request = self.request([])
    request.path = "/" + long + "?a=1"
    let error = try XCTUnwrap(COSFixture.refusal(request, .compatible))
    let comparison = try XCTUnwrap(error.comparison)
    let text = try XCTUnwrap(comparison.canonicalRequest)
    XCTAssertLessThan(text.utf8.count, VerificationError.Comparison.textByteLimit + 40)
    XCTAssertTrue(text.hasSuffix(" bytes)"), String(text.suffix(40)))
    request = self.request([])
    request.headerFields[.authorization]? += String(repeating: "0", count: 10_000)
    if let other = try COSFixture.refusal(request, .compatible)?.comparison {
      XCTAssertLessThan(other.signatureProvided.utf8.count, 300)
    }
  }

  func testErrorForAnUnknownKeyHasNoComparison() async throws {
    let request = self.request([])
    do {
      _ = try await COSVerifier(mode: .compatible).verify(request, at: COSFixture.date) { _ in nil }
      XCTFail("an unknown key was accepted")
    } catch let error as VerificationError {
      XCTAssertEqual(error.code, .unknownKey)
      XCTAssertNil(error.comparison)
    }
  }
}

extension String {
  fileprivate var percentEncodedForTest: String {
    utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }
}
