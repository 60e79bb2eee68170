// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// The clock for tests, which advances on demand.
final class ManualClockTests: XCTestCase {
  func testSleepEndsOnceTheClockHasAdvancedFarEnough() async throws {
    let time = ManualClock()
    let sleep = Task { try await time.sleep(for: .seconds(10)) }
    while time.sleepers == 0 { await Task.yield() }
    time.advance(by: .seconds(9))
    XCTAssertEqual(time.sleepers, 1)
    time.advance(by: .seconds(1))
    XCTAssertEqual(time.sleepers, 0)
    try await sleep.value
  }
}
