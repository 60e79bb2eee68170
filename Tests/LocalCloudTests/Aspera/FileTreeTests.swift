// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import LocalCloud

/// Tests moves of files and folders, also while others change them.
final class FileTreeTests: XCTestCase {
  /// Runs a closure with the files of a new node.
  private func withFiles(_ body: (FileTree) async throws -> Void) async throws {
    let storage = try await Storage.open(nil)
    do {
      try await storage.createBuckets([], at: date)
      try await body(FileTree(store: storage.node))
    } catch {
      await storage.close()
      throw error
    }
    await storage.close()
  }

  func testMoveKeepsWhatOthersStoreMeanwhile() async throws {
    try await withFiles { tree in
      let (source, target) = (try path("/from"), try path("/to"))
      for number in 100..<300 { try await tree.create([1], at: path("/from/\(number)"), date) }
      let move = Task { try await tree.move(source, to: target, at: date) }
      // The folder is copied first: from then on, it is known what to move.
      while try tree.entry(at: target) == nil { await Task.yield() }
      try await tree.create([2], at: path("/from/new"), date)
      try await tree.put(.empty, at: path("/from/299"), date)
      try await move.value
      XCTAssertEqual(try tree.children(of: source).map(\.path.basename), ["299", "new"])
      XCTAssertEqual(try tree.entry(at: path("/from/299"))?.byteCount, 0)
      XCTAssertEqual(try tree.children(of: target).map(\.byteCount), [Int64](repeating: 1, count: 200))
    }
  }

  func testOneOfTwoConcurrentMovesToATargetSucceeds() async throws {
    try await withFiles { tree in
      for round in 0..<20 {
        let target = try path("/target-\(round)")
        let sources = [try path("/a-\(round)"), try path("/b-\(round)")]
        for source in sources { try await tree.create([1], at: source, date) }
        let moveCount = await withTaskGroup(of: Bool.self) { group in
          for source in sources {
            group.addTask { (try? await tree.move(source, to: target, at: date)) != nil }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        XCTAssertEqual(moveCount, 1)
        let found = try (sources + [target]).compactMap { try tree.entry(at: $0) }
        XCTAssertEqual(found.count, 2, "the other file stays in its place")
      }
    }
  }

  func testMoveIntoItselfIsRefused() async throws {
    try await withFiles { tree in
      try await tree.makeFolder(path("/a/b"), at: date)
      try await tree.create([1], at: path("/f"), date)
      for (source, target, message) in [
        ("/a", "/a/b/c", "The target lies in the folder that is moved."), ("/a", "/a/b", "File exists: /a/b"),
        ("/a", "/a", "File exists: /a"), ("/f", "/f/g", "Not a directory: /f"),
      ] {
        do {
          try await tree.move(path(source), to: path(target), at: date)
          XCTFail("\(source) was moved to \(target)")
        } catch let problem as FileProblem {
          XCTAssertEqual(problem.message, message)
        }
      }
    }
  }

  func testFileWhosePathIsTooLongLeavesNoFolders() async throws {
    try await withFiles { tree in
      let folder = try path([String](repeating: "d", count: 128).joined(separator: "/"))
      let file = try folder.appending(path("f"))
      do {
        try await tree.put(.empty, at: file, date)
        XCTFail("the path is too deep")
      } catch let problem as FileProblem {
        XCTAssertEqual(problem.message, "The path is too long or too deep.")
      }
      XCTAssertNil(try tree.entry(at: path("/d")))
    }
  }
}

private let date = Timestamp(unixSeconds: 1_795_161_600)

private func path(_ text: String) throws -> NodePath { try XCTUnwrap(NodePath(text)) }
