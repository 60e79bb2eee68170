// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests that every command has the options for its output, and the JSON of results, notes and errors.
final class OutputOptionTests: XCTestCase {
  private static let credentials = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
  ]

  /// The commands without commands below them, with the spellings of their options.
  private func commands() async throws -> [String: Set<String>] {
    let described = try await Programs.storageAuth(["--experimental-dump-help"]).output
    var found: [String: Set<String>] = [:]
    func add(_ command: JSONValue, below path: [String]) {
      guard let name = command["commandName"]?.string, name != "help" else { return }
      let inner = command["subcommands"]?.array ?? []
      for below in inner { add(below, below: path + [name]) }
      guard inner.isEmpty else { return }
      let names = (command["arguments"]?.array ?? []).flatMap { $0["names"]?.array ?? [] }.compactMap { name in
        name["name"]?.string.map { (name["kind"]?.string == "short" ? "-" : "--") + $0 }
      }
      found[(path + [name]).joined(separator: " ")] = Set(names)
    }
    for command in try JSONValue(parsing: Array(described.utf8))["command"]?["subcommands"]?.array ?? [] {
      add(command, below: [])
    }
    return found
  }

  // matrix: Output of the command line: options
  func testEveryCommandHasTheOptionsForItsOutput() async throws {
    let commands = try await commands()
    XCTAssertGreaterThanOrEqual(commands.count, 16)
    for (name, options) in commands {
      let missing = Set(["--json", "--quiet", "-q", "--verbose", "-v", "--config"]).subtracting(options)
      XCTAssertEqual(missing, [], name)
    }
  }

  // matrix: Output of the command line: page
  func testPageDescribesTheJSONOfEveryCommand() async throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Documentation/CommandLine.md"), encoding: .utf8)
    let rows = page.matches(of: /(?m)^\| `([a-z -]+)` \| `\{/).map { String($0.1) }
    let names = try await commands().keys
    XCTAssertEqual(Set(rows), Set(names))
  }

  private func object(_ line: some StringProtocol) throws -> JSONObject {
    try XCTUnwrap(JSONValue(parsing: Array(line.utf8)).object, "\(line)")
  }

  // matrix: Output of the command line: results
  func testResultsAreJSON() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1000), to: "a.txt").string
    let other = try directory.write(pattern(10), to: "b.txt").string
    let endpoint = ["--endpoint", "http://\(cloud.server.ossEndpoint.authority)", "--json"]
    let bucket = "oss://\(Cloud.bucket)"
    func lines(_ arguments: [String], status: Int32 = 0) async throws -> [JSONObject] {
      let outcome = try await Programs.storageAuth(arguments + endpoint, Self.credentials)
      XCTAssertEqual(outcome.status, status, outcome.errors)
      return try outcome.output.split(separator: "\n").map { try object($0) }
    }
    let made = try await lines(["mb", "oss://another-bucket"])
    XCTAssertEqual(made, [["action": "create", "bucket": "oss://another-bucket"]])
    let one = try await lines(["cp", file, "\(bucket)/x/a.txt"])
    XCTAssertEqual(one, [["action": "copy", "path": "x/a.txt", "bytes": 1000]])
    let two = try await lines(["cp", file, other, "\(bucket)/y/"])
    XCTAssertEqual(two.dropLast().compactMap { $0["path"]?.string }.sorted(), ["y/a.txt", "y/b.txt"])
    XCTAssertEqual(two.last, ["summary": ["copied": 2, "failed": 0, "notCopied": 0]])
    let failed = try await lines(["cp", file, directory.path("none").string, "\(bucket)/z/"], status: 1)
    XCTAssertEqual(failed.compactMap { $0["action"]?.string }.sorted(), ["copy", "fail"])
    let removed = try await lines(["rm", "-r", "\(bucket)/y/"])
    XCTAssertEqual(removed.compactMap { $0["key"]?.string }.sorted(), ["y/a.txt", "y/b.txt"])
  }

  // matrix: Output of the command line: results
  func testSignedRequestInJSONIsVerified() async throws {
    let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg"
    let signed = try await Programs.storageAuth(["sign", "GET", url, "--json", "--explain"], Self.credentials)
    XCTAssertNotNil(try object(signed.output)["stringToSign"]?.string)
    let directory = try TemporaryDirectory(self)
    let path = try directory.write(Array(signed.output.utf8), to: "request").string
    let verified = try await Programs.storageAuth(["verify", "--request", path, "--json"], Self.credentials)
    XCTAssertEqual(try object(verified.output)["verified"], true)
    XCTAssertEqual(try object(verified.output)["key"], "cat.jpg")
    let refused = try await Programs.storageAuth(
      ["verify", "--request", path, "--json", "--date", "2000000000"], Self.credentials)
    XCTAssertEqual(refused.status, 1)
    XCTAssertEqual(try object(refused.output)["verified"], false)
    let presigned = try await Programs.storageAuth(["presign", "GET", url, "--json"], Self.credentials)
    XCTAssertNotNil(try object(presigned.output)["expiration"]?.string)
    XCTAssertTrue(try object(presigned.output)["url"]?.string?.hasPrefix(url) ?? false)
  }

  // matrix: Output of the command line: errors
  func testErrorsAreJSONOnStandardError() async throws {
    let unreachable = try await Programs.storageAuth(
      ["ls", "oss://photos/", "--endpoint", "http://127.0.0.1:1", "--json"], Self.credentials)
    let error = try XCTUnwrap(try object(unreachable.errors)["error"]?.object)
    XCTAssertEqual(error["code"], "connectionFailed")
    XCTAssertEqual(error["exitStatus"], 1)
    XCTAssertNotNil(error["remedy"]?.string)
    let wrong = try await Programs.storageAuth(["ls", "gs://photos/", "--json"])
    XCTAssertEqual(try object(wrong.errors)["error"]?["exitStatus"], 64)
    XCTAssertFalse(wrong.errors.contains("Usage:"), wrong.errors)
    let (cloud, directory) = (try await Cloud(self), try TemporaryDirectory(self))
    let missing = try await Programs.storageAuth(
      [
        "cp", "oss://\(Cloud.bucket)/none", directory.path("none").string, "--endpoint",
        "http://\(cloud.server.ossEndpoint.authority)", "--json",
      ], Self.credentials)
    let refusal = try XCTUnwrap(try object(missing.errors)["error"]?.object)
    XCTAssertEqual(refusal["serviceCode"], "NoSuchKey")
    XCTAssertEqual(refusal["status"], 404)
    XCTAssertNotNil(refusal["requestId"]?.string)
  }

  // matrix: Output of the command line: quiet
  func testQuietCommandPrintsOnlyResultsAndErrors() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1], to: "q/a")
    let endpoint = ["--endpoint", "http://\(cloud.server.ossEndpoint.authority)"]
    let listed = try await Programs.storageAuth(["ls", "-q", "oss://\(Cloud.bucket)/q/"] + endpoint, Self.credentials)
    XCTAssertTrue(listed.output.hasSuffix(" q/a\n"), listed.output)
    let removed = try await Programs.storageAuth(
      ["rm", "-r", "-q", "oss://\(Cloud.bucket)/q/"] + endpoint, Self.credentials)
    XCTAssertEqual(removed.output + removed.errors, "")
    let both = try await Programs.storageAuth(["ls", "oss://photos/", "-q", "-v"], Self.credentials)
    XCTAssertEqual(both.status, 64)
    let failed = try await Programs.storageAuth(
      ["ls", "oss://photos/", "-q", "--endpoint", "http://127.0.0.1:1"], Self.credentials)
    XCTAssertTrue(failed.errors.hasPrefix("Error: "), failed.errors)
  }

  // matrix: Output of the command line: verbose
  func testVerboseCommandPrintsRequestsWithoutQueriesAndSecrets() async throws {
    let cloud = try await Cloud(self)
    let authority = cloud.server.ossEndpoint.authority
    let listed = try await Programs.storageAuth(
      ["ls", "-v", "oss://\(Cloud.bucket)/", "--endpoint", "http://\(authority)"], Self.credentials)
    XCTAssertTrue(
      listed.errors.contains("GET http://\(authority)/\(Cloud.bucket)/ 200 in "), listed.errors)
    XCTAssertTrue(listed.errors.contains("credential from environment"), listed.errors)
    XCTAssertFalse(listed.errors.contains("?"), listed.errors)
    let json = try await Programs.storageAuth(
      ["ls", "-v", "--json", "oss://\(Cloud.bucket)/", "--endpoint", "http://\(authority)"], Self.credentials)
    let requests = try json.errors.split(separator: "\n").compactMap { try object($0)["request"]?.object }
    XCTAssertEqual(requests.map { $0["status"] }, [200])
  }
}
