// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the options that report on files, and those that change the times and the sources of files.
final class SimulatorOptionTests: SimulatorTestCase {
  /// The modification times on the node, by path.
  private func times(_ client: NodeClient, in folder: String) async throws -> [String: String] {
    let items = try await client.post("/files/browse", ["path": .string(folder)]).value["items"]?.array ?? []
    return Dictionary(items.map { ($0["path"]?.string ?? "", $0["mtime"]?.string ?? "") }) { first, _ in first }
  }

  func testOptionsOfTheConnectionHaveNoEffect() async throws {
    try await withNode { [self] cloud, client in
      let file = try write([1, 2], to: "a", in: makeDirectory())
      let outcome = try await run(
        "send", cloud, [file], to: "/up",
        [
          "-Z", "1492", "-l", "100000", "-m", "10", "--policy", "fair", "-c", "aes128", "-y", "1", "-I", "cert", "-Y",
          "key", "-t", "8080", "-L", "-", "-DD", "-S", "ascp", "-SSH", "--ssh-arg", "-v", "--preserve-creation-time",
          "--skip-dir-traversal-dupes", "--multi-session-threshold", "5", "--allow-password-prompt",
          "--ignore-host-key", "--file-checksum", "none", "--file-manifest=none", "--preserve-acls=none",
          "--remote-preserve-xattrs", "none",
        ])
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      let names = try await client.names(in: "/up")
      XCTAssertEqual(names, ["/up/a"])
    }
  }

