// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import XCTest

/// Tests temporary folders for key material.
final class TemporaryFolderTests: XCTestCase {
  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  func testOnlyTheOwnerCanReadTheContents() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([1, 2], to: "key")
    let script = try folder.write([3], to: "ask", isExecutable: true)
    XCTAssertEqual(try permissions(folder.path), 0o700)
    XCTAssertEqual(try permissions(file), 0o600)
    XCTAssertEqual(try permissions(script), 0o700)
    XCTAssertEqual(FileManager.default.contents(atPath: file), Data([1, 2]))
    folder.remove()
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path))
  }

  func testFolderIsRemovedWithItsLastReference() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try XCTUnwrap(folder?.path)
    _ = try folder?.write([1], to: "key")
    XCTAssertTrue(FileManager.default.fileExists(atPath: path))
    folder = nil
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
  }

  func testWriteErrorNamesTheLocation() throws {
    XCTAssertThrowsError(try TemporaryFolder(in: "/no/such/folder")) {
      XCTAssertEqual(($0 as? AsperaError)?.code, .failed)
      XCTAssertTrue("\($0)".contains("/no/such/folder"))
    }
    let folder = try TemporaryFolder()
    XCTAssertThrowsError(try folder.write([1], to: "no/such"))
  }
}
