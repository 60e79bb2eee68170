// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Size and depth limits of the XML parser.
final class XMLLimitTests: XCTestCase {
  private func isRead(_ text: String, _ limits: XMLLimits = XMLLimits()) -> Bool {
    (try? XMLNode.parse(Array(text.utf8), limits: limits)) != nil
  }

  func testEachLimitIsExact() {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    XCTAssertTrue(isRead(nested(64)))
    XCTAssertFalse(isRead(nested(65)))
    XCTAssertFalse(isRead(String(repeating: "<a>", count: 100_000)))
    func attributes(_ count: Int) -> String { "<a" + (0..<count).map { " a\($0)=''" }.joined() + "/>" }
    XCTAssertTrue(isRead(attributes(64)))
    XCTAssertFalse(isRead(attributes(65)))
    XCTAssertFalse(isRead(attributes(80_000)))
    func elements(_ count: Int) -> String { "<a>" + String(repeating: "<b/>", count: count - 1) + "</a>" }
    XCTAssertTrue(isRead(elements(100_000)))
    XCTAssertFalse(isRead(elements(100_001)))
    var limits = XMLLimits()
    limits.byteCount = 10
    XCTAssertTrue(isRead("<a>123</a>", limits))
    XCTAssertFalse(isRead("<a>1234</a>", limits))
  }

  func testControlCharactersAreAcceptedOnlyIfAllowed() throws {
    let limits = XMLLimits.allowingControlCharacters
    for text in ["<Key>a&#1;&#x1b;&#31;b</Key>", "<Key>a\u{1}\u{1B}\u{1F}b</Key>"] {
      XCTAssertEqual(try XMLNode.parse(Array(text.utf8), limits: limits).text, "a\u{1}\u{1B}\u{1F}b")
      XCTAssertFalse(isRead(text))
    }
    for other in ["<Key>&#0;</Key>", "<Key>&#xFFFE;</Key>", "<Key>\u{0}</Key>", "<Key>\u{FFFE}</Key>"] {
      XCTAssertFalse(isRead(other, limits), other)
    }
  }
}
