// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import ClientTestSupport
import Foundation
import StorageClient
import XCTest

@testable import AsperaClient

/// Tests how a downloaded file gets to its location.
final class DownloadedFileTests: XCTestCase {
  func testFileIsSynchronizedBeforeTheRename() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([1], to: "old")
    for name in ["new", "old"] {
      let system = RecordingFiles()
      let folder = try TemporaryFolder(in: directory.url.path)
      _ = try folder.write([1, 2, 3], to: TemporaryFolder.contentName)
      let file = try await DownloadedFile(ObjectInfo(key: "k", size: 3), in: folder, of: system)
      let location = try await FileLocation(directory.path(name), in: system)
      try await file.move(to: location)
      XCTAssertEqual(system.calls.values, ["synchronize", "rename"], name)
      XCTAssertEqual(try directory.read(name), [1, 2, 3])
    }
  }
}
