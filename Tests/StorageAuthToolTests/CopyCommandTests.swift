// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LocalCloud
import StorageClient
import XCTest

/// Tests `storage-auth cp` with several sources against LocalCloud.
final class CopyCommandTests: XCTestCase {
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()]

  private func copy(_ arguments: [String], _ cloud: Cloud) async throws -> Programs.Outcome {
    let endpoint = "http://\(cloud.server.ossEndpoint.authority)"
    return try await Programs.storageAuth(["cp"] + arguments + ["--endpoint", endpoint], Self.variables)
  }

  // matrix: Pipeline: command line
  func testManyFilesAreUploadedAndDownloadedUnderTheirNames() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let names = (0..<50).map { "\($0).bin" }
    let files = try names.enumerated().map { try directory.write(pattern($0 * 50, seed: 9), to: $1).string }
    let bucket = "oss://\(Cloud.bucket)"
    let up = try await copy(files + ["\(bucket)/2026/", "--parallel", "7", "--content-type", "a/b"], cloud)
    XCTAssertEqual(up.status, 0, up.errors)
    let head = try await cloud.oss().head("2026/49.bin")
    XCTAssertEqual(head.size, 49 * 50)
    XCTAssertEqual(head.contentType, "a/b")
    let aside = try await copy(names.prefix(3).map { "\(bucket)/2026/\($0)" } + ["\(bucket)/copies/"], cloud)
    XCTAssertEqual(aside.status, 0, aside.errors)
    let copied = try await cloud.oss().download("copies/2.bin", upTo: 1000)
    XCTAssertEqual(copied, pattern(100, seed: 9))
    let back = try TemporaryDirectory(self)
    let down = try await copy(names.map { "\(bucket)/2026/\($0)" } + [back.url.path], cloud)
    XCTAssertEqual(down.status, 0, down.errors)
    XCTAssertEqual(try back.names, names.sorted())
    for (index, name) in names.enumerated() { XCTAssertEqual(try back.read(name), pattern(index * 50, seed: 9)) }
  }

  // matrix: Pipeline: command line
  func testFailedCopyIsNamedAtTheEndAndTheOthersAreCopied() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let store = cloud.oss()
    for name in ["a", "c"] { try await store.upload([1], to: name) }
    let places = ["a", "b", "c"].map { "oss://\(Cloud.bucket)/\($0)" }
    let down = try await copy(places + [directory.url.path], cloud)
    XCTAssertEqual(down.status, 1)
    XCTAssertTrue(down.errors.contains("Error: \(directory.path("b").string): "), down.errors)
    XCTAssertTrue(down.errors.contains("NoSuchKey"), down.errors)
    XCTAssertTrue(down.errors.hasSuffix("2 copied, 1 failed, 0 not copied\n"), down.errors)
    XCTAssertEqual(try directory.names, ["a", "c"])
    let files = [directory.path("missing").string, directory.path("a").string]
    let up = try await copy(files + ["oss://\(Cloud.bucket)/up/", "--parallel", "1", "--fail-fast"], cloud)
    XCTAssertEqual(up.status, 1)
    XCTAssertTrue(up.errors.hasSuffix("0 copied, 1 failed, 1 not copied\n"), up.errors)
    let listed = try await store.list(prefix: "up/").reduce(into: []) { $0.append($1.name) }
    XCTAssertEqual(listed, [])
  }

  // matrix: Pipeline: command line
  func testCopyInsideAServiceHasTheAttributesOfTheCommandLine() async throws {
    let cloud = try await Cloud(self)
    let store = cloud.oss()
    try await store.upload(
      [1], to: "a.jpg", metadata: ["author": "Mia"], options: UploadOptions(cacheControl: "no-cache"))
    let bucket = "oss://\(Cloud.bucket)"
    for (name, arguments, type, metadata) in [
      ("same", [], "image/jpeg", ["author": "Mia"]), ("type", ["--content-type", "a/b"], "a/b", ["author": "Mia"]),
      ("metadata", ["--metadata", "x=y"], "image/jpeg", ["x": "y"]),
    ] {
      let outcome = try await copy(["\(bucket)/a.jpg", "\(bucket)/\(name)"] + arguments, cloud)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      let info = try await store.head(name)
      XCTAssertEqual(info.contentType, type, name)
      XCTAssertEqual(info.metadata, metadata, name)
      XCTAssertEqual(info.headers[.cacheControl], "no-cache", name)
    }
  }

  /// Returns the variables of a run with settings of `cp`.
  private static func variables(with settings: [String: String]) -> [String: String] {
    settings.reduce(into: variables) { $0["STORAGE_AUTH_CP_\($1.key)"] = $1.value }
  }

  // matrix: Settings of the command line: order
  func testSettingsForAsperaDoNotAffectBuckets() async throws {
    let cloud = try await Cloud(self)
    let file = try TemporaryDirectory(self).write([1], to: "f").string
    let copy = ["cp", file, "oss://\(Cloud.bucket)/k", "--endpoint", "http://\(cloud.server.ossEndpoint.authority)"]
    let settings = ["RATE": "5", "ASCP": "/nowhere/ascp", "NODE": "https://node.example.com", "TAGS": "{}"]
    let variables = Self.variables(with: settings)
    let copied = try await Programs.storageAuth(copy, variables)
    XCTAssertEqual(copied.status, 0, copied.errors)
    let refused = try await Programs.storageAuth(copy + ["--rate", "5"], variables)
    XCTAssertEqual(refused.status, 64)
    XCTAssertTrue(refused.errors.contains("--rate is for aspera:// locations"), refused.errors)
  }

  // matrix: Pipeline: command line
  func testSettingsForUploadsDoNotAffectDownloads() async throws {
    let cloud = try await Cloud(self)
    try await cloud.oss().upload([1], to: "k")
    let file = try TemporaryDirectory(self).path("f").string
    let copy = ["cp", "oss://\(Cloud.bucket)/k", file, "--endpoint", "http://\(cloud.server.ossEndpoint.authority)"]
    let settings = ["CONTENT_TYPE": "a/b", "METADATA": "owner=mia", "DYNAMIC_KEY": "true", "KEY": "/nowhere"]
    let variables = Self.variables(with: settings)
    let copied = try await Programs.storageAuth(copy, variables)
    XCTAssertEqual(copied.status, 0, copied.errors)
    let refused = try await Programs.storageAuth(copy + ["--content-type", "a/b"], variables)
    XCTAssertEqual(refused.status, 64)
  }

  // matrix: Pipeline: command line
  func testSourcesWithConflictingDestinationsAreRejectedBeforeAnyTransfer() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1], to: "f").string
    for (arguments, words) in [
      (["a", "b", "oss://photos/key"], "Several sources need a directory"),
      (["oss://photos/a", "oss://photos/b", file], "Several sources need a directory"),
      (["x/f", "y/f", "oss://photos/"], "names that differ; copy f by itself"),
      (["oss://photos/a", "oss://photos/", directory.url.path], "photos is a bucket"),
      (["oss://photos/c/"], "a source and a destination"),
      (["a", "b", "oss://photos/", "--parallel", "0"], "from 1 to 64"),
      (["a", "b", directory.url.path], "One of the two"),
    ] {
      let outcome = try await Programs.storageAuth(
        ["cp"] + arguments + ["--endpoint", "http://127.0.0.1:1"], Self.variables)
      XCTAssertEqual(outcome.status, 64, outcome.errors)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("Usage: storage-auth cp "), outcome.errors)
    }
  }
}
