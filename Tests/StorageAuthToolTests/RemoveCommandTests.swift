// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests `storage-auth rm`, and that all commands read a location as the same folder.
final class RemoveCommandTests: XCTestCase {
  private static let credentials = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
  ]
  private static let bucket = "oss://\(Cloud.bucket)"
  private static let keys = ["t", "t-1", "t.txt", "t/a", "t/b/c", "tea/x", "test.txt", "t\u{301}/x"]

  private func run(
    _ arguments: [String], _ cloud: Cloud, status: Int32 = 0, line: UInt = #line
  ) async throws -> Programs.Outcome {
    let outcome = try await Programs.storageAuth(
      arguments + ["--endpoint", "http://\(cloud.server.ossEndpoint.authority)"], Self.credentials)
    XCTAssertEqual(outcome.status, status, outcome.output + outcome.errors, line: line)
    return outcome
  }

  private func filled() async throws -> Cloud {
    let cloud = try await Cloud(self)
    for key in Self.keys { try await cloud.oss().upload([1, 2], to: key) }
    return cloud
  }

  private func keys(_ cloud: Cloud) async throws -> Set<String> {
    var keys: Set<String> = []
    for try await entry in cloud.oss().list() { keys.insert(entry.name) }
    return keys
  }

  func testLocationIsOneFolderForAllCommands() async throws {
    let cloud = try await filled()
    let directory = try TemporaryDirectory(self)
    let below: Set = ["t/a", "t/b/c"]
    for location in ["\(Self.bucket)/t", "\(Self.bucket)/t/"] {
      let listed = try await run(["ls", "-r", "--json", location], cloud).output.split(separator: "\n").map {
        try XCTUnwrap(JSONValue(parsing: Array($0.utf8))["key"]?.string)
      }
      XCTAssertEqual(Set(listed), location.hasSuffix("/") ? below : below.union(["t"]), location)
      for command in [["cp", "-r", "--dry-run", "--json"], ["sync", "--dry-run", "--json"]] {
        let output = try await run(command + [location, directory.path("none").string], cloud).output
        XCTAssertTrue(output.contains(#""path":"a""#) && output.contains(#""path":"b/c""#), output)
        XCTAssertFalse(output.contains("tea") || output.contains("test") || output.contains("x"), output)
      }
      let planned = try await run(["rm", "-r", "--dry-run", location], cloud)
      XCTAssertEqual(planned.output, "would delete t/a\nwould delete t/b/c\n")
      XCTAssertTrue(
        planned.errors.hasSuffix("2 objects would be deleted (4.0 B)\n") || planned.errors.hasSuffix("(4 B)\n"),
        planned.errors)
    }
    let whole = try await keys(cloud)
    XCTAssertEqual(whole, Set(Self.keys), "a dry run deletes nothing")
    let prefix = try await run(["ls", "--prefix", "\(Self.bucket)/te"], cloud).output
    XCTAssertTrue(prefix.contains("tea/") && prefix.contains("test.txt"), prefix)
    let removed = try await run(["rm", "-r", "\(Self.bucket)/t"], cloud)
    XCTAssertTrue(removed.errors.contains("The object t is not below t/ and is kept"), removed.errors)
    XCTAssertTrue(removed.errors.hasSuffix("2 deleted, 0 failed\n"), removed.errors)
    let rest = try await keys(cloud)
    XCTAssertEqual(rest, Set(Self.keys).subtracting(below))
  }

  func testObjectThatIsAlsoAFolderIsDeletedAlone() async throws {
    let cloud = try await filled()
    let planned = try await run(["rm", "--dry-run", "\(Self.bucket)/t"], cloud)
    XCTAssertEqual(planned.output, "would delete t\n")
    let removed = try await run(["rm", "\(Self.bucket)/t"], cloud)
    XCTAssertEqual(
      removed.errors, "deleted t\nThe objects below t/ were not deleted; add --recursive for them.\n")
    let rest = try await keys(cloud)
    XCTAssertEqual(rest, Set(Self.keys).subtracting(["t"]))
  }

  func testWholeBucketNeedsYes() async throws {
    let cloud = try await filled()
    for location in [Self.bucket, "\(Self.bucket)/"] {
      let refused = try await run(["rm", "-r", location], cloud, status: 64)
      XCTAssertTrue(refused.errors.contains("--yes"), refused.errors)
    }
    let json = try await run(["rm", "-r", Self.bucket, "--json", "--dry-run"], cloud).output.split(separator: "\n")
    XCTAssertEqual(json.count, Self.keys.count + 1)
    XCTAssertEqual(json.last.map(String.init), #"{"summary":{"deleted":8,"failed":0,"dryRun":true}}"#)
    let whole = try await keys(cloud)
    XCTAssertEqual(whole.count, Self.keys.count)
    _ = try await run(["rm", "-r", Self.bucket, "--yes"], cloud)
    let rest = try await keys(cloud)
    XCTAssertEqual(rest, [])
  }

  func testAbortedUploadsAreThoseOfTheFolder() async throws {
    let cloud = try await Cloud(self)
    let client = cloud.oss()
    for key in ["t/large", "tea/large", "t"] {
      _ = try await client.send(
        try client.provider.endpoint.request(
          .post, bucket: Cloud.bucket, key: key, parameters: [.init(name: "uploads", value: nil)]))
    }
    _ = try await run(["uploads", "--abort", "\(Self.bucket)/t/"], cloud)
    var left: [String] = []
    for try await upload in client.unfinishedUploads(prefix: "") { left.append(upload.key) }
    XCTAssertEqual(left.sorted(), ["t", "tea/large"])
    _ = try await run(["uploads", "--abort", "\(Self.bucket)/t"], cloud)
    left = []
    for try await upload in client.unfinishedUploads(prefix: "") { left.append(upload.key) }
    XCTAssertEqual(left, ["tea/large"])
  }
}
