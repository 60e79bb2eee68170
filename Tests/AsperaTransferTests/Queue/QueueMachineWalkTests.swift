// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests the invariants of the queue's state machine under random events in random order.
final class QueueMachineWalkTests: XCTestCase {
  func testRandomEventsLoseNoSessionAndKeepTheOrder() {
    for seed in 1...60 as ClosedRange<UInt64> {
      var walk = Walk(seed: seed)
      for _ in 0..<400 where walk.problems.isEmpty { walk.step() }
      walk.drain()
      XCTAssertEqual(walk.problems.prefix(3), [], "seed \(seed)")
      if !walk.problems.isEmpty { return }
    }
  }

  func testRandomShutdownKeepsTheInvariants() {
    for seed in 1...50 as ClosedRange<UInt64> {
      var walk = Walk(seed: seed)
      for _ in 0..<100 where walk.problems.isEmpty { walk.step() }
      walk.shutDown()
      walk.drain()
      XCTAssertEqual(walk.problems.prefix(3), [], "seed \(seed)")
      if !walk.problems.isEmpty { return }
    }
  }
}
