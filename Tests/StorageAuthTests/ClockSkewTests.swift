// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Clock differences that are learned from servers' responses, per host.
final class ClockSkewTests: XCTestCase {
  private let local = Timestamp(unixSeconds: 1_800_000_000)

  private func later(_ seconds: Int64) -> Timestamp {
    local.advanced(by: .seconds(seconds))
  }

  func testOffsetIsZeroBeforeTheFirstResponse() {
    XCTAssertEqual(ClockSkew().offset(for: "h"), .zero)
  }

  func testOffsetIsLearnedInBothDirectionsPerHost() {
    let skew = ClockSkew()
    XCTAssertEqual(skew.learn(host: "fast", serverTime: later(-1200), at: local), .seconds(-1200))
    XCTAssertEqual(skew.learn(host: "slow", serverTime: later(1200), at: local), .seconds(1200))
    XCTAssertEqual(skew.offset(for: "fast"), .seconds(-1200))
    XCTAssertEqual(skew.offset(for: "slow"), .seconds(1200))
    XCTAssertEqual(skew.offset(for: "other"), .zero)
  }

  func testDifferenceBelowTwoSecondsIsIgnored() {
    let skew = ClockSkew()
    for seconds: Int64 in [-1, 0, 1] {
      XCTAssertNil(skew.learn(host: "h", serverTime: later(seconds), at: local), "\(seconds)")
    }
    XCTAssertEqual(skew.offset(for: "h"), .zero)
    XCTAssertEqual(skew.learn(host: "h", serverTime: later(2), at: local), .seconds(2))
  }

  func testOffsetIsReplacedAfterTheLocalClockIsCorrected() {
    let skew = ClockSkew()
    _ = skew.learn(host: "h", serverTime: later(1200), at: local)
    XCTAssertNil(skew.learn(host: "h", serverTime: later(1201), at: local))
    XCTAssertEqual(skew.offset(for: "h"), .seconds(1200))
    XCTAssertEqual(skew.learn(host: "h", serverTime: later(3), at: local), .seconds(3))
    XCTAssertEqual(skew.offset(for: "h"), .seconds(3))
  }

  func testServerTimeBeyondADayIsIgnored() {
    let skew = ClockSkew()
    for time in [
      Timestamp(unixSeconds: 0), later(24 * 3600 + 1), later(-24 * 3600 - 1), Timestamp(unixSeconds: .max),
      Timestamp(unixSeconds: .min),
    ] {
      XCTAssertNil(skew.learn(host: "h", serverTime: time, at: local), "\(time.unixSeconds)")
    }
    XCTAssertEqual(skew.offset(for: "h"), .zero)
    XCTAssertEqual(skew.learn(host: "h", serverTime: later(24 * 3600), at: local), .seconds(24 * 3600))
  }

  func testConcurrentTasksLearnOneDifferenceOnce() async {
    let skew = ClockSkew()
    let local = local
    let learnt = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<1000 {
        group.addTask {
          skew.learn(host: "h", serverTime: local.advanced(by: .seconds(1200 + index % 2)), at: local) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    XCTAssertEqual(learnt, 1)
  }
}
