// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth
internal import SystemPackage
internal import XCTest

@testable internal import LocalCloud

/// Tests the temporary directory of a server without a configured one.
final class TemporaryDirectoryTests: XCTestCase {
  func testTemporaryDirectoryIsPrivateAndRemovedWithTheServer() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(AccessKey(id: "id", secret: "secret"))]))
    let root = "\(cloud.root)"
    let attributes = try FileManager.default.attributesOfItem(atPath: root)
    XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o700)
    await cloud.stop()
    XCTAssertFalse(FileManager.default.fileExists(atPath: root))
  }

  func testCancelledTaskRemovesItsTemporaryDirectory() async throws {
    let root = try await Task {
      let storage = try await Storage.open(nil)
      withUnsafeCurrentTask { $0?.cancel() }
      await storage.close()
      return storage.root.string
    }.value
    XCTAssertFalse(FileManager.default.fileExists(atPath: root))
  }
}
