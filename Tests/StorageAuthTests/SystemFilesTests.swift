// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import StorageAuth

/// Tests reading files of this machine.
final class SystemFilesTests: XCTestCase {
  private var folder = URL(filePath: "/")

  override func setUpWithError() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: folder)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func write(_ name: String, _ bytes: [UInt8], permissions: Int = 0o600) throws {
    try Data(bytes).write(to: folder.appending(path: name))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  private func problem(_ name: String, limit: Int = 100) -> FileReadError? {
    do throws(FileReadError) {
      _ = try SystemFiles().read(path(name), limit: limit)
      return nil
    } catch {
      return error
    }
  }

  func testFileIsReadWithItsPermissionsAlsoThroughLinks() throws {
    try write("a", [1, 2, 3], permissions: 0o640)
    try link("b", to: "a")
    try link("c", to: path("b"))
    for name in ["a", "b", "c"] {
      let contents = try SystemFiles().read(path(name), limit: 3)
      XCTAssertEqual(contents.bytes, [1, 2, 3], name)
      XCTAssertEqual(contents.permissions, 0o640, name)
    }
  }

  func testMissingAndUnreadableFilesAreDistinguished() throws {
    try write("a", [1, 2, 3])
    try link("dangling", to: "nowhere")
    try FileManager.default.createDirectory(at: folder.appending(path: "d"), withIntermediateDirectories: true)
    for name in ["gone", "gone/too", "a/below", "dangling"] { XCTAssertEqual(problem(name), .notFound, name) }
    XCTAssertEqual(problem("d"), .unreadable("it is not a regular file"))
    XCTAssertEqual(problem("a", limit: 2), .tooLarge)
    XCTAssertNil(problem("a", limit: 3))
  }

  func testFileWithoutPermissionIsUnreadable() throws {
    try write("a", [1], permissions: 0)
    try XCTSkipIf((try? Data(contentsOf: folder.appending(path: "a"))) != nil, "this user may read everything")
    XCTAssertEqual(problem("a"), .unreadable("permission denied"))
  }

  func testContextHasTheRealEnvironmentAndHome() {
    let context = ProviderContext.local
    XCTAssertEqual(context.environment("PATH"), ProcessInfo.processInfo.environment["PATH"])
    XCTAssertNil(context.environment("STORAGE_AUTH_NO_SUCH_VARIABLE"))
    XCTAssertEqual(context.home?.hasPrefix("/"), true)
  }
}
