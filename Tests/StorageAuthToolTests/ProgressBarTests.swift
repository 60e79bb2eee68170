// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import storage_auth

/// Tests the remaining time that a progress bar shows.
final class ProgressBarTests: XCTestCase {
  func testTimeLeftFollowsFromTheTransferredBytes() {
    XCTAssertEqual(ProgressBar.timeLeft(after: .seconds(10), 25, of: 100), .seconds(30))
    for (byteCount, total) in [(0, 5), (5, 5), (6, 5), (5, nil)] as [(Int64, Int64?)] {
      XCTAssertNil(ProgressBar.timeLeft(after: .seconds(10), byteCount, of: total), "\(byteCount)")
    }
  }

  /// A duration of that many seconds has no representation in 64 bits.
  func testTotalThatAServiceInventsDoesNotEndTheProgram() {
    let timeLeft = ProgressBar.timeLeft(after: .seconds(60), 1, of: .max)
    XCTAssertEqual(timeLeft, .seconds(1_000_000))
    XCTAssertEqual(timeLeft?.clockText, "16666:40")
  }
}
