// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests how symbolic links are followed, skipped and transferred as links, in both directions.
final class SimulatorLinkTests: SimulatorTestCase {
  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  private func target(_ path: String) -> String? { try? FileManager.default.destinationOfSymbolicLink(atPath: path) }

  /// A local folder with a file, a folder, and links to both and to a path that does not exist.
  private func tree() throws -> String {
    let here = try makeDirectory()
    try write([1], to: "t/file", in: here)
    try write([2], to: "t/folder/a", in: here)
    try link("\(here)/t/to-file", to: "file")
    try link("\(here)/t/to-folder", to: "folder")
    try link("\(here)/t/to-nothing", to: "/no/where")
    return "\(here)/t"
  }

  func testLinksAreTransferredAsLinksInBothDirections() async throws {
    try await withNode { [self] cloud, client in
      let up = try await run("send", cloud, [tree()], to: "/up", ["--symbolic-links=copy"])
      XCTAssertEqual(up.status, 0, up.errors)
      let items = try await client.post("/files/browse", ["path": "/up/t"]).value["items"]?.array
      XCTAssertEqual(
        items?.filter { $0["type"]?.string == "symbolic_link" }.compactMap { $0["target"]?["path"]?.string },
        ["file", "folder", "/no/where"])
      let there = try makeDirectory()
      let down = try await run("recv", cloud, ["/up/t"], to: there, ["--symbolic-links", "copy"])
      XCTAssertEqual(down.status, 0, down.errors)
      XCTAssertEqual(target("\(there)/t/to-file"), "file")
      XCTAssertEqual(target("\(there)/t/to-folder"), "folder")
      XCTAssertEqual(target("\(there)/t/to-nothing"), "/no/where")
      XCTAssertEqual(try read("t/to-folder/a", in: there), [2])

      let single = try await run("send", cloud, ["\(there)/t/to-nothing"], to: "/one", ["--symbolic-links=copy"])
      XCTAssertEqual(single.status, 0, single.errors)
      let names = try await client.names(in: "/one")
      XCTAssertEqual(names, ["/one/to-nothing"])
    }
  }

  func testLinkReplacesAFileOnlyWithForce() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      for name in ["file", "folder/x", "target/y"] { try write([7], to: "old/t/\(name)", in: here) }
      try link("\(here)/old/t/to-folder", to: "target")
      try FileManager.default.createDirectory(atPath: "\(here)/new/t", withIntermediateDirectories: true)
      for name in ["file", "folder", "to-folder"] { try link("\(here)/new/t/\(name)", to: "elsewhere") }
      for (policy, isReplaced) in [("copy", false), ("copy+force", true)] {
        let copy = ["--symbolic-links=copy"]
        _ = try await run("send", cloud, ["\(here)/old/t"], to: "/\(policy)", copy)
        let up = try await run("send", cloud, ["\(here)/new/t"], to: "/\(policy)", ["--symbolic-links", policy])
        XCTAssertEqual(up.status, 0, up.errors)
        XCTAssertEqual(up.frames.last?["FilesComplete"], isReplaced ? "1" : "0")
        let there = try makeDirectory()
        _ = try await run("recv", cloud, ["/\(policy)/t"], to: there, copy)
        let local = try makeDirectory()
        _ = try await run("send", cloud, ["\(here)/new/t"], to: "/links", copy)
        _ = try await run("send", cloud, ["\(here)/old/t"], to: "/olds", copy)
        _ = try await run("recv", cloud, ["/olds/t"], to: local, copy)
        let down = try await run("recv", cloud, ["/links/t"], to: local, ["--symbolic-links", policy])
        XCTAssertEqual(down.status, 0, down.errors)
        for place in [there, local] {
          XCTAssertEqual(target("\(place)/t/file"), isReplaced ? "elsewhere" : nil, policy)
          XCTAssertNil(target("\(place)/t/folder"), "a folder is never replaced")
          XCTAssertEqual(target("\(place)/t/to-folder"), "target", "a link to a folder is never replaced")
        }
      }
    }
  }

  func testDownloadFollowsOrSkipsTheNodesLinks() async throws {
    try await withNode { [self] cloud, client in
      let source = try tree()
      try FileManager.default.removeItem(atPath: "\(source)/to-nothing")
      _ = try await run("send", cloud, [source], to: "/up", ["--symbolic-links=copy"])
      for (options, expected) in [
        ([], ["t", "t/file", "t/folder", "t/folder/a", "t/to-file", "t/to-folder", "t/to-folder/a"]),
        (["--symbolic-links=skip"], ["t", "t/file", "t/folder", "t/folder/a"]),
      ] as [([String], [String])] {
        let there = try makeDirectory()
        let outcome = try await run("recv", cloud, ["/up/t"], to: there, options)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try self.tree(there), expected)
        XCTAssertNil(target("\(there)/t/to-folder"))
      }
      try link("\(source)/back", to: "/up/t")
      _ = try await run("send", cloud, [source], to: "/up", ["--symbolic-links=copy"])
      let loop = try await run("recv", cloud, ["/up/t"], to: makeDirectory())
      XCTAssertEqual(loop.code, 63, loop.errors)
      _ = try await run("send", cloud, [tree()], to: "/dangling", ["--symbolic-links=copy"])
      let dangling = try await run("recv", cloud, ["/dangling/t"], to: makeDirectory())
      XCTAssertEqual(dangling.code, 4, dangling.errors)
    }
  }

  func testTokenMustCoverTheTargetOfALink() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      _ = try await run("send", cloud, [write([1], to: "secret", in: here)], to: "/")
      try link("\(here)/link", to: "/secret")
      _ = try await run("send", cloud, ["\(here)/link"], to: "/up", ["--symbolic-links=copy"])
      let answer = try await client.setup("download_setup", ["paths": [["source": "/up"]]])
      let environment = [
        "ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": try XCTUnwrap(answer?["token"]?.string),
      ]
      let there = try makeDirectory()
      let outcome = try await Simulator.run(
        arguments("recv", cloud, user: "xfer", ["/up/link"], to: there, ["-d"]), environment)
      XCTAssertEqual(outcome.code, 34, outcome.errors)
      XCTAssertEqual(try tree(there), [])
    }
  }
}
