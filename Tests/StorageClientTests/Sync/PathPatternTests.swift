// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import XCTest

@testable import StorageClient

/// Tests the patterns that select the paths of a synchronization.
final class PathPatternTests: XCTestCase {
  // matrix: Synchronization: selection
  func testPatternsMatchComponentsPathsAndFolders() {
    let matches: [(PathPattern, String)] = [
      ("*.jpg", "cat.jpg"), ("*.jpg", "2026/11/cat.jpg"), ("cat.???", "a/cat.jpg"), ("*", ".hidden"), ("a", "b/a"),
      ("/cat.jpg", "cat.jpg"), ("2026/*.jpg", "2026/cat.jpg"), ("2026/**", "2026/11/cat.jpg"),
      ("**/cat.jpg", "2026/11/cat.jpg"), ("2026/", "2026/11/cat.jpg"), ("a**z", "a--z"), ("a/**/z", "a/b/c/z"),
      ("", ""),
      ("***", "anything"), ("ä*", "äö"),
    ]
    for (pattern, path) in matches { XCTAssertTrue(pattern.matches(path), "\(pattern.text) \(path)") }
    let others: [(PathPattern, String)] = [
      ("*.jpg", "cat.jpeg"), ("2026/*.jpg", "2026/11/cat.jpg"), ("/cat.jpg", "2026/cat.jpg"), ("cat", "cat.jpg"),
      ("?", "ab"), ("2026/", "2026"), ("**/cat.jpg", "cat.jpg"), ("", "a"), ("A", "a"),
    ]
    for (pattern, path) in others { XCTAssertFalse(pattern.matches(path), "\(pattern.text) \(path)") }
  }

  // matrix: Synchronization: selection
  func testQuestionMarkIsOneUnicodeScalar() {
    let matches: [(PathPattern, String)] = [
      ("?", "\u{E9}"), ("?", "\u{20AC}"), ("?", "a/\u{1F468}"), ("??", "e\u{301}"), ("a?b", "a\u{E9}b"),
      ("\u{E9}?", "\u{E9}\u{E9}"), ("/?/x", "\u{20AC}/x"), ("a?b", "a\u{FFFD}b"), ("?", "\u{301}"),
    ]
    for (pattern, path) in matches { XCTAssertTrue(pattern.matches(path), "\(pattern.text) \(path)") }
    let others: [(PathPattern, String)] = [
      ("??", "\u{E9}"), ("????", "\u{1F468}"), ("?", "e\u{301}"), ("a??b", "a\u{E9}b"), ("/x?y", "x/y"), ("?", ""),
    ]
    for (pattern, path) in others { XCTAssertFalse(pattern.matches(path), "\(pattern.text) \(path)") }
  }

  // matrix: Synchronization: selection
  func testWorkOfAPatternIsBounded() {
    let pattern = PathPattern(String(repeating: "*a", count: 50) + "b")
    let clock = ContinuousClock()
    let duration = clock.measure { XCTAssertFalse(pattern.matches(String(repeating: "a", count: 1000))) }
    XCTAssertLessThan(duration, .seconds(10))
  }

  // matrix: Synchronization: selection
  func testExcludesWinOverIncludes() {
    let options = SyncOptions(includes: ["*.jpg", "2026/"], excludes: ["*.tmp.jpg"])
    for path in ["cat.jpg", "a/cat.jpg", "2026/x"] { XCTAssertTrue(options.selects(path), path) }
    for path in ["cat.png", "a.tmp.jpg", "2026/a.tmp.jpg"] { XCTAssertFalse(options.selects(path), path) }
  }
}
