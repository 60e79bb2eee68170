// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import Foundation
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests `storage-auth aspera transfer` against LocalCloud and the simulator.
final class TransferCommandTests: XCTestCase {
  private static let password = ["ASPERA_SCP_PASS": LocalNode.password.reveal()]

  private func fields(_ node: LocalNode, _ more: JSONValue) -> JSONObject {
    let port = JSONValue.number(JSONNumber(node.cloud.transferPort))
    let base: JSONValue = [
      "remote_host": "127.0.0.1", "remote_user": .string(LocalNode.user), "ssh_port": port, "fasp_port": port,
      "sshfp": .string(node.cloud.transferHostKey.description), "create_dir": true,
    ]
    var fields = base.object ?? JSONObject()
    for (name, value) in more.object ?? JSONObject() { fields[name] = value }
    return fields
  }

  /// Returns an element of `paths`.
  private func element(_ source: String) -> JSONValue { ["source": .string(source)] }

  private func run(
    _ node: LocalNode, _ file: String, _ arguments: [String] = [], environment: [String: String] = password,
    input: String = ""
  ) async throws -> Programs.Outcome {
    try await Programs.storageAuth(
      ["aspera", "transfer", file, "--ascp", node.simulator] + arguments, environment, input: input)
  }

  func testSpecificationsFromAFileAndStandardInputAreCarriedOut() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let paths = try (1...3).map { try element(directory.write(pattern(1000), to: "f\($0)").string) }
    let upload = fields(node, ["direction": "send", "destination_root": "/up", "paths": .array(paths)])
    let file = try directory.write(JSONValue.object(upload).serialized, to: "spec.json").string
    let sent = try await run(node, file, ["--json", "--", "-l", "100000", "--overwrite=always"])
    XCTAssertEqual(sent.status, 0, sent.errors)
    let lines = try sent.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    XCTAssertEqual(lines.compactMap { $0["result"]?.string }, ["done", "done", "done"])
    XCTAssertEqual(lines.last?["files"], 3)
    XCTAssertEqual(lines.last?["bytes"], 3000)

