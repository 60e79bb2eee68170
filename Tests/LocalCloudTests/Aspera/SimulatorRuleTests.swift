// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that the options decide what happens to the files of both sides, and that unsupported options are rejected.
final class SimulatorRuleTests: SimulatorTestCase {
  func testDownloadFollowsTheOverwritePolicy() async throws {
    // Whether a file of the same size, and one of another size, is overwritten if it is older or newer than the source.
    let table: [(options: [String], sameOlder: Bool, otherOlder: Bool, sameNewer: Bool, otherNewer: Bool)] = [
      ([], true, true, true, true), (["--overwrite=never"], false, false, false, false),
      (["--overwrite", "never", "-k", "1"], false, false, false, false),
      (["--overwrite=always", "-k", "1"], true, true, true, true),
      (["--overwrite=diff"], true, true, true, true), (["--overwrite=diff", "-k1"], false, true, false, true),
      (["-k", "3"], true, true, true, true), (["--overwrite=older"], true, true, false, false),
      (["--overwrite=diff+older"], true, true, false, false),
      (["--overwrite=diff+older", "-k", "1"], false, true, false, false),
    ]
    try await withNode { [self] cloud, _ in
      let new = try write([1, 2, 3], to: "a", in: makeDirectory())
      let up = try await run("send", cloud, [new], to: "/up", [])
      XCTAssertEqual(up.status, 0, up.errors)
      for row in table {
        let cases: [([UInt8], Date, Bool)] = [
          ([7, 8, 9], .distantPast, row.sameOlder), ([7], .distantPast, row.otherOlder),
          ([7, 8, 9], .distantFuture, row.sameNewer), ([7], .distantFuture, row.otherNewer),
        ]
        for (old, date, isOverwritten) in cases {
          let there = try makeDirectory()
          let time: Int64 = date == .distantPast ? 1 : 4_000_000_000
          try setModified(time, of: write(old, to: "a", in: there))
          let outcome = try await run("recv", cloud, ["/up/a"], to: there, row.options)
          XCTAssertEqual(outcome.status, 0, outcome.errors)
          XCTAssertEqual(try read("a", in: there), isOverwritten ? [1, 2, 3] : old, "\(row.options) \(old) \(time)")
        }
      }
    }
  }

