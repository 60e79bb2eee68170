// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import XCTest

/// Byte-wise comparison of identifiers that arrive in requests.
final class ByteExactStringTests: XCTestCase {
  /// Pairs that `String` considers equal.
  private static let equivalents = [
    ("K", "\u{212a}"), (";", "\u{37e}"), ("`", "\u{1fef}"), ("\u{e9}", "e\u{301}"), ("\u{c5}", "\u{212b}"),
  ]

  func testCanonicallyEquivalentTextsAreUnequal() {
    for (first, second) in Self.equivalents {
      XCTAssertEqual(first, second, "String must consider the texts equal for this test")
      XCTAssertNotEqual(ByteExactString(first), ByteExactString(second))
      XCTAssertNotEqual(AccessKeyID(first), AccessKeyID(second))
      XCTAssertEqual(Set([ByteExactString(first), ByteExactString(second)]).count, 2)
      XCTAssertEqual([AccessKeyID(first): 1][AccessKeyID(second)], nil)
      XCTAssertTrue(
        (ByteExactString(first) < ByteExactString(second)) != (ByteExactString(second) < ByteExactString(first)))
    }
  }

  func testPrefixesAndSuffixesAreComparedByBytes() {
    XCTAssertTrue(ByteExactString("e\u{301}x").starts(with: "e"), "the first byte is the byte of e")
    XCTAssertFalse(ByteExactString("\u{212a}x").starts(with: "K"))
    XCTAssertTrue(ByteExactString("a/\u{301}").starts(with: "a/"))
    XCTAssertTrue(ByteExactString("a.txt").ends(with: ".txt"))
    XCTAssertFalse(ByteExactString("a.\u{212a}").ends(with: ".K"))
  }

  func testLowercasingAffectsOnlyASCII() {
    XCTAssertEqual(ByteExactString("\u{212a}EY-\u{130}").asciiLowercased, "\u{212a}ey-\u{130}")
    XCTAssertEqual(ByteExactString("AZaz@[`{").asciiLowercased, "azaz@[`{")
  }

  func testOrderIsByteOrder() {
    let texts: [ByteExactString] = ["", "A", "a", "e\u{301}", "\u{e9}", "\u{ffff}", "\u{10000}"]
    XCTAssertEqual(texts.shuffled().sorted(), texts)
  }

  func testClaimedIdMustBeVisibleASCII() throws {
    XCTAssertEqual(try AccessKeyID(claimed: "LTAI5tK"), "LTAI5tK")
    for id in ["", "LTAI\u{212a}", "xq xq", "a\u{0}", "a\u{7f}", "\u{e9}", "a\n", "\u{37e}"] {
      XCTAssertThrowsError(try AccessKeyID(claimed: id), id) { error in
        XCTAssertEqual((error as? VerificationError)?.code, .malformed)
        XCTAssertFalse("\(error)".contains(id) && !id.isEmpty, "the error repeats the id")
      }
    }
  }

  func testParametersOfATargetAreFoundByTheirBytes() throws {
    let request = HTTPRequest(
      method: .get, scheme: "https", authority: "photos.example.com", path: "/a?%E2%84%AAey=1&Key=2")
    let target = try RequestTarget(of: request)
    XCTAssertEqual(target["Key"], "2")
    XCTAssertNil(target["key"])
    XCTAssertEqual(target.parameters.count, 2)
  }
}
