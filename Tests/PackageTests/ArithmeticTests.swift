// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// No trap on integers from outside the process.
///
/// Swift traps where arithmetic overflows, where a number does not fit into another type, where a range ends before it
/// starts, and where a count is negative. A number from outside is parsed with `init(digits:)`, which refuses numbers so
/// large that a sum of a few of them could overflow. Products, and sums of any number of them, are computed with
/// `checkedAdding(_:)`, `saturatingAdding(_:)` and `multipliedReportingOverflow(by:)`.
final class ArithmeticTests: XCTestCase {
  /// Forms that can trap on input, each with the safe replacement.
  private let refused: [(form: Regex<Substring>, instead: String)] = [
    (#/uniqueKeysWithValues:/#, "Dictionary(_:uniquingKeysWith:)"),
    (#/\bU?Int(?:8|16|32|64)?\((?!exactly:)[^()]*\.rounded\(/#, "Int64(exactly:)"),
    (#/\bU?Int(?:8|16|32|64)?\(Double\(/#, "Int64(exactly:)"),
    (#/\bU?Int(?:8|16|32|64)?\(truncating:/#, "init(exactly:) or init(clamping:)"),
    (#/unsafe(?:Adding|Subtracting|Multiplied)\(/#, "checkedAdding(_:)"),
    (
      #/\blet \w+ = (?:try )?U?Int(?:8|16|32|64)?\((?!exactly:)[^:()]*\)(?:,| else)/#,
      "init(digits:)"
    ),
    (#/(?:flatMap|compactMap)\(?\s?\{ U?Int(?:8|16|32|64)?\(\$0\)/#, "init(digits:)"),
    (#/\bstride\(from: \w+(?:, to|, through): \w+, by: Int\(/#, "a loop with saturatingAdding(_:)"),
  ]

  func testSourcesContainNoTrappingNumberConversions() throws {
    for file in try Self.sources() {
      for line in file.lines.map(Self.code) {
        for (form, instead) in refused where line.firstMatch(of: form) != nil {
          XCTFail("\(file.path) may trap on input; use \(instead): \(line)")
        }
      }
    }
  }

  func testLintFindsTrappingConversionsAndUnboundedNumbers() {
    for line in [
      "Dictionary(uniqueKeysWithValues: pairs)", "Int(value.rounded(.down))", "Int64(Double(size) * 1.5)",
      "count.unsafeAdding(1)", "guard let size = Int64(text) else {", "guard isOpen, let port = Int(parts[1]),",
      "parts.compactMap { Int($0) }", "header.flatMap({ UInt32($0) })",
    ] { XCTAssertTrue(isRefused(Self.code(line[...])), line) }
    for line in [
      "let count = Int(min(limit, rest))", "guard let size = Int64(digits: text) else {",
      "Int(exactly: value.rounded())",
      "if let port = UInt16(exactly: number) {", "bytes.map { UInt64($0) }", "// Int(text.rounded())",
    ] { XCTAssertFalse(isRefused(Self.code(line[...])), line) }
  }

  private static func sources() throws -> [SourceTree.File] {
    try SourceTree("Sources").files.filter {
      !["StorageAuthTesting", "StorageClientTesting"].contains($0.target)
    }
  }

  private func isRefused(_ line: String) -> Bool {
    refused.contains { line.firstMatch(of: $0.form) != nil }
  }

  /// Returns a line without its white space, its comment and the contents of its literals.
  private static func code(_ line: Substring) -> String {
    var code = ""
    var isText = false
    var isEscaped = false
    for character in line.drop(while: { $0 == " " }) {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isText = false
          code.append(character)
        }
        continue
      }
      code.append(character)
      if character == "\"" { isText = true }
      if code.hasSuffix("//") { return String(code.dropLast(2)) }
    }
    return code
  }
}
