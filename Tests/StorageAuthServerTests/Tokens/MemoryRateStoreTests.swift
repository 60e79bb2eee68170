// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import XCTest

/// Tests the rate limit in memory.
final class MemoryRateStoreTests: XCTestCase {
  func testBurstIsAllowedAndThenOneRequestPerInterval() async {
    let store = MemoryRateStore()
    let limit = RateLimit(burst: 5, every: .seconds(2))
    var allowed: [Int] = []
    for tick in 0..<40 where await store.take("a", limit: limit, at: .milliseconds(tick * 500)) == nil {
      allowed.append(tick)
    }
    // Five at once, which are restored one by one from the first on.
    XCTAssertEqual(allowed, [0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 24, 28, 32, 36])
  }

  func testSimilarCallerIDsAreCountedSeparately() async {
    let store = MemoryRateStore()
    let limit = RateLimit(burst: 1, every: .seconds(10))
    for caller in ["\u{e9}", "e\u{301}"] {
      let delay = await store.take(caller, limit: limit, at: .zero)
      XCTAssertNil(delay)
    }
    XCTAssertEqual(store.count, 2)
  }

  func testRejectedRequestDoesNotCount() async {
    let store = MemoryRateStore()
    let limit = RateLimit(burst: 1, every: .seconds(10))
    _ = await store.take("a", limit: limit, at: .zero)
    for second in 1..<10 {
      let delay = await store.take("a", limit: limit, at: .seconds(second))
      XCTAssertEqual(delay, .seconds(10 - second))
    }
    let delay = await store.take("a", limit: limit, at: .seconds(10))
    XCTAssertNil(delay)
  }

  func testCallersAreRemovedWhenTheirRateIsRestored() async {
    let store = MemoryRateStore(limit: 100)
    let limit = RateLimit(burst: 1, every: .seconds(1))
    for number in 0..<10_000 { _ = await store.take("caller-\(number)", limit: limit, at: .milliseconds(number)) }
    XCTAssertLessThanOrEqual(store.count, 100)
  }

  func testRoomIsMadeForSeveralEntriesAtOnce() async {
    let store = MemoryRateStore(limit: 16)
    let (short, long) = (RateLimit(burst: 1, every: .seconds(1)), RateLimit(burst: 1, every: .seconds(3600)))
    _ = await store.take("short", limit: short, at: .zero)
    for number in 1...15 { _ = await store.take("long-\(number)", limit: long, at: .zero) }
    XCTAssertEqual(store.count, 16)
    _ = await store.take("new", limit: long, at: .seconds(2))
    XCTAssertEqual(store.count, 15, "the restored entry and one more must be removed, to make the next insertion cheap")
  }

  func testFloodOfNewCallersDoesNotRemoveTheBusiest() async {
    let store = MemoryRateStore(limit: 16)
    let limit = RateLimit(burst: 4, every: .seconds(60))
    for _ in 1...4 { _ = await store.take("busy", limit: limit, at: .zero) }
    for number in 0..<1000 { _ = await store.take("new-\(number)", limit: limit, at: .zero) }
    let delay = await store.take("busy", limit: limit, at: .zero)
    XCTAssertEqual(delay, .seconds(60))
  }

  func testRateLimitsAreNormalized() {
    XCTAssertEqual(RateLimit.perMinute(60), RateLimit(burst: 60, every: .seconds(1)))
    XCTAssertEqual(RateLimit(burst: 0, every: .seconds(-1)), RateLimit(burst: 1, every: .zero))
  }
}
