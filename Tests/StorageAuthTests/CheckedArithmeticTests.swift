// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Parsing of decimal digits and overflow-checked sums.
final class CheckedArithmeticTests: XCTestCase {
  func testOnlyASCIIDigitsAreParsed() {
    for text in ["", "+1", "-1", " 1", "1 ", "1.0", "0x1", "\u{0661}", "9223372036854775808", "1_000", "1\u{301}"] {
      XCTAssertNil(Int64(digits: text), text)
    }
    XCTAssertEqual(Int64(digits: "1152921504606846976"), 1 << 60)
    for text in ["1152921504606846977", "9223372036854775807"] { XCTAssertNil(Int64(digits: text), text) }
    XCTAssertEqual(Int64(digits: "007"), 7)
    XCTAssertEqual(UInt8(digits: "255"), 255)
    XCTAssertNil(UInt8(digits: "256"))
  }

  func testSignIsParsedOnlyWhereItIsAllowed() {
    XCTAssertEqual(Int64(signedDigits: "-1152921504606846976"), -1 << 60)
    XCTAssertEqual(Int64(signedDigits: "12"), 12)
    for text in ["", "-", "--1", "+1", "- 1", "-1152921504606846977", "1152921504606846977"] {
      XCTAssertNil(Int64(signedDigits: text), text)
    }
  }

  func testOverflowIsNilOrSaturates() {
    XCTAssertNil(Int64.max.checkedAdding(1))
    XCTAssertNil(Int64.min.checkedAdding(-1))
    XCTAssertEqual(Int64.max.checkedAdding(.min), -1)
    XCTAssertEqual(Int64.max.saturatingAdding(1), .max)
    XCTAssertEqual(Int64.min.saturatingAdding(-1), .min)
    XCTAssertEqual(Int64(2).saturatingAdding(3), 5)
  }
}
