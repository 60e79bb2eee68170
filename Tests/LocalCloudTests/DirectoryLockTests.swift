// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that no two servers use one data directory.
final class DirectoryLockTests: CloudTestCase {
  private func initiate(_ client: TestClient, _ key: String) async throws -> String {
    let reply = try await client.send(.post, key, query: ["uploads": nil])
    return try XCTUnwrap(reply.document["UploadId"]?.text)
  }

  func testSecondServerOnTheSameDirectoryIsRejectedAndDestroysNothing() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    let link = root + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: root)
    addTeardownBlock { try? FileManager.default.removeItem(atPath: link) }
    try await withEachService(configuration, of: [.oss]) { client in
      let id = try await initiate(client, "parts")
      let part = try await client.send(
        .put, "parts", query: ["partNumber": "1", "uploadId": id], body: Array("unrecorded".utf8))
      XCTAssertEqual(part.status, 200)
      // Only the folder of a service, or only that of its contents, is the other server's.
      let (service, contents) = (try makeDirectory(), try makeDirectory())
      try FileManager.default.createSymbolicLink(atPath: service + "/oss", withDestinationPath: root + "/oss")
      try FileManager.default.createDirectory(atPath: contents + "/oss", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: contents + "/oss/content", withDestinationPath: root + "/oss/content")
      for path in [root, root + "/", root + "/../" + (root as NSString).lastPathComponent, link, service, contents] {
        var second = configuration
        second.root = path
        do {
          let other = try await LocalCloud.start(second)
          await other.stop()
          XCTFail("A second server started on \(path).")
        } catch let error as LocalCloudError {
          XCTAssertTrue(
            [root, service, contents].contains { error.description.contains(($0 as NSString).lastPathComponent) },
            error.description)
          XCTAssertTrue(error.description.contains("in use"), error.description)
        }
      }
      let tag = try XCTUnwrap(part.header("ETag"))
      let list =
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(tag)</ETag></Part></CompleteMultipartUpload>"
      let done = try await client.send(.post, "parts", query: ["uploadId": id], body: Array(list.utf8))
      XCTAssertEqual(done.status, 200, done.text)
      let object = try await client.send(.get, "parts")
      XCTAssertEqual(object.text, "unrecorded")
    }
    // The lock ends with the server.
    try await withEachService(configuration, of: [.oss]) { client in
      let object = try await client.send(.get, "parts")
      XCTAssertEqual(object.text, "unrecorded")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: root + "/.lock")
    XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
  }

  func testLinkInThePlaceOfTheLockIsNotFollowed() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    let victim = root + "-victim"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: victim) }
    try FileManager.default.createSymbolicLink(atPath: root + "/.lock", withDestinationPath: victim)
    do {
      let cloud = try await LocalCloud.start(configuration)
      await cloud.stop()
      XCTFail("A link was followed.")
    } catch let error as LocalCloudError {
      XCTAssertTrue(error.description.contains(root), error.description)
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: victim))
  }
}
