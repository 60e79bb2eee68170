// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Tests that bytes that are not UTF-8 are no string, also in the way of systems without `String(validating:as:)`.
final class UTF8Tests: XCTestCase {
  func testBytesOfStringsAreRead() {
    for text in ["", "cat.jpg", "\0", "ü", "猫", "🐈", "a\u{301}", "\u{FFFD}", "\u{10FFFF}"] {
      let bytes = Array(text.utf8)
      XCTAssertEqual(String(utf8: bytes).map { Array($0.utf8) }, bytes, text)
      XCTAssertEqual(String(unchangedUTF8: bytes).map { Array($0.utf8) }, bytes, text)
      XCTAssertEqual(String(unchangedUTF8: text.utf8).map { Array($0.utf8) }, bytes, text)
    }
  }

  func testOtherBytesAreNoString() {
    let malformed: [[UInt8]] = [
      [0x80], [0xff], [0xc0, 0x80], [0xc3], [0xe7, 0x8c], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x90],
      [0xf4, 0x90, 0x80, 0x80], [0xef, 0xbf, 0xbd, 0xff], [0x61, 0xff, 0xef, 0xbf, 0xbd], [0xef, 0xbf],
    ]
    for bytes in malformed {
      XCTAssertNil(String(utf8: bytes), "\(bytes)")
      XCTAssertNil(String(unchangedUTF8: bytes), "\(bytes)")
    }
  }

  func testBothWaysAgreeOnAllPairsOfBytes() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        XCTAssertEqual(String(utf8: [first, second]), String(unchangedUTF8: [first, second]))
      }
    }
  }
}
