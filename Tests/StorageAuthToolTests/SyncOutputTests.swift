// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageAuth
import SystemPackage
import XCTest

/// Tests what `storage-auth` prints about the failures of several files.
final class SyncOutputTests: XCTestCase {
  func testNamesThatOccurInTheTextOfAnErrorDoNotChangeItsCause() async throws {
    let directory = try TemporaryDirectory(self)
    let files = try ["e", "n"].map { try directory.write([1], to: $0).string }
    let outcome = try await Programs.storageAuth(
      ["cp"] + files + ["oss://photos/", "--endpoint", "http://127.0.0.1:1"],
      ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()])
    let errors = outcome.errors.split(separator: "\n")
    XCTAssertEqual(errors.count, 2, outcome.errors)
    XCTAssertTrue(errors.first?.contains("No connection to 127.0.0.1:1") ?? false, outcome.errors)
    XCTAssertTrue(errors.first?.contains("The same for 1 more: ") ?? false, outcome.errors)
    XCTAssertEqual(errors.last, "0 copied, 2 failed, 0 not copied")
  }
}
