// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// The pages about the threat model: each number stands for one threat or risk, and each named test exists.
final class ThreatModelTests: XCTestCase {
  private func page() throws -> String {
    try ["ThreatModel.md", "Internals/Mitigations.md"].map { name in
      try String(contentsOf: SourceTree.root.appending(path: "Documentation/\(name)"), encoding: .utf8)
    }.joined(separator: "\n")
  }

  /// Returns the numbers that lines define, such as `T1` in `| T1 | …` and `R1` in `- R1. …`.
  private func definitions(_ page: String) -> [String] {
    page.matches(of: #/(?m)^(?:\| ([ABXT]\d+) \||- (R\d+)\.)/#).compactMap { ($0.1 ?? $0.2).map(String.init) }
  }

  func testEachNumberIsDefinedOnce() throws {
    let page = try page()
    let defined = definitions(page)
    XCTAssertGreaterThan(defined.count, 80)
    let repeated = Dictionary(grouping: defined, by: \.self).filter { $1.count > 1 }.keys.sorted()
    XCTAssertEqual(repeated, [], "these numbers stand twice")
    let used = Set(page.matches(of: #/\b[TR]\d+\b/#).map { String($0.0) })
    XCTAssertEqual(used.subtracting(defined).sorted(), [], "these numbers are not defined")
  }

  func testOtherPagesNameDefinedNumbers() throws {
    let defined = Set(definitions(try page()))
    let folder = SourceTree.root.appending(path: "Documentation")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".md") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      for match in text.matches(of: #/ThreatModel\.md[^)]*\)[^.\n]*?\b([TR]\d+)\b/#) {
        XCTAssertTrue(defined.contains(String(match.1)), "\(name) names \(match.1)")
      }
    }
  }

  func testNamedTestsExist() throws {
    let suites = Set(
      try SourceTree("Tests").files.flatMap(\.lines).compactMap { line in
        line.firstMatch(of: #/\bclass (\w+): \w+/#).map { String($0.1) }
      })
    let makefile = try String(contentsOf: SourceTree.root.appending(path: "Makefile"), encoding: .utf8)
    for row in try page().split(separator: "\n") where row.starts(with: #/\| T\d+ \|/#) {
      let tests = row.split(separator: "|").last ?? ""
      let names = tests.matches(of: #/`([^`]+)`/#).map { String($0.1) }
      XCTAssertFalse(names.isEmpty, "no test: \(row)")
      for name in names {
        if name.hasPrefix("make ") {
          let target = name.dropFirst("make ".count)
          XCTAssertTrue(makefile.contains(try Regex("(?m)^([\\w .-]+ )?\(target)( [\\w .-]+)?:")), name)
        } else if name.hasPrefix("Tests/") {
          let path = SourceTree.root.appending(path: name).path
          XCTAssertTrue(FileManager.default.fileExists(atPath: path), name)
        } else {
          XCTAssertTrue(suites.contains(name), "no test suite \(name) for \(row.prefix(60))")
        }
      }
    }
  }
}
