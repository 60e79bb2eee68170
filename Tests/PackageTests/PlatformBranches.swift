// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// A branch of an `#if` that no build on Linux compiles.
struct PlatformBranch: Hashable, Comparable {
  let file: String
  /// The condition, with `not` before that of an `#if` whose `#else` the branch is.
  let condition: String
  let lineCount: Int

  static func < (first: PlatformBranch, second: PlatformBranch) -> Bool {
    (first.file, first.condition, first.lineCount) < (second.file, second.condition, second.lineCount)
  }

  /// The conditions that hold in some build on Linux: by default, with the stand-in for CommonCrypto (`make
  /// test-backends`), or without the trait `Client` (`Tests/Linkage/check.sh`).
  private static let onLinux: Set<String> = [
    "STORAGE_AUTH_NIO", "not STORAGE_AUTH_NIO", "canImport(CLibcrypto)", "!canImport(CLibcrypto)",
    "canImport(CLibcrypto) || canImport(CryptoExtras)", "!canImport(CLibcrypto) && canImport(CryptoExtras)",
    "canImport(CommonCrypto)",
    "STORAGE_AUTH_URLSESSION", "canImport(FoundationEssentials)", "canImport(FoundationNetworking)", "canImport(Glibc)",
    "os(Linux)", "DEBUG",
    "not DEBUG", "os(Linux) || os(Android)",
  ]

  /// The conditions that hold on other systems alone.
  private static let elsewhere: Set<String> = [
    "!canImport(CLibcrypto) && !canImport(CryptoExtras)", "!canImport(FoundationNetworking)", "canImport(Android)",
    "canImport(Darwin)",
    "canImport(Musl)",
    "canImport(Security)", "canImport(SwiftUI)", "canImport(UIKit)", "os(Windows)", "os(macOS)",
  ]

  /// Returns the branches of a file, and fails the test for an unknown condition.
  static func branches(of file: SourceTree.File) -> [PlatformBranch] {
    var found: [PlatformBranch] = []
    var open: [(conditions: [String], start: Int)] = []
    func close(at index: Int) {
      guard let (conditions, start) = open.last, let last = conditions.last else { return }
      let lines = file.lines[(start + 1)..<index].filter { !$0.allSatisfy(\.isWhitespace) }
      if !isCompiled(conditions, file.path) {
        found.append(PlatformBranch(file: file.path, condition: last, lineCount: lines.count))
      }
    }
    for (index, line) in file.lines.enumerated() {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("#if ") {
        open.append(([String(text.dropFirst(4))], index))
      } else if text.hasPrefix("#elseif ") || text == "#else" {
        close(at: index)
        guard var (conditions, _) = open.popLast() else { continue }
        conditions.append(text == "#else" ? "not \(conditions[0])" : String(text.dropFirst(8)))
        open.append((conditions, index))
      } else if text == "#endif" {
        close(at: index)
        open.removeLast()
      }
    }
    return found
  }

  /// Whether Linux compiles the last of some branches.
  private static func isCompiled(_ conditions: [String], _ path: String) -> Bool {
    guard let last = conditions.last else { return true }
    if onLinux.contains(last) { return true }
    if last.hasPrefix("not ") { return conditions.dropLast().allSatisfy(elsewhere.contains) }
    XCTAssertTrue(elsewhere.contains(last), "\(path): say in PlatformBranches where \(last) holds")
    return false
  }
}

/// Compares the page on the platforms with the `#if` branches in the sources and examples.
final class PlatformPageTests: XCTestCase {
  private static let page = "Documentation/Internals/PlatformBranches.md"

  func testBranchesThatLinuxDoesNotCompileAreListedAndShort() throws {
    // Gates of traits do not depend on the platform.
    let files = try ["Sources", "Examples"].flatMap { try SourceTree($0).files }.filter {
      !$0.path.hasPrefix("Sources/Traits/")
    }
    let branches = files.flatMap(PlatformBranch.branches)
    XCTAssertGreaterThan(branches.count, 10)
    for branch in branches {
      XCTAssertLessThan(branch.lineCount, 30, "\(branch.file), \(branch.condition)")
    }
    let page = try String(contentsOf: SourceTree.root.appending(path: Self.page), encoding: .utf8)
    var listed: [PlatformBranch] = []
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "|` ")) }
      guard cells.count == 4, let count = Int(cells[2]) else { continue }
      listed.append(PlatformBranch(file: cells[0], condition: cells[1], lineCount: count))
    }
    for change in branches.sorted().difference(from: listed.sorted()) {
      switch change {
      case .insert(_, let branch, _):
        XCTFail("\(Self.page) lacks | `\(branch.file)` | `\(branch.condition)` | \(branch.lineCount) |")
      case .remove(_, let branch, _):
        XCTFail("\(Self.page) has a row for \(branch.file), \(branch.condition), \(branch.lineCount) lines")
      }
    }
  }

  func testBranchesAreFound() {
    let text = """
      #if canImport(Darwin)
        import Darwin
      #elseif canImport(Musl)
        import Musl

        import Musl2
      #else
        import Glibc
      #endif
      #if canImport(FoundationNetworking)
        a
        #if os(macOS)
          b
        #endif
      #else
        c
      #endif
      """
    let file = SourceTree.File(path: "A.swift", lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    XCTAssertEqual(
      PlatformBranch.branches(of: file),
      [
        PlatformBranch(file: "A.swift", condition: "canImport(Darwin)", lineCount: 1),
        PlatformBranch(file: "A.swift", condition: "canImport(Musl)", lineCount: 2),
        PlatformBranch(file: "A.swift", condition: "os(macOS)", lineCount: 1),
        PlatformBranch(file: "A.swift", condition: "not canImport(FoundationNetworking)", lineCount: 1),
      ])
  }
}