  func testUploadThatMayNotOverwriteLeavesTheExistingFile() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      _ = try await run("send", cloud, [write([1, 2, 3], to: "a", in: here)], to: "/up", [])
      let other = try write([9], to: "a", in: here)
      for options in [["--overwrite=never"], ["--overwrite", "never", "--remove-after-transfer"]] {
        let outcome = try await run("send", cloud, [other], to: "/up", options)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(outcome.frames.last?["FilesComplete"], "0")
        XCTAssertEqual(try read("a", in: here), [9], "a source that was not transferred is not removed")
      }
      let there = try makeDirectory()
      _ = try await run("recv", cloud, ["/up/a"], to: there, [])
      XCTAssertEqual(try read("a", in: there), [1, 2, 3])
    }
  }

  func testSourcesAreRemovedWhenRequested() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      func tree() throws -> String {
        try write([1], to: "t/a", in: here)
        try write([2], to: "t/deep/b", in: here)
        return "\(here)/t"
      }
      func left() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: here).sorted() }
      let all = ["--remove-after-transfer", "--remove-empty-directories", "--remove-empty-source-directory"]
      let expected = [["t", "t/deep"], ["t"], []]
      for count in 1...3 {
        let outcome = try await run("send", cloud, [try tree()], to: "/up\(count)", Array(all.prefix(count)))
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try left(), expected[count - 1])
        let names = try await client.names(in: "/up\(count)/t/deep")
        XCTAssertEqual(names, ["/up\(count)/t/deep/b"])
      }
    }
  }

  func testSourceOfAFailedTransferIsNotRemoved() async throws {
    try await withNode { [self] cloud, _ in
      cloud.faults.transfers = [.failure(code: 16, .afterBytes(2), .always)]
      let here = try makeDirectory()
      let file = try write([1, 2, 3], to: "a", in: here)
      let outcome = try await run("send", cloud, [file], to: "/up", ["--remove-after-transfer"])
      XCTAssertEqual(outcome.status, 1)
      XCTAssertEqual(try read("a", in: here), [1, 2, 3])
    }
  }

  func testFilesAreExcludedByModificationTime() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try setModified(1_000, of: write([1], to: "t/old", in: here))
      try write([2], to: "t/new", in: here)
      let rows = [
        (["--exclude-newer-than", "2000"], ["old"]), (["--exclude-older-than=2000"], ["new"]),
        (["--exclude-newer-than", "-86400"], ["old"]), (["--exclude-older-than", "-86400"], ["new"]),
        (["--exclude-older-than", "1970-01-01T00:30:00Z"], ["new"]),
      ]
      for (number, (options, expected)) in rows.enumerated() {
        let outcome = try await run("send", cloud, ["\(here)/t"], to: "/\(number)", options)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let names = try await client.names(in: "/\(number)/t")
        XCTAssertEqual(names, expected.map { "/\(number)/t/\($0)" }, "\(options)")
      }
      let outcome = try await run("send", cloud, ["\(here)/t"], to: "/x", ["--exclude-newer-than", "yesterday"])
      XCTAssertEqual(outcome.code, 8)
    }
  }

  func testSymbolicLinksAreFollowedOrSkipped() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let file = try write([1], to: "t/file", in: here)
      try FileManager.default.createSymbolicLink(atPath: "\(here)/t/link", withDestinationPath: file)
      for (option, expected) in [("follow", ["file", "link"]), ("skip", ["file"])] {
        let outcome = try await run("send", cloud, ["\(here)/t"], to: "/\(option)", ["--symbolic-links", option])
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let names = try await client.names(in: "/\(option)/t")
        XCTAssertEqual(names, expected.map { "/\(option)/t/\($0)" })
      }
    }
  }

  func testSeveralSessionsShareTheFiles() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      for name in ["a", "b", "c"] { try write([1], to: "t/\(name)", in: here) }
      var sent = 0
      for session in 1...2 {
        let outcome = try await run("send", cloud, ["\(here)/t"], to: "/up", ["-C", "\(session):2"])
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        sent += outcome.kinds.count { $0 == "STOP" }
      }
      XCTAssertEqual(sent, 3)
      let names = try await client.names(in: "/up/t")
      XCTAssertEqual(names.count, 3)
    }
  }

  func testUnsupportedOptionsAreRejectedBeforeAnyTransfer() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let file = try write([1], to: "a", in: here)
      for options in [
        ["--file-crypt", "encrypt"], ["--fail-bad-filepass"], ["--proxy", "dnat://p:1"], ["--apply-local-docroot"],
        ["--preserve-access-time"], ["--preserve-source-access-time"], ["--preserve-file-owner-uid"],
        ["--preserve-file-owner-gid"], ["--preserve-acls", "native"], ["--preserve-xattrs=metafile"],
        ["--remote-preserve-acls", "metafile"], ["--remote-preserve-xattrs", "native"],
        ["--partial-file-suffix", ".x"],
      ] {
        for mode in ["send", "recv"] {
          let outcome = try await run(mode, cloud, [file], to: mode == "send" ? "/up" : here, options)
          XCTAssertEqual(outcome.status, 1, "\(options)")
          XCTAssertEqual(outcome.frames.last?.kind, .error, "\(options)")
          XCTAssertEqual(outcome.code, 8, "\(options): \(outcome.errors)")
          let name = try XCTUnwrap(options[0].split(separator: "=").first)
          XCTAssertTrue(outcome.text.contains(name), outcome.text)
        }
      }
      for options in [
        ["--file-checksum", "crc"], ["--file-manifest=pdf"], ["--symbolic-links", "move"], ["-k", "4"],
        ["--overwrite", "sometimes"], ["-C", "3:2"], ["-E", ""], ["-N", "[a"], ["--remove-skipped"],
        ["--move-after-transfer", "/x", "--remove-after-transfer"],
        ["--delete-before-transfer", "-E", "*"], ["--delete-before-transfer", "--exclude-newer-than", "1"],
      ] {
        let outcome = try await run("send", cloud, [file], to: "/up", options)
        XCTAssertEqual(outcome.code, 8, "\(options): \(outcome.errors)")
      }
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [])
      XCTAssertEqual(cloud.statistics.transfers.connections, 0)
    }
  }
}
