// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

/// Tests `storage-auth` with `aspera://` URLs against LocalCloud and the simulator.
final class AsperaCommandLineTests: XCTestCase {
  private static let password = ["ASPERA_SCP_PASS": "not-a-password"]

  private static func access() -> [String: String] {
    ["ASPERA_ACCESS_KEY_ID": key.id.string, "ASPERA_ACCESS_KEY_SECRET": key.secret.reveal()]
  }

  func testFilesAreCopiedListedAndRemovedThroughANode() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1000), to: "cat.jpg")
    let transfers = ["--ascp", node.simulator, "--dynamic-key"]
    func run(_ arguments: String...) async throws -> Programs.Outcome {
      let outcome = try await Programs.storageAuth(
        arguments + ["--node", node.cloud.nodeURL] + (arguments[0] == "cp" ? transfers : []),
        Self.access().merging(["STORAGE_AUTH_CP_PASSWORD_FILE": "/nowhere"]) { $1 })
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      return outcome
    }
    _ = try await run("cp", file.string, "aspera://node/2026/")
    let listed = try await run("ls", "-r", "aspera://node/")
    XCTAssertTrue(listed.output.hasSuffix("1000 2026/cat.jpg\n"), listed.output)
    let folded = try await run("ls", "aspera://node/")
    XCTAssertTrue(folded.output.hasSuffix(" 2026/\n"), folded.output)
    _ = try await run("cp", "aspera://node/2026/cat.jpg", directory.path("copy").string)
    XCTAssertEqual(try directory.read("copy"), pattern(1000))
    _ = try await run("rm", "aspera://node/2026/cat.jpg")
    let rest = try await run("ls", "-r", "aspera://node/")
    XCTAssertEqual(rest.output, "")
  }

  func testFilesAreCopiedWithOnlyAnAccount() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1000), to: "cat.jpg")
    let server = "aspera://\(LocalNode.user)@127.0.0.1:\(node.cloud.transferPort)"
    let options = [
      "--ascp", node.simulator, "--udp-port", "\(node.cloud.transferPort)", "--sshfp",
      node.cloud.transferHostKey.description.uppercased(),
    ]
    for arguments in [
      ["cp", file.string, "\(server)/2026/"], ["cp", "\(server)/2026/cat.jpg", directory.path("copy").string],
    ] {
      let outcome = try await Programs.storageAuth(arguments + options, Self.password)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
    }
    XCTAssertEqual(try directory.read("copy"), pattern(1000))
    let wrong = try await Programs.storageAuth(
      ["cp", file.string, "\(server)/x"] + options, ["ASPERA_SCP_PASS": "wrong"])
    XCTAssertEqual(wrong.status, 1)
    XCTAssertTrue(wrong.errors.contains("19"), wrong.errors)
  }

  func testRateAppliesToAccountsToo() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1], to: "f").string
    let script = "#!/bin/sh\necho \"$*\" > \"$0.arguments\"\nexec '\(node.simulator)' \"$@\"\n"
    let program = try directory.write(Array(script.utf8), to: "ascp").string
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let port = "\(node.cloud.transferPort)"
    let copied = try await Programs.storageAuth(
      [
        "cp", file, "aspera://\(LocalNode.user)@127.0.0.1:\(port)/f", "--udp-port", port, "--ascp", program, "--rate",
        "12345",
      ], Self.password)
    XCTAssertEqual(copied.status, 0, copied.errors)
    let arguments = String(decoding: try directory.read("ascp.arguments"), as: UTF8.self)
    XCTAssertTrue(arguments.contains("-l 12345 "), arguments)
  }

  func testUnsupportedAsperaCallsAreRejectedBeforeAnyTransfer() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1], to: "f").string
    for (arguments, words) in [
      (["ls", "aspera://mia@host/"], "cannot list"), (["rm", "aspera://mia@host/k"], "cannot delete"),
      (["cp", "aspera://node/a", "aspera://node/b"], "Copy to a file first"),
      (["cp", file, "aspera://mia@host/k", "--content-type", "a/b"], "media type"),
      (["cp", file, "aspera://mia:not-a-password@host/k"], "without a password"),
      (["aspera", "probe", "mia:not-a-password@host"], "without a password"),
      (["cp", file, "aspera://mia@host/k", "--sshfp", "SHA256:x"], "SHA-256"),
    ] {
      let outcome = try await Programs.storageAuth(arguments, Self.password)
      XCTAssertNotEqual(outcome.status, 0)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("not-a-password"), outcome.errors)
    }
    let refused = try await Programs.storageAuth(["cp", file, "aspera://mia@host/k"])
    XCTAssertTrue(
      refused.errors.contains("Set ASPERA_SCP_PASS, or add --password-file FILE or --key FILE;"), refused.errors)
  }

  // matrix: Aspera transfer (password): verify
  func testProbeReportsWhatFailed() async throws {
    let node = try await LocalNode(self)
    let server = "\(LocalNode.user)@127.0.0.1:\(node.cloud.transferPort)"
    let directory = try TemporaryDirectory(self)
    func probe(_ arguments: [String], _ environment: [String: String]) async throws -> Programs.Outcome {
      try await Programs.storageAuth(
        ["aspera", "probe", server, "--ascp", node.simulator] + arguments, environment)
    }
    let accepted = try await probe([], Self.password)
    XCTAssertEqual(accepted.status, 0, accepted.output + accepted.errors)
    XCTAssertTrue(accepted.output.contains("login          accepted"), accepted.output)
    let file = try directory.write(Array("not-a-password\n".utf8), to: "password").string
    let fromFile = try await probe(["--password-file", file], [:])
    XCTAssertEqual(fromFile.status, 0, fromFile.output)
    let refused = try await probe([], ["ASPERA_SCP_PASS": "wrong"])
    XCTAssertEqual(refused.status, 1, refused.output)
    XCTAssertTrue(refused.output.contains("failed"), refused.output)
    let otherHost = try await probe(["--sshfp", String(repeating: "0", count: 40)], Self.password)
    XCTAssertEqual(otherHost.status, 2, otherHost.output)
    let bare = try await probe([], [:])
    XCTAssertEqual(bare.status, 4, bare.output)
    XCTAssertTrue(bare.output.contains("Set ASPERA_SCP_PASS, or add --password-file FILE"), bare.output)
    let noKey = try await probe(["--key", "/nowhere/key"], [:])
    XCTAssertEqual(noKey.status, 4, noKey.output)
    XCTAssertTrue(noKey.output.contains("/nowhere/key"), noKey.output)
  }
}
