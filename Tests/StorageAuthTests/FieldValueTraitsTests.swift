// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Inspection of header values, and collapsing of their white space.
final class FieldValueTraitsTests: XCTestCase {
  private func field(_ value: [UInt8]) throws -> HTTPFields {
    [HTTPField(name: try XCTUnwrap(HTTPField.Name("x-value")), lenientValue: value)].reduce(into: HTTPFields()) {
      $0.append($1)
    }
  }

  /// Returns the expected value by the rule's description: split at blanks and joined with one space.
  private func collapsed(_ value: [UInt8]) -> [UInt8] {
    Array(value.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.joined(separator: [UInt8(ascii: " ")]))
  }

  private func values() -> [[UInt8]] {
    var values = ["", " ", "  ", "a", " a", "a ", "a b", "a  b", "a\tb", "\ta", "a\t", "é b", "a\u{7f}", "a\u{1}b"].map
    { Array($0.utf8) }
    values += [[0x61, 0xff], [0xff, 0x20, 0x20, 0x61]]
    // Each of them at every position of a value that is inspected several bytes at a time.
    let filler = Array(repeating: UInt8(ascii: "x"), count: 70)
    for piece in values {
      for place in [0, 1, 15, 16, 31, 32, 33, 69, 70] {
        values.append(filler[..<place] + piece + filler[place...])
      }
    }
    return values
  }

  func testWhiteSpaceOfAValueIsCollapsed() throws {
    for value in values() {
      let fields = try field(value)
      let traits = fields.traitsOfValue(at: 0)
      XCTAssertEqual(
        traits.holdsControl, value.contains { $0 < 0x20 || $0 == 0x7f }, String(decoding: value, as: UTF8.self))
      for isCollapsed in Set([false, traits.isCollapsed]) {
        let header = SelectedHeader(name: ContiguousArray("x-value".utf8).span, index: 0, isCollapsed: isCollapsed)
        let written = [UInt8](writing: { $0.append(collapsingValueOf: header, in: FieldDraft(fields)) })
        XCTAssertEqual(written, collapsed(value), String(decoding: value, as: UTF8.self))
      }
    }
  }

  func testPlainValueIsRecognizedAsCollapsed() throws {
    for value in ["", "a", "a b", "image/jpeg; charset=utf-8", String(repeating: "x y ", count: 40) + "z"] {
      XCTAssertTrue(try field(Array(value.utf8)).traitsOfValue(at: 0).isCollapsed, value)
    }
    for value in [" a", "a ", "a  b", "é", "a\tb", " "] {
      XCTAssertFalse(try field(Array(value.utf8)).traitsOfValue(at: 0).isCollapsed, value)
    }
  }
}
