// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
      for number in 100..<300 { try await tree.create([1], at: path("/from/\(number)"), modified: date) }
      let move = Task { try await tree.move(source, to: target) }
      // The folder is copied first: from then on, it is known what to move.
      while try tree.entry(at: target) == nil { await Task.yield() }
      try await tree.create([2], at: path("/from/new"), modified: date)
      try await tree.put(.empty, at: path("/from/299"), modified: date)
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
        for source in sources { try await tree.create([1], at: source, modified: date) }
        let moveCount = await withTaskGroup(of: Bool.self) { group in
          for source in sources {
            group.addTask { (try? await tree.move(source, to: target)) != nil }
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
      try await tree.create([1], at: path("/f"), modified: date)
      for (source, target, message) in [
        ("/a", "/a/b/c", "The target lies in the folder that is moved."), ("/a", "/a/b", "File exists: /a/b"),
        ("/a", "/a", "File exists: /a"), ("/f", "/f/g", "Not a directory: /f"),
      ] {
        do {
          try await tree.move(path(source), to: path(target))
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
        try await tree.put(.empty, at: file, modified: date)
        XCTFail("the path is too deep")
      } catch let problem as FileProblem {
        XCTAssertEqual(problem.message, "The path is too long or too deep.")
      }
      XCTAssertNil(try tree.entry(at: path("/d")))
    }
  }

  func testIDOfAFileThatIsGoneDoesNotNameTheFileThatIsMovedToItsPath() throws {
    let register = FileRegister()
    let (source, target) = (try path("/a"), try path("/b"))
    let (movedID, outdatedID) = (register.id(of: source), register.id(of: target))
    _ = try register.addPermission(grant(on: outdatedID), of: "key", by: "mia", at: date)
    register.moveIDs([(source, target)])
    XCTAssertEqual(register.path(ofID: String(movedID)), target)
    XCTAssertEqual(register.id(of: target), movedID)
    XCTAssertNil(register.path(ofID: String(outdatedID)))
    XCTAssertTrue(register.permissions(of: "key").isEmpty, "the permission was for the file that is gone")
  }

  func testPermissionsProtectAtMostHalfOfTheIDs() throws {
    let register = FileRegister(capacity: 10)
    let ids = register.ids(of: try (0..<6).map { try path("/\($0)") })
    for id in ids[..<5] { _ = try register.addPermission(grant(on: id), of: "key", by: "mia", at: date) }
    XCTAssertThrowsError(try register.addPermission(grant(on: ids[5]), of: "other", by: "mia", at: date))
    _ = register.ids(of: try (6..<60).map { try path("/\($0)") })
    let keptCount = (0..<60).count { register.path(ofID: String(ids[0] + $0)) != nil }
    XCTAssertLessThan(keptCount, 10)
    XCTAssertTrue(ids[..<5].allSatisfy { register.path(ofID: String($0)) != nil })
  }

  func testRootOfADeletedAccessKeyIsNoLongerProtected() throws {
    let register = FileRegister(capacity: 4)
    let ids = try ["/a", "/b"].map { register.registerRoot(try path($0)) }
    register.unregisterRoot(try path("/a"))
    register.unregisterRoot(.root)
    for number in 0..<20 { _ = register.id(of: try path("/\(number)")) }
    XCTAssertNil(register.path(ofID: String(ids[0])))
    XCTAssertEqual(register.path(ofID: String(ids[1])), try path("/b"))
    XCTAssertEqual(register.path(ofID: String(FileRegister.rootID)), .root)
  }

  private func grant(on id: Int) -> FilePermission.Grant {
    FilePermission.Grant(fileID: id, isForGroup: false, accessID: "noa", levels: .all)
  }
}

private let date = Timestamp(unixSeconds: 1_795_161_600)

private func path(_ text: String) throws -> NodePath { try XCTUnwrap(NodePath(text)) }
