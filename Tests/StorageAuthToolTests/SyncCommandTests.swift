// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageClient
import XCTest

/// Tests `storage-auth sync` and `storage-auth cp --recursive` against LocalCloud.
final class SyncCommandTests: XCTestCase {
  private func run(_ arguments: [String], _ state: TemporaryDirectory) async throws -> Programs.Outcome {
    try await Programs.storageAuth(
      arguments + ["--checkpoints", state.url.path],
      [
        "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
        "TENCENTCLOUD_SECRET_ID": key.id.string, "TENCENTCLOUD_SECRET_KEY": key.secret.reveal(),
      ])
  }

  // matrix: Synchronization: sync command
  func testFolderGoesUpToAnotherProviderAndDown() async throws {
    let cloud = try await Cloud(self)
    let (source, state, back) = (
      try TemporaryDirectory(self), try TemporaryDirectory(self), try TemporaryDirectory(self)
    )
    for name in ["a.txt", "b.txt", "c.tmp"] { _ = try source.write(pattern(1000), to: name) }
    let oss = "http://\(cloud.server.ossEndpoint.authority)"
    let cos = "http://\(cloud.server.cosEndpoint.authority)"
    let (photos, copies) = ("oss://\(Cloud.bucket)/photos", "cos://\(Cloud.bucket)/copies/")
    let plan = try await run(
      ["sync", source.url.path, photos, "--dry-run", "--exclude", "*.tmp", "--endpoint", oss], state)
    XCTAssertEqual(plan.output, "would create a.txt\nwould create b.txt\n")
    XCTAssertEqual(
      plan.errors,
      "dry run: 2 would be created, 0 updated, 0 deleted; 0 unchanged, 0 skipped, 0 kept; 2.0 KiB\n")
    let up = try await run(["sync", source.url.path, photos, "--exclude", "*.tmp", "--endpoint", oss], state)
    XCTAssertEqual(up.status, 0, up.errors)
    let summary = "2 created, 0 updated, 0 deleted, 0 unchanged, 0 skipped, 0 kept, 0 failed; 2.0 KiB in "
    XCTAssertTrue(up.errors.hasPrefix(summary), up.errors)
    let between = try await run(
      ["sync", photos, copies, "--from-endpoint", oss, "--endpoint", cos, "--json", "--jobs", "1"], state)
    XCTAssertEqual(between.status, 0, between.errors)
    let lines = between.output.split(separator: "\n")
    XCTAssertEqual(lines.first, #"{"action":"create","path":"a.txt","bytes":1000}"#)
    XCTAssertTrue(lines.last?.hasPrefix(#"{"summary":{"created":2,"updated":0,"deleted":0,"unchanged":0,"#) == true)
    _ = try back.write([1], to: "old")
    let down = try await run(["sync", copies, back.url.path, "--delete", "-v", "--endpoint", cos], state)
    XCTAssertEqual(down.output.split(separator: "\n").sorted(), ["create a.txt", "create b.txt", "delete old"])
    XCTAssertEqual(try back.names, ["a.txt", "b.txt"])
    XCTAssertEqual(try back.read("a.txt"), pattern(1000))
    let again = try await run(["sync", copies, back.url.path, "--checksum", "-q", "--endpoint", cos], state)
    XCTAssertEqual(again.output + again.errors, "")
    let tree = try await run(
      ["cp", "-r", source.url.path, photos, "--include", "*.tmp", "-v", "--endpoint", oss], state)
    XCTAssertEqual(tree.output, "create c.tmp\n")
  }

  // matrix: Synchronization: sync command
  func testFailuresAreNamedAndWrongArgumentsRejected() async throws {
    let cloud = try await Cloud(self)
    let (folder, state) = (try TemporaryDirectory(self), try TemporaryDirectory(self))
    try await cloud.oss().upload([1], to: "p/../x")
    try await cloud.oss().upload([1], to: "p/good")
    let oss = "http://\(cloud.server.ossEndpoint.authority)"
    let down = try await run(["sync", "oss://\(Cloud.bucket)/p/", folder.url.path, "--endpoint", oss], state)
    XCTAssertEqual(down.status, 1)
    XCTAssertTrue(down.errors.contains("Error: ../x: \"../x\" cannot be the path of a file."), down.errors)
    XCTAssertTrue(
      down.errors.contains("1 created, 0 updated, 0 deleted, 0 unchanged, 0 skipped, 0 kept, 1 failed"), down.errors)
    XCTAssertEqual(try folder.names, ["good"])
    let wrong = [
      ["sync", "a", "b"], ["sync", "a", "oss://photos/", "--jobs", "0"], ["sync", "a", "oss://photos/", "-q", "-v"],
      ["sync", "a", "aspera://user@host/path"], ["cp", "a", "oss://photos/a", "--dry-run"],
      ["cp", "-r", "a", "b", "oss://photos/a"], ["cp", "-r", "a", "oss://photos/a", "--resume"],
      ["sync", "a", "oss://photos/", "--include", ""], ["sync", "a", "oss://photos/", "--allow-empty-source"],
    ]
    for arguments in wrong {
      let outcome = try await run(arguments + ["--region", "cn-hangzhou"], state)
      XCTAssertEqual(outcome.status, 64, "\(arguments): \(outcome.errors)")
    }
  }
}
