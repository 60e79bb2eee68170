// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// The rule that declarations of newer systems than the manifest's are used in one file each, behind a replacement.
///
/// `make apple-check` finds all such declarations in what it compiles; this test finds the usual ones everywhere.
final class NewerSystemsTests: XCTestCase {
  /// The only file that may use what iOS 18 and macOS 15 have for locks.
  private static let lock = "Sources/Core/StorageAuth/Concurrency/Lock.swift"

  private func files() throws -> [SourceTree.File] {
    let files = try ["Sources", "Tests", "Examples", "Benchmarks"].flatMap { try SourceTree($0).files }
    XCTAssertGreaterThan(files.count, 500)
    return files.filter { !$0.path.hasSuffix("/NewerSystemsTests.swift") }
  }

  func testOneFileImportsTheLocksOfTheSystems() throws {
    let users = try files().filter { !$0.imports.filter(["Synchronization", "os"].contains).isEmpty }
    XCTAssertEqual(users.map(\.path), [Self.lock], "use Lock")
  }

  func testNewerDeclarationsAreReplaced() throws {
    for file in try files() {
      for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        guard let problem = Self.problem(in: line), file.path != Self.lock else { continue }
        XCTFail("\(file.path): \(problem):\(line)")
      }
    }
  }

  func testEachNewerDeclarationIsFound() {
    let newer = [
      "let state = Mutex(State())", "let count = Atomic<Int>(0)", "let n: UInt128 = 1", "let m = Int128(duration)",
      "String(validating: bytes, as: UTF8.self)", "try await base.next(isolation: actor)",
      "_ body: some AsyncSequence<[UInt8], any Error>",
    ]
    for line in newer { XCTAssertNotNil(Self.problem(in: line[...]), line) }
    let others = [
      "String(validating: item.name)", "func next(isolation actor: isolated (any Actor)?)", "Lock(Int64(1))",
    ]
    for line in others { XCTAssertNil(Self.problem(in: line[...]), line) }
  }

  /// The texts of newer declarations, each with what replaces it.
  private static let newer: [(texts: [String], advice: String)] = [
    (["Mutex("], "use Lock"), (["Mutex<"], "use Lock"), (["Atomic("], "use Lock"), (["Atomic<"], "use Lock"),
    (["Int128"], "use Int64, or two integers"), (["String(validating:", "as:"], "use String(utf8:)"),
    ([".next(isolation:"], "use nextElement()"), (["AsyncSequence<"], "name the element in a where clause"),
  ]

  private static func problem(in line: Substring) -> String? {
    newer.first { $0.texts.allSatisfy { line.contains($0) } }?.advice
  }
}
