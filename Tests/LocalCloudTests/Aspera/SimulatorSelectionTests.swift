// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import XCTest

/// Tests which files the simulator selects by their names and by symbolic links, and how it resumes files.
final class SimulatorSelectionTests: SimulatorTestCase {
  func testPatternsIncludeAndExcludeFilesAndFolders() async throws {
    let files = ["a.txt", "b.tmp", "deep/a.tmp", "deep/c.txt", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]
    // The rules of the administrator's guide, each with what is transferred.
    let table: [(options: [String], expected: [String])] = [
      ([], files),
      (["-E", "*.tmp"], ["a.txt", "deep/c.txt", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-N", "*.txt"], files),
      (["-N", "*.txt", "-N", "/**/", "-E", "/**"], ["a.txt", "deep/c.txt", "deep/x/d.txt", "deep/.dot/e.txt"]),
      (["-E", "deep/"], ["a.txt", "b.tmp", ".hidden"]),
      (["-E", "deep"], files),
      (["-E", "x*"], ["a.txt", "b.tmp", "deep/a.tmp", "deep/c.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-E", "/a.txt"], files),
      (["-E", "/t/a.txt"], ["b.tmp", "deep/a.tmp", "deep/c.txt", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-E", "t/**/d.txt"], ["a.txt", "b.tmp", "deep/a.tmp", "deep/c.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-E", "deep/**/c.txt"], ["a.txt", "b.tmp", "deep/a.tmp", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-E", "[ab].t?[pt]"], ["deep/c.txt", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-E", "[!a-c].txt"], ["a.txt", "b.tmp", "deep/a.tmp", "deep/c.txt", ".hidden"]),
      (["-E", "*"], []),
      (["-N", "t/", "-E", "?*"], [".hidden"]),
      (["-N", "t/", "-N", "deep/", "-E", "*"], [".hidden"]),
      (["-N", "/t/", "-E", ".*", "-N", "a.*", "-E", "/**"], ["a.txt"]),
      (["-E", #"a.\tx[t]"#], ["b.tmp", "deep/a.tmp", "deep/c.txt", "deep/x/d.txt", ".hidden", "deep/.dot/e.txt"]),
      (["-N", "*.tmp", "-E", "*.t*"], ["b.tmp", "deep/a.tmp", ".hidden"]),
    ]
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      for file in files { try write([1], to: "t/\(file)", in: here) }
      for (options, expected) in table {
        let up = try await run("send", cloud, ["\(here)/t"], to: "/up", options)
        XCTAssertEqual(up.status, 0, up.errors)
        let sent = up.frames.filter { $0.kind == .stop }.compactMap { $0["File"] }
        XCTAssertEqual(sent.sorted(), expected.map { "/up/t/\($0)" }.sorted(), "\(options)")
      }
      for (options, expected) in table {
        let down = try await run("recv", cloud, ["/up/t"], to: makeDirectory(), options)
        XCTAssertEqual(down.status, 0, down.errors)
        let received = down.frames.filter { $0.kind == .stop }.compactMap { $0["Source"] }
        XCTAssertEqual(received.sorted(), expected.map { "/up/t/\($0)" }.sorted(), "\(options)")
      }
    }
  }

  func testSlashBeforeACombiningMarkSeparatesNames() async throws {
    let file = "f/\u{301}x.tmp"
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try write([1], to: "t/\(file)", in: here)
      let excluded = try await run("send", cloud, ["\(here)/t"], to: "/no", ["-E", "f/*.tmp"])
      XCTAssertEqual(excluded.status, 0, excluded.errors)
      XCTAssertEqual(excluded.frames.filter { $0.kind == .stop }.count, 0)
      let sent = try await run("send", cloud, ["\(here)/t/f/\u{301}x.tmp"], to: "/up/")
      XCTAssertEqual(sent.status, 0, sent.errors)
      let names = try await client.names(in: "/up")
      XCTAssertEqual(names.map { Array($0.utf8) }, [Array("/up/\u{301}x.tmp".utf8)])
    }
  }

  func testLinksToFoldersAreFollowedUntilTheyLeadBack() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      try write([1], to: "other/a", in: here)
      try write([2], to: "t/b", in: here)
      let files = FileManager.default
      try files.createSymbolicLink(atPath: "\(here)/t/link", withDestinationPath: "\(here)/other")
      let outcome = try await run("send", cloud, ["\(here)/t"], to: "/up")
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      let there = try makeDirectory()
      _ = try await run("recv", cloud, ["/up/t"], to: there)
      XCTAssertEqual(try tree(there), ["t", "t/b", "t/link", "t/link/a"])

      try files.createSymbolicLink(atPath: "\(here)/other/back", withDestinationPath: "\(here)/t")
      let loop = try await run("send", cloud, ["\(here)/t"], to: "/up")
      XCTAssertEqual(loop.code, 63, loop.errors)
      try files.createSymbolicLink(atPath: "\(here)/dangling", withDestinationPath: "\(here)/nowhere")
      let dangling = try await run("send", cloud, [here], to: "/up")
      XCTAssertEqual(dangling.code, 43, dangling.errors)
    }
  }

  func testInterruptedUploadIsResumedWithItsChecksum() async throws {
    try await withNode { [self] cloud, client in
      let file = try write(bytes(10_000), to: "a", in: makeDirectory())
      let fault = LocalCloud.TransferFault.failure(code: 16, .afterBytes(4_000))
      let whole = try await run("send", cloud, [file], to: "/whole", ["--file-checksum", "sha1"])
      for (options, transferred) in [(["-k", "1"], 6_000), (["-k", "2"], 10_000), ([], 10_000)] as [([String], Int64)] {
        cloud.faults.transfers = [fault]
        let cut = try await run("send", cloud, [file], to: "/up", options)
        cloud.faults.transfers = []
        XCTAssertEqual(cut.code, 16)
        let names = try await client.names(in: "/up")
        XCTAssertEqual(names, [], "a partial file is invisible")
        let rest = try await run("send", cloud, [file], to: "/up", options + ["--file-checksum", "sha1"])
        XCTAssertEqual(rest.status, 0, rest.errors)
        let last = try XCTUnwrap(rest.frames.last)
        XCTAssertEqual(last.integer("TransferBytes"), transferred, "\(options)")
        XCTAssertEqual(last.transferredByteCount, 10_000)
        XCTAssertEqual(
          rest.frames.first { $0.kind == .stop }?["FileChecksum"],
          whole.frames.first { $0.kind == .stop }?["FileChecksum"])
        let there = try makeDirectory()
        _ = try await run("recv", cloud, ["/up/a"], to: there)
        XCTAssertEqual(try read("a", in: there), bytes(10_000))
        _ = try await client.post("/files/delete", ["paths": [["path": "/up/a"]]])
      }
      cloud.faults.transfers = [fault]
      _ = try await run("send", cloud, [file], to: "/up", ["-k", "1"])
      cloud.faults.transfers = []
      try setModified(1_000, of: file)
      let changed = try await run("send", cloud, [file], to: "/up", ["-k", "1"])
      XCTAssertEqual(changed.frames.last?.integer("TransferBytes"), Int64(10_000), "another time is another file")
    }
  }

  func testInterruptedDownloadIsResumed() async throws {
    try await withNode { [self] cloud, _ in
      let file = try write(bytes(10_000), to: "a", in: makeDirectory())
      _ = try await run("send", cloud, [file], to: "/up")
      let there = try makeDirectory()
      cloud.faults.transfers = [.failure(code: 16, .afterBytes(4_000))]
      let cut = try await run("recv", cloud, ["/up/a"], to: there, ["-k1"])
      cloud.faults.transfers = []
      XCTAssertEqual(cut.code, 16)
      XCTAssertEqual(try tree(there), ["a.aspx", "a.partial"])
      XCTAssertEqual(try read("a.partial", in: there), Array(bytes(10_000).prefix(4_000)))
      let rest = try await run("recv", cloud, ["/up/a"], to: there, ["-k1", "--file-checksum=md5"])
      XCTAssertEqual(rest.status, 0, rest.errors)
      XCTAssertEqual(rest.frames.last?.integer("TransferBytes"), Int64(6_000))
      XCTAssertEqual(rest.frames.last?.transferredByteCount, 10_000)
      XCTAssertEqual(try tree(there), ["a"])
      XCTAssertEqual(try read("a", in: there), bytes(10_000))
      let again = try await run("recv", cloud, ["/up/a"], to: makeDirectory(), ["--file-checksum=md5"])
      XCTAssertEqual(
        rest.frames.first { $0.kind == .stop }?["FileChecksum"],
        again.frames.first { $0.kind == .stop }?["FileChecksum"])

      cloud.faults.transfers = [.failure(code: 16, .afterBytes(4_000))]
      _ = try await run("recv", cloud, ["/up/a"], to: there, ["-k1", "--overwrite=always"])
      cloud.faults.transfers = []
      clock.advance(by: .seconds(10))
      _ = try await run("send", cloud, [file], to: "/up")
      let changed = try await run("recv", cloud, ["/up/a"], to: there, ["-k1", "--overwrite=always"])
      XCTAssertEqual(changed.frames.last?.integer("TransferBytes"), Int64(10_000), "another time is another file")
    }
  }
}
