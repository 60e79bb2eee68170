// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import XCTest

/// Tests the folder in which `storage-auth serve` stores objects.
final class ServeFolderTests: XCTestCase {
  func testUnusableTemporaryFolderIsNamed() async throws {
    let outcome = try await Programs.storageAuth(["serve"], ["TMPDIR": "/nowhere/at/all"])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("The directory /nowhere/at/all/localcloud-"), outcome.errors)
    XCTAssertTrue(
      outcome.errors.contains("cannot be used: No such file or directory. Choose a writable one."), outcome.errors)
  }
}
