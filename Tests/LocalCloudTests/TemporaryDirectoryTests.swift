internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Where the objects of a server without a directory of its own are.
final class TemporaryDirectoryTests: XCTestCase {
  func testItIsForItsOwnerAloneAndGoneWithTheServer() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(AccessKey(id: "id", secret: "secret"))]))
    let root = "\(cloud.root)"
    let attributes = try FileManager.default.attributesOfItem(atPath: root)
    XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o700)
    await cloud.stop()
    XCTAssertFalse(FileManager.default.fileExists(atPath: root))
  }
}
