// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the transfers of the simulator: file trees, destinations, persistent sessions and cancellation.
final class SimulatorTransferTests: SimulatorTestCase {
  func testFilesAndFoldersAreUnchangedAfterUploadAndDownload() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let large = bytes(2_500_000)
      try write(large, to: "tree/large.bin", in: here)
      try write([], to: "tree/deep/empty", in: here)
      try write([7], to: "tree/deep/\u{fc} b.txt", in: here)
      let list = try write(Array("\(here)/tree\n".utf8), to: "list", in: here)
      let up = try await Simulator.run(
        arguments("send", cloud, to: "/up", ["--file-list=\(list)"]), Self.password)
      XCTAssertEqual(up.status, 0, up.errors)
      XCTAssertEqual(up.kinds.first, "INIT")
      XCTAssertEqual(up.kinds.last, "DONE")
      XCTAssertEqual(up.kinds.filter { $0 == "STOP" }.count, 3)
      XCTAssertEqual(up.frames.first { $0.kind == .notification }?.totalByteCount, 2_500_001)
      XCTAssertEqual(up.frames.filter { $0.kind == .statistics }.compactMap(\.transferredByteCount).last, 2_500_001)
      XCTAssertEqual(up.frames.last?.transferredByteCount, 2_500_001)
      XCTAssertEqual(Set(up.frames.compactMap { $0["SessionId"] }).count, 1)
      let listed = try await client.post("/files/browse", ["path": "/up/tree"]).value["items"]?.array
      XCTAssertEqual(listed?.map { $0["type"]?.string }, ["directory", "file"])
      XCTAssertEqual(listed?.last?["size"]?.integer, large.count)