  func testUploadPreservesTheTimesOfFilesAndFoldersWhenRequested() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try setModified(1_000_000, of: write([1], to: "t/deep/a", in: here))
      try setModified(2_000_000, of: "\(here)/t/deep")
      try setModified(3_000_000, of: "\(here)/t")
      let list = try write(Array("\(here)/t\n".utf8), to: "list", in: makeDirectory())
      let now = clock.now.iso8601
      // aspera-cli writes the value of preserve_times after the option, with a file list.
      let cases: [(options: [String], isPreserved: Bool)] = [
        (["-p"], true), (["--preserve-modification-time"], true), (["-p", "true"], true), (["-p", "false"], false),
        ([], false),
      ]
      for (number, (options, isPreserved)) in cases.enumerated() {
        let outcome = try await run("send", cloud, [], to: "/\(number)", options + ["--file-list=\(list)"])
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let top = try await times(client, in: "/\(number)")
        let middle = try await times(client, in: "/\(number)/t")
        let bottom = try await times(client, in: "/\(number)/t/deep")
        XCTAssertEqual(bottom["/\(number)/t/deep/a"], isPreserved ? "1970-01-12T13:46:40Z" : now, "\(options)")
        XCTAssertEqual(middle["/\(number)/t/deep"], isPreserved ? "1970-01-24T03:33:20Z" : now, "\(options)")
        XCTAssertEqual(top["/\(number)/t"], isPreserved ? "1970-02-04T17:20:00Z" : now, "\(options)")
      }
    }
  }

  func testDownloadPreservesTheTimesOfFilesAndFoldersWhenRequested() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      try setModified(1_000_000, of: write([1], to: "t/a", in: here))
      try setModified(2_000_000, of: "\(here)/t")
      _ = try await run("send", cloud, ["\(here)/t"], to: "/up", ["-p"])
      for options in [["-p"], ["--preserve-modification-time"]] {
        let there = try makeDirectory()
        let outcome = try await run("recv", cloud, ["/up/t"], to: there, options)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try modified("\(there)/t/a"), 1_000_000)
        XCTAssertEqual(try modified("\(there)/t"), 2_000_000)
      }
      let there = try makeDirectory()
      _ = try await run("recv", cloud, ["/up/t"], to: there)
      XCTAssertGreaterThan(try modified("\(there)/t/a"), 1_000_000)
    }
  }

  /// The checksums of `abc`, from FIPS 180-4 and RFC 1321.
  private static let checksums = [
    "md5": "900150983cd24fb0d6963f7d28e17f72", "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha-256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha-384": "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
      + "8086072ba1e7cc2358baeca134c825a7",
    "sha-512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
  ]

  func testChecksumIsReportedAndListedInTheManifest() async throws {
    try await withNode { [self] cloud, _ in
      let file = try write(Array("abc".utf8), to: "a.txt", in: makeDirectory())
      for (kind, expected) in Self.checksums {
        let there = try makeDirectory()
        for (mode, source, target) in [("send", file, "/up"), ("recv", "/up/a.txt", there)] {
          let folder = try makeDirectory()
          let outcome = try await run(
            mode, cloud, [source], to: target,
            ["--file-checksum", kind, "--file-manifest=text", "--file-manifest-path=\(folder)/new"])
          XCTAssertEqual(outcome.status, 0, outcome.errors)
          let stop = try XCTUnwrap(outcome.frames.first { $0.kind == .stop })
          XCTAssertEqual(stop["FileChecksum"], expected, kind)
          XCTAssertEqual(stop["FileChecksumType"], kind)
          let session = try XCTUnwrap(stop["SessionId"])
          let manifest = try read("new/aspera-transfer-\(session)-manifest.txt", in: folder)
          XCTAssertEqual(String(decoding: manifest, as: UTF8.self), "\"\(target)/a.txt\" 3 \(expected)\n")
        }
      }
    }
  }

  func testManifestIsWrittenNextToTheFilesByDefault() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      let file = try write([1], to: "a", in: here)
      let up = try await run("send", cloud, [file], to: "/up", ["--file-manifest=text"])
      XCTAssertEqual(up.status, 0, up.errors)
      XCTAssertTrue(try tree(here).contains { $0.hasPrefix("aspera-transfer-") && $0.hasSuffix("-manifest.txt") })
      let there = try makeDirectory()
      let down = try await run("recv", cloud, ["/up/a"], to: there, ["--file-manifest=text"])
      XCTAssertEqual(down.status, 0, down.errors)
      XCTAssertEqual(try tree(there).filter { $0.hasPrefix("aspera-transfer-") }.count, 1)
    }
  }

  func testFailureOfATransferCountsMoreThanThatOfItsManifest() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      let file = try write([1], to: "a", in: here)
      let up = try await run("send", cloud, [file], to: "/up")
      XCTAssertEqual(up.status, 0, up.errors)
      let there = try makeDirectory()
      // A folder has the name of the file, and a file is in the place of the manifest's folder.
      try write([2], to: "a/b", in: there)
      let down = try await run(
        "recv", cloud, ["/up/a"], to: there, ["--file-manifest=text", "--file-manifest-path=\(file)/new"])
      XCTAssertEqual(down.code, 7, down.errors)
    }
  }

  func testSourcesOfADownloadAreRemovedWhenRequested() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try write([1], to: "t/a", in: here)
      try write([2], to: "t/deep/b", in: here)
      let all = ["--remove-after-transfer", "--remove-empty-directories", "--remove-empty-source-directory"]
      let expected: [[String]] = [["/up/t", "/up/t/deep"], ["/up/t"], []]
      for count in 1...3 {
        _ = try await run("send", cloud, ["\(here)/t"], to: "/up")
        let there = try makeDirectory()
        let outcome = try await run("recv", cloud, ["/up/t"], to: there, Array(all.prefix(count)))
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try read("t/deep/b", in: there), [2])
        let left = try await client.names(in: "/up") + client.names(in: "/up/t") + client.names(in: "/up/t/deep")
        XCTAssertEqual(left, expected[count - 1])
        _ = try await client.post("/files/delete", ["paths": [["path": "/up"]]])
      }
    }
  }

  func testSourcesAreMovedToTheArchive() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try write([1], to: "t/a", in: here)
      try write([2], to: "t/deep/b", in: here)
      try write([9], to: "old/t/a", in: here)
      let up = try await run("send", cloud, ["\(here)/t"], to: "/up", ["--move-after-transfer", "\(here)/old"])
      XCTAssertEqual(up.status, 0, up.errors)
      XCTAssertEqual(try read("old/t/a", in: here), [1], "the archived file is replaced")
      XCTAssertEqual(try tree(here), ["old", "old/t", "old/t/a", "old/t/deep", "old/t/deep/b", "t", "t/deep"])

      let based = try await run(
        "send", cloud, ["\(here)/old/t/a"], to: "/up",
        ["--move-after-transfer=\(here)/new", "--src-base64", base64("\(here)/old")])
      XCTAssertEqual(based.status, 0, based.errors)
      XCTAssertEqual(try read("new/t/a", in: here), [1], "the path below the source base is preserved")

      let down = try await run("recv", cloud, ["/up/t"], to: here, ["--move-after-transfer", "/archive"])
      XCTAssertEqual(down.status, 0, down.errors)
      let left = try await client.names(in: "/up/t/deep") + client.names(in: "/archive/t")
      XCTAssertEqual(left, ["/archive/t/a", "/archive/t/deep"])
    }
  }

  func testTokenMustCoverTheArchive() async throws {
    try await withNode { [self] cloud, client in
      _ = try await run("send", cloud, [write([1], to: "a", in: makeDirectory())], to: "/up")
      let answer = try await client.setup("download_setup", ["paths": [["source": "/up"]]])
      let environment = [
        "ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": try XCTUnwrap(answer?["token"]?.string),
      ]
      for (archive, code) in [("/elsewhere", 34), ("/up/archive", nil)] {
        let outcome = try await Simulator.run(
          arguments(
            "recv", cloud, user: "xfer", ["/up/a"], to: makeDirectory(), ["-d", "--move-after-transfer", archive]),
          environment)
        XCTAssertEqual(outcome.code, code, outcome.errors)
      }
      let names = try await client.names(in: "/") + client.names(in: "/up/archive")
      XCTAssertEqual(names, ["/up", "/up/archive/a"])
    }
  }

  func testSkippedSourcesAreRemovedWhenRequested() async throws {
    try await withNode { [self] cloud, _ in
      let here = try makeDirectory()
      let file = try write([1], to: "a", in: here)
      _ = try await run("send", cloud, [file], to: "/up")
      let options = ["--overwrite=never", "--remove-after-transfer"]
      _ = try await run("send", cloud, [file], to: "/up", options)
      XCTAssertEqual(try tree(here), ["a"])
      let outcome = try await run("send", cloud, [file], to: "/up", options + ["--remove-skipped"])
      XCTAssertEqual(outcome.frames.last?["FilesComplete"], "0")
      XCTAssertEqual(try tree(here), [])
    }
  }

  func testExistingFileIsSavedBeforeItIsOverwritten() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let file = try write([1], to: "a.txt", in: here)
      _ = try await run("send", cloud, [file], to: "/up", ["--save-before-overwrite"])
      var names = try await client.names(in: "/up")
      XCTAssertEqual(names, ["/up/a.txt"])
      _ = try await run("send", cloud, [file], to: "/up", ["--save-before-overwrite", "--overwrite=never"])
      names = try await client.names(in: "/up")
      XCTAssertEqual(names, ["/up/a.txt"], "a file that stays is not saved")
      let up = try await run("send", cloud, [write([2], to: "a.txt", in: here)], to: "/up", ["--save-before-overwrite"])
      XCTAssertEqual(up.status, 0, up.errors)
      names = try await client.names(in: "/up")
      XCTAssertEqual(names.count, 2)
      let form = #/a\.\d{4}\.\d\d\.\d\d\.\d\d\.\d\d\.\d\d\.1\.txt/#
      XCTAssertNotNil(names.first?.split(separator: "/").last?.wholeMatch(of: form), "\(names)")

      let there = try makeDirectory()
      let old = try write([7], to: "a.txt", in: there)
      try setModified(1_000_000, of: old)
      let down = try await run("recv", cloud, ["/up/a.txt"], to: there, ["--save-before-overwrite"])
      XCTAssertEqual(down.status, 0, down.errors)
      let saved = try XCTUnwrap(tree(there).first)
      XCTAssertNotNil(saved.wholeMatch(of: form), saved)
      XCTAssertEqual(try read(saved, in: there), [7])
      XCTAssertEqual(try modified("\(there)/\(saved)"), 1_000_000)
      XCTAssertEqual(try read("a.txt", in: there), [2])
    }
  }

  func testOtherFilesAreDeletedBeforeTheTransfer() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      try write([1], to: "t/a", in: here)
      for name in ["t/a", "t/b", "t/x/y/c"] { try write([0], to: name, in: "\(here)/full") }
      _ = try await run("send", cloud, ["\(here)/full/t"], to: "/up")
      let up = try await run("send", cloud, ["\(here)/t"], to: "/up", ["--delete-before-transfer"])
      XCTAssertEqual(up.status, 0, up.errors)
      let names = try await client.names(in: "/up/t")
      XCTAssertEqual(names, ["/up/t/a"])

      let down = try await run("recv", cloud, ["/up/t"], to: "\(here)/full", ["--delete-before-transfer"])
      XCTAssertEqual(down.status, 0, down.errors)
      XCTAssertEqual(try tree("\(here)/full"), ["t", "t/a"])
      XCTAssertEqual(try read("full/t/a", in: here), [1])
      let file = try await run("send", cloud, ["\(here)/t/a"], to: "/up", ["--delete-before-transfer"])
      XCTAssertEqual(file.code, 8)
    }
  }
}
