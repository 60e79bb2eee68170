// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import storage_auth

/// The alignment of two signed strings, and the parts in which their lines differ.
final class LineComparisonTests: XCTestCase {
  private func shown(_ client: String, _ service: String) -> [String] {
    LineComparison(client: client, service: service).rows.map { row in
      func text(_ line: LineComparison.Line?) -> String {
        line.map { $0.difference.isEmpty ? $0.text : "\($0.commonPrefix)[\($0.difference)]\($0.commonSuffix)" } ?? "-"
      }
      return (row.differs ? "! " : "  ") + text(row.client) + " | " + text(row.service)
    }
  }

  func testEqualLinesAreNotMarked() {
    XCTAssertEqual(shown("PUT\n\na", "PUT\n\na"), ["  PUT | PUT", "   | ", "  a | a"])
  }

  func testDifferingPartOfALineIsMarked() {
    XCTAssertEqual(
      shown("PUT\n\ntext/plain\na", "PUT\n\ntext/html\na"),
      ["  PUT | PUT", "   | ", "! text/[plain] | text/[html]", "  a | a"])
    XCTAssertEqual(shown("aXXa", "aXa"), ["! aX[X]a | aXa"])
    XCTAssertEqual(shown("", "text/plain"), ["!  | [text/plain]"])
  }

  func testAddedLineIsAlignedWithNoLine() {
    XCTAssertEqual(
      shown("a:1\nc:3\n", "a:1\nb:2\nc:3\n"), ["  a:1 | a:1", "! - | [b:2]", "  c:3 | c:3", "   | "])
    XCTAssertEqual(shown("a\nb\nc", "a\nc"), ["  a | a", "! [b] | -", "  c | c"])
  }

  func testRowsContainNoLineForTheSideThatLacksIt() throws {
    let pair = try XCTUnwrap(ComparedString("a", client: "a\nb\nc", service: "a\nc")).json(marking: [])
    XCTAssertEqual(pair["rows"]?[1]?["client"]?[1]?.string, "b")
    XCTAssertEqual(pair["rows"]?[1]?["service"], .null)
    let single = try XCTUnwrap(ComparedString("a", client: "a\nb", service: nil)).json(marking: ["b"])
    XCTAssertEqual(single["rows"]?[1]?["client"], .null)
    XCTAssertEqual(single["rows"]?[1]?["service"]?[0]?.string, "b")
    XCTAssertEqual(single["rows"]?[1]?["differs"]?.bool, true)
    XCTAssertNil(ComparedString("a", client: nil, service: nil))
  }

  func testStringsWithManyLinesAreComparedByPosition() {
    let lines = (0..<5_000).map(String.init)
    let rows = LineComparison(
      client: lines.joined(separator: "\n"), service: (["0", "x"] + lines.dropFirst(2)).joined(separator: "\n")
    ).rows
    XCTAssertEqual(rows.count, 5_000)
    XCTAssertEqual(rows.filter(\.differs).map(\.service?.text), ["x"])
  }

  // matrix: Console: hostile text
  func testControlAndDirectionCharactersAreEscaped() {
    XCTAssertEqual(
      shown("a\u{202E}b\r", "ab\u{1B}[2J"), [#"! a[\u{202E}b\r] | a[b\u{1B}[2J]"#])
    XCTAssertEqual(shown("caf\u{E9}", "cafe\u{301}"), ["! caf[\u{E9}] | caf[e\u{301}]"])
  }
}
