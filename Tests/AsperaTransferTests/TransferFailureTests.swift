// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaTransfer
import XCTest

/// Tests the description of failures.
final class TransferFailureTests: XCTestCase {
  func testDescriptionContainsCodeMessageAndRemedy() {
    let failure = TransferFailure(.account, code: 19, "The server refused.", remedy: "Check the password.")
    XCTAssertEqual("\(failure)", "19: The server refused. Check the password.")
  }
}
