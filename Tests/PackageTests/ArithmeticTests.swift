// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// No trap on integers from outside the process.
///
/// Swift traps where arithmetic overflows, where a number does not fit into another type, where a range ends before it
/// starts, and where a count is negative. `Arithmetic.txt` lists every line of `Sources` that computes with Swift's own
/// operators and is not safe by its form, below the reason why it cannot trap. Numbers from outside are computed with
/// `checkedAdding(_:)` and `saturatingAdding(_:)` instead, and parsed with `init(digits:)`.
final class ArithmeticTests: XCTestCase {
  /// Forms that can trap on input, each with the safe replacement.
  private let refused: [(form: Regex<Substring>, instead: String)] = [
    (#/uniqueKeysWithValues:/#, "Dictionary(_:uniquingKeysWith:)"),
    (#/\bU?Int(?:8|16|32|64)?\((?!exactly:)[^()]*\.rounded\(/#, "Int64(exactly:)"),
    (#/\bU?Int(?:8|16|32|64)?\(Double\(/#, "Int64(exactly:)"),
    (#/\bU?Int(?:8|16|32|64)?\(truncating:/#, "init(exactly:) or init(clamping:)"),
    (#/unsafe(?:Adding|Subtracting|Multiplied)\(/#, "checkedAdding(_:)"),
    (#/\bstride\(from: \w+(?:, to|, through): \w+, by: Int\(/#, "a loop with saturatingAdding(_:)"),
  ]

  /// Operations that are safe by their form, each with its replacement before the search.
  ///
  /// A counter that changes by one takes centuries to overflow; memory holds far fewer bytes than there are integers,
  /// so that sums of counts and literals fit; sums with a string or array literal are not arithmetic.
  private let safeForms: [(form: Regex<Substring>, rest: String)] = [
    (#/ [+\-]= 1\b/#, " "),
    (#/\b[0-9][0-9_]*(?: (?:\*|<<) [0-9][0-9_]*)+/#, "0"),
    (#/ \+=? (?=\[|")/#, " "),
    (#/(?:\]|") \+ /#, "] "),
    (#/\.count [+\-] (?:[0-9]+|[A-Za-z_.]+\.count)\b/#, ".count"),
    (#/\b(?:index|place|colon|start|end) \+ [0-9]\b/#, "index"),
  ]

  private let operation = #/[A-Za-z0-9_)\]}!?"] (?:\+|-|\*|<<|\+=|-=|\*=|<<=) \S/#
  private let continuation = #/^[+\-*] \S/#

  func testSourcesContainNoTrappingNumberConversions() throws {
    for file in try Self.sources() {
      for line in file.lines.map(Self.code) {
        for (form, instead) in refused where line.firstMatch(of: form) != nil {
          XCTFail("\(file.path) may trap on input; use \(instead): \(line)")
        }
      }
    }
  }

  func testUncheckedArithmeticIsListedWithItsReason() throws {
    let listed = try Self.listed()
    var found: Set<String> = []
    for file in try Self.sources() {
      for line in file.lines where computes(Self.code(line)) {
        found.insert("\(file.path): \(line.drop { $0 == " " })")
      }
    }
    for line in found.subtracting(listed).sorted() {
      XCTFail("Check the operation, or list it in Arithmetic.txt below the reason why it cannot overflow: \(line)")
    }
    for line in listed.subtracting(found).sorted() {
      XCTFail("Arithmetic.txt lists a line that does not exist: \(line)")
    }
  }

  func testLintFindsUncheckedArithmetic() {
    for line in [
      "first = max(preferred, (length + Self.mostParts - 1) / Self.mostParts)", "offset + count <= content.byteCount",
      "grows ? first << Int64(number) : first", "total += size", "let end = start + length", "- margin",
    ] { XCTAssertTrue(computes(Self.code(line[...])), line) }
    for line in [
      "count += 1", "static let limit = 8 << 20", "let text = \"a + b\"", "// a + b", "offset.checkedAdding(count)",
      "names + [\"a\"]", "case +", "bytes[index + 1]", "func a() -> Int", "let x = -1",
    ] { XCTAssertFalse(computes(Self.code(line[...])), line) }
  }

  private static func sources() throws -> [SourceTree.File] {
    try SourceTree("Sources").files.filter {
      !["StorageAuthTesting", "StorageClientTesting"].contains($0.target)
    }
  }

  private func computes(_ line: String) -> Bool {
    var line = line
    for (form, rest) in safeForms { line = line.replacing(form, with: rest) }
    return line.firstMatch(of: operation) != nil || line.firstMatch(of: continuation) != nil
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

  /// Returns the lines of the list, each with its file.
  private static func listed() throws -> Set<String> {
    let url = SourceTree.root.appending(path: "Tests/PackageTests/Arithmetic.txt")
    var lines: Set<String> = []
    var file = ""
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("  ") { lines.insert("\(file): \(line.dropFirst(2))") } else { file = String(line) }
    }
    return lines
  }
}