    let there = directory.path("copy").string
    let download = fields(
      node, ["direction": "receive", "destination_root": .string(there), "paths": [["source": "/up/f1"]]])
    let input = String(decoding: JSONValue.object(download).serialized, as: UTF8.self)
    let received = try await run(node, "-", input: input)
    XCTAssertEqual(received.status, 0, received.errors)
    XCTAssertEqual(received.output, "1 files, 1000 bytes\n")
    XCTAssertEqual(try directory.read("copy/f1"), pattern(1000))
  }

  func testSeveralSessionsTransferAllFiles() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let paths = try (1...5).map { try element(directory.write(pattern(10), to: "f\($0)").string) }
    let upload = fields(
      node, ["direction": "send", "destination_root": "/up", "paths": .array(paths), "multi_session": 2])
    let file = try directory.write(JSONValue.object(upload).serialized, to: "spec.json").string
    let sent = try await run(node, file)
    XCTAssertEqual(sent.status, 0, sent.errors)
    XCTAssertEqual(sent.output, "5 files, 50 bytes\n")
    let names = try await node.client(root: "/up").list().names
    XCTAssertEqual(names, ["f1", "f2", "f3", "f4", "f5"])
  }

  func testRetryIsMentioned() async throws {
    let node = try await LocalNode(self)
    node.cloud.faults.transfers = [.failure(code: 16, .afterBytes(100_000), .first(1))]
    let source = try TemporaryDirectory(self).write(pattern(300_000), to: "f").string
    let upload = fields(node, ["direction": "send", "destination_root": "/up", "paths": [["source": .string(source)]]])
    let input = String(decoding: JSONValue.object(upload).serialized, as: UTF8.self)
    let sent = try await run(node, "-", ["--json"], input: input)
    XCTAssertEqual(sent.status, 0, sent.errors)
    let notes = sent.errors.split(separator: "\n").compactMap { line in
      (try? JSONValue(parsing: Array(line.utf8)))?["note"]?.string
    }
    let retry = try XCTUnwrap(notes.first { $0.contains(" The transfer is tried again in ") }, sent.errors)
    XCTAssertFalse(retry.hasPrefix("note: "), retry)
  }

  func testFailedFileThatTheNextAttemptTransfersIsNoFailure() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let script = #"""
      #!/bin/bash
      program=$0
      while [ "$1" != -M ]; do shift; done
      exec 3<> "/dev/tcp/127.0.0.1/$2"
      report() { printf 'FASPMGR 2\nType: %s\nSessionId: s1\n' "$1"; shift; printf '%s\n' "$@" ''; } >&3
      report INIT
      report STATS 'TransferBytes: 1' 'File: /f'
      if [ ! -e "$program.failed" ]; then
        : > "$program.failed"
        report STOP 'File: /f' 'Code: 13' 'Description: denied'
        report ERROR 'Code: 16' 'Description: lost'
        exit 1
      fi
      report STOP 'File: /f' 'Size: 1'
      report DONE 'TransferBytes: 1' 'TransfersPassed: 1'
      """#
    let program = try directory.write(Array(script.utf8), to: "ascp").string
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let file = try directory.write([1], to: "f").string
    let upload = fields(node, ["direction": "send", "destination_root": "/up", "paths": .array([element(file)])])
    let sent = try await Programs.storageAuth(
      ["aspera", "transfer", "-", "--ascp", program], Self.password,
      input: String(decoding: JSONValue.object(upload).serialized, as: UTF8.self))
    XCTAssertEqual(sent.status, 0, sent.errors)
    XCTAssertEqual(sent.output, "1 files, 1 bytes\n")
    XCTAssertTrue(sent.errors.contains("/f was not transferred: 13 denied"), sent.errors)
    XCTAssertTrue(sent.errors.contains(" The transfer is tried again in "), sent.errors)
  }

  func testUnreadableStandardInputIsAUsageError() async throws {
    for source in ["/", "&-"] {
      let outcome = try await Programs.shell(#""$0" "$@" <\#(source)"#, ["aspera", "transfer", "-"])
      XCTAssertEqual(outcome.status, 64, source)
      XCTAssertTrue(outcome.errors.contains("Standard input cannot be read."), outcome.errors)
    }
  }

  func testUnusableSpecificationsAndArgumentsAreRefusedByName() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    func refused(_ content: String, _ words: String, _ arguments: [String] = []) async throws {
      let outcome = try await run(node, "-", arguments, input: content)
      XCTAssertNotEqual(outcome.status, 0, words)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertFalse((outcome.errors + outcome.output).contains("hidden"), outcome.errors)
    }
    func text(_ more: JSONValue) -> String {
      var all = fields(node, ["direction": "send", "destination_root": "/up", "paths": [["source": "/nowhere"]]])
      for (name, value) in more.object ?? JSONObject() { all[name] = value }
      return String(decoding: JSONValue.object(all).serialized, as: UTF8.self)
    }
    try await refused("[]", "not a JSON object")
    try await refused("{", "not JSON")
    try await refused(text(["overwrite_policy": "hidden"]), "overwrite_policy")
    try await refused(text(["made_up": "hidden"]), "made_up")
    try await refused(text(["fasp_port": 0]), "fasp_port")
    try await refused(text(["ssh_private_key_path": "/k", "remote_password": "hidden"]), "both a password and")
    try await refused(text([:]), "-W is not permitted", ["--", "-W", "hidden"])
    try await refused(text([:]), "-L is not permitted", ["--", "-L", "/tmp"])
    try await refused(text([:]), "Leave out --sshfp", ["--sshfp", String(repeating: "0", count: 40)])
    try await refused(text(["remote_password": "hidden"]), "Leave out --key", ["--key", "/k"])
    try await refused(text([:]), "No such file", [])
    try await refused(String(repeating: " ", count: 1 << 24 + 1), "larger than 16777216 bytes")
    let missing = try await run(node, directory.path("missing").string)
    XCTAssertEqual(missing.status, 64)
  }

  func testKeyThatASpecificationNamesIsCheckedAsThatOfTheOption() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    guard case .pem(let text) = try DynamicKey().privateKey.source else { return XCTFail("the key is in a file") }
    let plain = try directory.write(Array(text.reveal().utf8), to: "plain").string
    let open = try directory.write(Array(text.reveal().utf8), to: "open").string
    let damaged = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    let broken = try directory.write(Array(damaged.utf8), to: "broken").string
    for (path, mode) in [(plain, 0o600), (broken, 0o600), (open, 0o644)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    let spec: JSONValue = ["direction": "send", "destination_root": "/up", "paths": [["source": "/nowhere"]]]
    for (path, environment) in [
      (directory.path("missing").string, [:]), (broken, [:]), (open, [:]), (plain, Self.password),
    ] as [(String, [String: String])] {
      var named = fields(node, spec)
      named["ssh_private_key_path"] = .string(path)
      let inside = try await run(
        node, "-", environment: environment, input: String(decoding: JSONValue.object(named).serialized, as: UTF8.self))
      let option = try await run(
        node, "-", ["--key", path], environment: environment,
        input: String(decoding: JSONValue.object(fields(node, spec)).serialized, as: UTF8.self))
      XCTAssertNotEqual(inside.status, 0, path)
      XCTAssertEqual(inside.errors, option.errors, path)
      XCTAssertTrue(inside.errors.contains(path), inside.errors)
      XCTAssertFalse(inside.errors.contains("ascp ended"), inside.errors)
    }
  }

  func testFileWithSecretsThatOthersCanReadIsMentioned() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let source = try directory.write([1], to: "f").string
    let upload = fields(
      node,
      [
        "direction": "send", "destination_root": "/up", "paths": [["source": .string(source)]],
        "remote_password": .string(LocalNode.password.reveal()),
      ])
    let file = try directory.write(JSONValue.object(upload).serialized, to: "spec.json").string
    for (mode, isMentioned) in [(0o644, true), (0o600, false)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let sent = try await run(node, file, environment: [:])
      XCTAssertEqual(sent.status, 0, sent.errors)
      XCTAssertEqual(sent.errors.contains("chmod 600"), isMentioned, sent.errors)
    }
  }

  func testCopyWithABearerTokenTakesTags() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1], to: "f").string
    let place = "aspera://\(LocalNode.user)@127.0.0.1:\(node.cloud.transferPort)/up/f"
    func copy(_ arguments: [String]) async throws -> Programs.Outcome {
      let environment = Self.password.merging(["ASPERA_SCP_TOKEN": "Bearer eJyexample"]) { $1 }
      return try await Programs.storageAuth(
        ["cp", file, place, "--ascp", node.simulator, "--udp-port", "\(node.cloud.transferPort)"] + arguments,
        environment)
    }
    let bare = try await copy([])
    XCTAssertEqual(bare.status, 1)
    XCTAssertTrue(bare.errors.contains("aspera.node.access_key"), bare.errors)
    let tags = #"{"aspera":{"node":{"access_key":"ak","file_id":"1"}}}"#
    for argument in [tags, "@" + (try directory.write(Array(tags.utf8), to: "tags.json").string)] {
      let tagged = try await copy(["--tags", argument])
      XCTAssertEqual(tagged.status, 1)
      XCTAssertTrue(tagged.errors.contains("bad token Bearer"), tagged.errors)
      XCTAssertFalse(tagged.errors.contains("do not name its access key"), tagged.errors)
    }
    for argument in ["[]", "{", "@/nowhere"] {
      let invalid = try await copy(["--tags", argument])
      XCTAssertEqual(invalid.status, 64, invalid.errors)
    }
    let secret = try await copy(["--tags", #"{"aspera":{"node":{"storage_credentials":{"type":"token"}}}}"#])
    XCTAssertTrue(secret.errors.contains("tags hold a secret"), secret.errors)
    let ofNode = try await Programs.storageAuth(["cp", file, "aspera://node/k", "--tags", tags])
    XCTAssertTrue(ofNode.errors.contains("--tags is for"), ofNode.errors)
  }
}
