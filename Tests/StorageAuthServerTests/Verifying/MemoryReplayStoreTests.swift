// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import StorageAuthServer

/// Tests the store that detects replayed signatures in memory.
final class MemoryReplayStoreTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func insert(
    _ mark: String, of owner: String = "a", lasting seconds: Int64 = 10, after wait: Int64 = 0,
    into store: MemoryReplayStore
  ) -> ReplayVerdict {
    let now = date.advanced(by: .seconds(wait))
    return store.insert(mark, of: owner, until: now.advanced(by: .seconds(seconds)), at: now)
  }

  func testMarkIsUsedUntilItsLastInstant() {
    let store = MemoryReplayStore(limit: 10)
    XCTAssertEqual(insert("a", into: store), .new)
    XCTAssertEqual(insert("a", into: store), .used)
    XCTAssertEqual(insert("a", of: "b", into: store), .used, "a mark is used for every owner")
    XCTAssertEqual(insert("a", lasting: 0, after: 10, into: store), .used, "a mark is used at its last instant")
    XCTAssertEqual(insert("b", after: 11, into: store), .new)
    XCTAssertEqual(store.count, 1, "an expired mark must be removed")
  }

  func testOwnerUsesAtMostHalfOfTheRemainingRoom() {
    let store = MemoryReplayStore(limit: 100)
    XCTAssertEqual((0..<1000).filter { insert("a\($0)", of: "a", into: store) == .new }.count, 50)
    XCTAssertEqual((0..<1000).filter { insert("b\($0)", of: "b", into: store) == .new }.count, 25)
    for owner in 0..<12 {
      XCTAssertEqual(insert("c\(owner)", of: "c\(owner)", into: store), .new, "there is room for owner \(owner)")
    }
    XCTAssertLessThanOrEqual(store.count, 100)
    XCTAssertEqual(insert("a0", of: "a", into: store), .used, "a valid mark must be kept")
    XCTAssertEqual(insert("more", of: "a", after: 11, into: store), .new, "room must be freed by expiration")
    XCTAssertEqual(store.count, 1)
  }

  func testManyOwnersDoNotExceedTheLimit() {
    let store = MemoryReplayStore(limit: 64)
    for owner in 0..<1000 {
      for number in 0..<3 { _ = insert("\(owner)/\(number)", of: "\(owner)", into: store) }
    }
    XCTAssertLessThanOrEqual(store.count, 64)
  }

  func testLimitPerOwnerAppliesBelowTheRemainingRoom() {
    let store = MemoryReplayStore(limit: 100, limitPerOwner: 7)
    XCTAssertEqual((0..<50).filter { insert("a\($0)", into: store) == .new }.count, 7)
  }

  func testSimilarOwnersAreCountedSeparately() {
    let store = MemoryReplayStore(limit: 100, limitPerOwner: 1)
    XCTAssertEqual(insert("1", of: "\u{e9}", into: store), .new)
    XCTAssertEqual(insert("2", of: "e\u{301}", into: store), .new)
    XCTAssertEqual(insert("3", of: "e\u{301}", into: store), .full)
  }

  func testClockSetBackMakesNoMarkNew() {
    let store = MemoryReplayStore(limit: 100)
    XCTAssertEqual(insert("a", lasting: 10, into: store), .new)
    XCTAssertEqual(insert("b", after: 60, into: store), .new, "the mark a must be removed")
    XCTAssertEqual(insert("a", lasting: 10, into: store), .used, "the mark may have been used before its removal")
    XCTAssertEqual(insert("c", lasting: 11, into: store), .new, "a mark that expires later was not removed")
  }

  func testLongLivedMarksTakeNoRoomFromOtherOwners() {
    let store = MemoryReplayStore(limit: 100)
    for number in 0..<1000 { _ = insert("\(number)", lasting: 1 << 40, into: store) }
    XCTAssertEqual(insert("b", of: "b", into: store), .new)
    XCTAssertEqual(insert("c", of: "b", after: 11, into: store), .new)
    XCTAssertEqual(store.count, 51, "an expired mark must be removed despite long-lived ones")
  }

  /// An integer that counts its comparisons.
  private struct Counted: Comparable {
    let value: Int
    let comparisons: Counter

    static func == (first: Counted, second: Counted) -> Bool { first.value == second.value }

    static func < (first: Counted, second: Counted) -> Bool {
      first.comparisons.count()
      return first.value < second.value
    }
  }

  func testInsertionAndRemovalTakeLogarithmicTime() throws {
    var queue = ExpiryQueue<Counted, Int>()
    let comparisons = Counter()
    func instant(_ value: Int) -> Counted { Counted(value: value, comparisons: comparisons) }
    let count = 1 << 14
    var most = 0
    for number in 0..<count {
      let before = comparisons.value
      queue.insert(number, expiringAt: instant(count - number))
      most = max(most, comparisons.value - before)
    }
    XCTAssertLessThanOrEqual(most, 15, "adding the earliest")
    var last = Int.min
    most = 0
    for _ in 0..<count {
      let before = comparisons.value
      let first = try XCTUnwrap(queue.removeFirst(before: instant(.max)))
      most = max(most, comparisons.value - before)
      XCTAssertGreaterThan(first.expiration.value, last, "in order")
      last = first.expiration.value
    }
    XCTAssertLessThanOrEqual(most, 31, "removing one")
    XCTAssertNil(queue.removeFirst(before: instant(.max)))
    queue.insert(1, expiringAt: instant(5))
    let before = comparisons.value
    XCTAssertNil(queue.removeFirst(before: instant(5)))
    XCTAssertEqual(comparisons.value - before, 1, "a full store must compare only once before it rejects")
  }
}
