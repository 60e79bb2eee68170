// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageClient
import XCTest

/// Tests settings of `storage-auth` from files and the environment: their order, and errors that name them.
final class SettingsCommandTests: XCTestCase {
  private static let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg"
  private static let credentials = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
  ]

  private func file(_ text: String, in directory: TemporaryDirectory, permissions: Int = 0o600) throws -> String {
    let path = try directory.write(Array(text.utf8), to: "settings.json").string
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    return path
  }

  /// Returns the lifetime of a URL that `presign` makes, in seconds.
  private func lifetime(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> String {
    let outcome = try await Programs.storageAuth(
      ["presign", "GET", Self.url, "--date", "1795161600"] + arguments,
      Self.credentials.merging(environment) { $1 })
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    return outcome.output.firstMatch(of: /x-oss-expires=(\d+)/).map { String($0.1) } ?? outcome.output
  }

  // matrix: Settings of the command line: order
  func testOptionWinsOverEnvironmentAndEnvironmentOverFile() async throws {
    let directory = try TemporaryDirectory(self)
    let path = try file(#"{"presign": {"expires": 100}, "cp": {"parallel": 3}, "quiet": true}"#, in: directory)
    let variable = ["STORAGE_AUTH_PRESIGN_EXPIRES": "200"]
    let values = [
      try await lifetime([]), try await lifetime(["--config", path]),
      try await lifetime(["--config=\(path)"], variable),
      try await lifetime([], ["STORAGE_AUTH_CONFIG": path]), try await lifetime([], variable),
      try await lifetime(["--config", path, "--expires", "300"], variable),
      try await lifetime(["--config", path, "--expires=300", "-v"], variable),
    ]
    XCTAssertEqual(values, ["3600", "100", "200", "100", "200", "300", "300"])
  }

  // matrix: Settings of the command line: order
  func testSharedSettingsFlagsAndRepeatedOptionsAreReplacedAndNotAdded() async throws {
    let directory = try TemporaryDirectory(self)
    let folder = directory.path("tree").string
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["a.txt", "b.tmp", "c.log"] { _ = try directory.write([1], to: "tree/\(name)") }
    let path = try file(
      #"{"region": "cn-hangzhou", "sync": {"dry-run": true, "exclude": ["*.tmp", "*.log"]}, "json": true}"#,
      in: directory)
    try await WireServer.run(
      answering: wireAnswer(listAnswer())
    ) { server in
      func sync(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> [String] {
        let outcome = try await Programs.storageAuth(
          ["sync", folder, "oss://photos/", "--endpoint", "http://127.0.0.1:\(server.port)", "--config", path]
            + arguments, Self.credentials.merging(environment) { $1 })
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return outcome.output.split(separator: "\n").map(String.init)
      }
      let names = { (lines: [String]) in
        lines.compactMap { $0.firstMatch(of: /"path":"([^"]+)"/).map { String($0.1) } }.sorted()
      }
      let ofFile = names(try await sync([]))
      XCTAssertEqual(ofFile, ["a.txt"])
      let given = names(try await sync(["--exclude", "a.*"]))
      XCTAssertEqual(given, ["b.tmp", "c.log"], "The patterns of the file are replaced.")
      let ofEnvironment = names(try await sync([], ["STORAGE_AUTH_SYNC_EXCLUDE": "a.*\nb.*"]))
      XCTAssertEqual(ofEnvironment, ["c.log"])
      let text = try await sync([], ["STORAGE_AUTH_JSON": "false"])
      XCTAssertEqual(text, ["would create a.txt"], "A variable switches a flag of the file off.")
    }
  }

  // matrix: Settings of the command line: bad input
  func testUnknownKeysAndWrongFormsAreNamed() async throws {
    let directory = try TemporaryDirectory(self)
    for (text, words) in [
      (#"{"cp": {"paralel": 3}}"#, "cp.paralel is no setting. Did you mean parallel?"),
      (#"{"presing": {"expires": 3}}"#, "presing is no setting. Did you mean presign?"),
      (#"{"parallel": 3}"#, "parallel is no setting. Put it into the object of a command: cp."),
      (#"{"aspera": {"prob": {}}}"#, "aspera.prob is no setting"), (#"{"aspera": {"ascp": "x"}}"#, "aspera.ascp is no"),
      (#"{"cp": 3}"#, "cp must be an object"), (#"{"client": true}"#, "client must be an object"),
      (#"{"regoin": "x"}"#, "Did you mean region?"), (#"{"cp": {"resume": "yes"}}"#, "cp.resume must be true or false"),
      (#"{"cp": {"parallel": {}}}"#, "cp.parallel must be a string or a number"),
      (#"{"cp": {"metadata": [["a"]]}}"#, "or an array of them"),
      (#"{"cp": {"parallel": null}}"#, "cp.parallel must be"),
      (#"{"client": {"atempts": 3}}"#, "client.atempts is no setting. Did you mean client.attempts?"),
      (#"{"client": {"attempts": "x"}}"#, "The setting attempts is not an integer"),
      (#"{"client": {"retryDelay": "5"}}"#, "The setting retryDelay is no duration"),
      (#"{"http": {"proxy": {"https": "socks5://hunter2@h"}}}"#, "SOCKS"),
      (#"{"presign": {"expires": "x"}}"#, "--expires is set by presign.expires in "),
      (#"{"cp": {"config": "x"}}"#, "cp.config is no setting"), (#"[1]"#, "contains no JSON object"),
      (#"{"region": "a", "region": "b"}"#, "is not valid JSON"), (#"{"#, "is not valid JSON"),
    ] {
      let path = try file(text, in: directory)
      let outcome = try await Programs.storageAuth(["presign", "GET", Self.url, "--config", path], Self.credentials)
      XCTAssertEqual(outcome.status, 64, text)
      XCTAssertTrue(outcome.errors.contains(words), "\(text): \(outcome.errors)")
      XCTAssertTrue(outcome.errors.contains(path), "\(text): \(outcome.errors)")
      XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
    }
    for (variables, words) in [
      (["STORAGE_AUTH_PRESIGN_EXPIRE": "3"], "Did you mean STORAGE_AUTH_PRESIGN_EXPIRES?"),
      (["STORAGE_AUTH_PRESIGN_EXPLAIN": "yes"], "STORAGE_AUTH_PRESIGN_EXPLAIN must be true or false"),
      (["STORAGE_AUTH_CLIENT_ATEMPTS": "3"], "Did you mean STORAGE_AUTH_CLIENT_ATTEMPTS?"),
      (["STORAGE_AUTH_CLIENT_ATTEMPTS": "0"], "The setting attempts is 0"),
      (["STORAGE_AUTH_CONFIG": "/nowhere/file"], "/nowhere/file cannot be read"),
    ] {
      let outcome = try await Programs.storageAuth(
        ["presign", "GET", Self.url], Self.credentials.merging(variables) { $1 })
      XCTAssertEqual(outcome.status, 64, "\(variables)")
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
    }
  }

  // matrix: Settings of the command line: permissions
  func testFileThatOthersCanWriteIsRejected() async throws {
    let directory = try TemporaryDirectory(self)
    let path = try file("{}", in: directory, permissions: 0o666)
    let outcome = try await Programs.storageAuth(["presign", "GET", Self.url, "--config", path], Self.credentials)
    XCTAssertEqual(outcome.status, 64)
    XCTAssertTrue(outcome.errors.contains("is rejected because others could have written it"), outcome.errors)
  }

  // matrix: Settings of the command line: secrets
  func testSecretsComeFromFilesAndAreNotShown() async throws {
    let directory = try TemporaryDirectory(self)
    let secret = try directory.write(Array("redis://:hunter2@cache.example/x\n".utf8), to: "redis").string
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
    let server = [
      "token-server", "--provider", "oss", "--bucket", "photos", "--role", "acs:ram::1250000000:role/localcloud",
      "--callers", "/nowhere",
    ]
    let path = try file(#"{"token-server": {"redis-file": "\#(secret)"}}"#, in: directory)
    for (arguments, variables) in [
      (server + ["--config", path], [:]), (server, ["STORAGE_AUTH_TOKEN_SERVER_REDIS_FILE": secret]),
    ] {
      let outcome = try await Programs.storageAuth(arguments, variables)
      XCTAssertEqual(outcome.status, 64, outcome.errors)
      XCTAssertTrue(outcome.errors.contains("URL of Redis"), outcome.errors)
      XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
    }
    let missing = try file(#"{"token-server": {"redis-file": "/nowhere/secret"}}"#, in: directory)
    let outcome = try await Programs.storageAuth(server + ["--config", missing])
    XCTAssertTrue(outcome.errors.contains("token-server.redis-file in \(missing): /nowhere/secret"), outcome.errors)
  }

  // matrix: Settings of the command line: check
  func testCheckPrintsWhatAFileSets() async throws {
    let directory = try TemporaryDirectory(self)
    let path = try file(
      #"{"region": "cn-hangzhou", "cp": {"parallel": 3, "resume": true}, "client": {"attempts": 2}}"#, in: directory)
    let outcome = try await Programs.storageAuth(["config", "check", path])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertEqual(outcome.output, "region: 1 setting\ncp: 2 settings\nclient: 1 setting\n")
    let wrong = try await Programs.storageAuth(["config", "check", try file(#"{"cp": {"x": 1}}"#, in: directory)])
    XCTAssertEqual(wrong.status, 64)
  }
}
