// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Checks the form and the references of the pages in `Documentation`.
final class DocumentationTests: XCTestCase {
  private static let folder = SourceTree.root.appending(path: "Documentation", directoryHint: .isDirectory)

  private func page(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  private func pageNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Self.folder.path(percentEncoded: false))
      .filter { $0.hasSuffix(".md") }.sorted()
  }

  func testDecisionsAreNumberedAndHaveTheSameParts() throws {
    let records = try page("Internals/Decisions.md").components(separatedBy: "\n### ").dropFirst()
    XCTAssertGreaterThan(records.count, 50)
    for (index, record) in records.enumerated() {
      XCTAssertTrue(record.hasPrefix("\(index + 1). "), "Record \(index + 1) starts with another number: \(record)")
      let parts = record.matches(of: #/\n- \*\*(\w+)\.\*\* /#).map { String($0.1) }
      XCTAssertEqual(parts, ["Context", "Decision", "Consequence"], "Record \(index + 1)")
    }
  }

  func testNamedTestSuitesExist() throws {
    var suites: Set<String> = []
    for file in try SourceTree("Tests").files {
      for line in file.lines {
        if let match = line.firstMatch(of: /\bclass (\w+Tests):/) { suites.insert(String(match.1)) }
      }
    }
    for name in ["Internals/Architecture.md", "Internals/Decisions.md", "Internals/Mitigations.md"] {
      let named = try page(name).matches(of: /`(\w+Tests)`/).map { String($0.1) }
      XCTAssertFalse(named.isEmpty, name)
      for suite in named { XCTAssertTrue(suites.contains(suite), "\(name) names \(suite), which does not exist.") }
    }
  }

  func testRelativeLinksResolve() throws {
    var count = 0
    for name in try pageNames() {
      for match in try page(name).matches(of: /\]\(([^()#:\s]+)(?:#[^()\s]*)?\)/) {
        count += 1
        let target = Self.folder.appending(path: String(match.1)).standardizedFileURL.path(percentEncoded: false)
        XCTAssertTrue(FileManager.default.fileExists(atPath: target), "\(name) links to \(match.1).")
      }
    }
    XCTAssertGreaterThan(count, 30)
  }
}