      let there = try makeDirectory()
      let down = try await Simulator.run(
        arguments("recv", cloud, ["/up/tree"], to: there, ["-d"]), Self.password)
      XCTAssertEqual(down.status, 0, down.errors)
      XCTAssertEqual(try read("tree/large.bin", in: there), large)
      XCTAssertEqual(try read("tree/deep/empty", in: there), [])
      XCTAssertEqual(try read("tree/deep/\u{fc} b.txt", in: there), [7])
      XCTAssertEqual(try FileManager.default.subpathsOfDirectory(atPath: there).count, 5, "a temporary file was left")
      let transfers = cloud.statistics.transfers
      XCTAssertEqual(transfers.completed, 2)
      XCTAssertEqual(transfers.files, 6)
      XCTAssertEqual(transfers.bytes, 5_000_002)
    }
  }

  func testExitStatusSurvivesAnInterruptWhenTheManagementConnectionCloses() async throws {
    try await withNode { [self] cloud, _ in
      let file = try write([1, 2, 3], to: "a.bin", in: makeDirectory())
      for number in 1...50 {
        let up = try await Simulator.run(
          arguments("send", cloud, [file], to: "/up", ["-d"]), Self.password, interruptingAtClose: true)
        XCTAssertEqual(up.status, 0, "run \(number): \(up.errors)")
        XCTAssertEqual(up.kinds.last, "DONE", "run \(number)")
      }
      let refused = try await Simulator.run(
        arguments("send", cloud, [file], to: "/up"), ["ASPERA_SCP_PASS": "wrong"], interruptingAtClose: true)
      XCTAssertEqual(refused.status, 1, refused.errors)
      XCTAssertEqual(refused.kinds.last, "ERROR")
    }
  }

  func testReplacedFileKeepsItsPermissions() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      let new = try write([1, 2, 3], to: "a.bin", in: here)
      let up = try await Simulator.run(arguments("send", cloud, [new], to: "/up", ["-d"]), Self.password)
      XCTAssertEqual(up.status, 0, up.errors)
      let there = try makeDirectory()
      let old = try write([9, 9, 9, 9, 9], to: "a.bin", in: there)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: old)
      for _ in 1...2 {
        let down = try await Simulator.run(arguments("recv", cloud, ["/up/a.bin"], to: there, ["-d"]), Self.password)
        XCTAssertEqual(down.status, 0, down.errors)
        XCTAssertEqual(try read("a.bin", in: there), [1, 2, 3])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: there), ["a.bin"])
        let mode = try FileManager.default.attributesOfItem(atPath: old)[.posixPermissions] as? NSNumber
        XCTAssertEqual(mode?.intValue, 0o640)
      }
    }
  }

  func testDestinationPathFollowsTheOptions() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let a = try write([1], to: "sub/a", in: here)
      let b = try write([2], to: "sub/b", in: here)
      func send(_ sources: [String], to destination: String, _ more: [String] = []) async throws {
        let outcome = try await Simulator.run(arguments("send", cloud, sources, to: destination, more), Self.password)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
      }
      let pairs = try write(Array("\(a)\nx/one\n\(b)\ntwo\n".utf8), to: "pairs", in: here)
      try await send([], to: "/pairs", ["--file-pair-list=\(pairs)"])
      var names = try await client.names(in: "/pairs") + client.names(in: "/pairs/x")
      XCTAssertEqual(names, ["/pairs/two", "/pairs/x", "/pairs/x/one"])
      try await send([a], to: "/named")
      try await send([a], to: "/pairs")
      try await send([a], to: "/made", ["-d"])
      names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/made", "/named", "/pairs"])
      names = try await client.names(in: "/pairs") + client.names(in: "/made")
      XCTAssertEqual(names, ["/pairs/a", "/pairs/two", "/pairs/x", "/made/a"])
      try await send(["sub/a"], to: "/base", ["--source-prefix64", base64(here), "--src-base64", base64(here)])
      names = try await client.names(in: "/base")
      XCTAssertEqual(names, ["/base/sub"])
    }
  }

  func testPersistentSessionAcceptsPathsUntilStopped() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let paths = try ["one", "two"].map { try write(Array($0.utf8), to: $0, in: here) }
      let outcome = try await Simulator.run(
        arguments("send", cloud, to: "/", ["--keepalive"]), Self.password,
        answering: { frame in
          if frame.kind == .notification { return [try .start(source: paths[0], destination: "/in/1")] }
          guard frame.kind == .stop else { return [] }
          return frame["Source"] == paths[0] ? [try .start(source: paths[1])] : [.finish]
        })
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      XCTAssertEqual(outcome.kinds.last, "DONE")
      let names = try await client.names(in: "/") + client.names(in: "/in")
      XCTAssertEqual(names, ["/in", "/two", "/in/1"])
    }
  }

  func testDestinationOfAPersistentSessionIsAFolder() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let paths = try ["one", "two"].map { try write(Array($0.utf8), to: $0, in: here) }
      let outcome = try await Simulator.run(
        arguments("send", cloud, [paths[0]], to: "/in", ["--keepalive"]), Self.password,
        answering: { frame in
          guard frame.kind == .stop else { return [] }
          return frame["Source"] == paths[0] ? [try .start(source: paths[1])] : [.finish]
        })
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      let names = try await client.names(in: "/in")
      XCTAssertEqual(names, ["/in/one", "/in/two"])
    }
  }

  func testCancelledTransferLeavesNoFile() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let file = try write(bytes(3_000_000), to: "large", in: here)
      let up = try await Simulator.run(
        arguments("send", cloud, [file], to: "/large"), Self.password,
        answering: { $0.kind == .statistics ? [.cancel] : [] })
      XCTAssertEqual(up.status, 1)
      XCTAssertEqual(up.code, 28)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [], "a file appears when it is complete")
      _ = try await Simulator.run(arguments("send", cloud, [file], to: "/large"), Self.password)
      let there = try makeDirectory()
      let down = try await Simulator.run(
        arguments("recv", cloud, ["/large"], to: there), Self.password,
        answering: { $0.kind == .statistics ? nil : [] })
      XCTAssertEqual(down.status, 1, "the management client closed the connection")
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: there), [])
    }
  }

  func testTransferWithoutAManagementPortSucceeds() async throws {
    try await withNode { [self] cloud, client in
      let file = try write([1], to: "a", in: makeDirectory())
      let outcome = try await Simulator.runAlone(arguments("send", cloud, [file], to: "/a"), Self.password)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/a"])
    }
  }
}
