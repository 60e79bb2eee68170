import StorageAuth
import XCTest

@testable import StorageAuthServer

final class MemoryReplayStoreTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func insert(
    _ mark: String, of owner: String = "a", lasting seconds: Int64 = 10, after wait: Int64 = 0,
    into store: MemoryReplayStore
  ) -> ReplayVerdict {
    let now = date.advanced(by: .seconds(wait))
    return store.insert(mark, of: owner, until: now.advanced(by: .seconds(seconds)), at: now)
  }

  func testAMarkIsUsedUntilItsLastInstant() {
    let store = MemoryReplayStore(limit: 10)
    XCTAssertEqual(insert("a", into: store), .new)
    XCTAssertEqual(insert("a", into: store), .used)
    XCTAssertEqual(insert("a", of: "b", into: store), .used, "a mark counts for every owner")
    XCTAssertEqual(insert("a", lasting: 0, after: 10, into: store), .used, "its last instant counts")
    XCTAssertEqual(insert("b", after: 11, into: store), .new)
    XCTAssertEqual(store.count, 1, "what ended is forgotten")
  }

  func testAnOwnerTakesNoMoreThanTheRoomThatIsLeft() {
    let store = MemoryReplayStore(limit: 100)
    XCTAssertEqual((0..<1000).filter { insert("a\($0)", of: "a", into: store) == .new }.count, 50)
    XCTAssertEqual((0..<1000).filter { insert("b\($0)", of: "b", into: store) == .new }.count, 25)
    for owner in 0..<12 {
      XCTAssertEqual(insert("c\(owner)", of: "c\(owner)", into: store), .new, "there is room for owner \(owner)")
    }
    XCTAssertLessThanOrEqual(store.count, 100)
    XCTAssertEqual(insert("a0", of: "a", into: store), .used, "what is valid is not forgotten")
    XCTAssertEqual(insert("more", of: "a", after: 11, into: store), .new, "room comes back with the end")
    XCTAssertEqual(store.count, 1)
  }

  func testNoNumberOfOwnersFillsMoreThanTheStore() {
    let store = MemoryReplayStore(limit: 64)
    for owner in 0..<1000 {
      for number in 0..<3 { _ = insert("\(owner)/\(number)", of: "\(owner)", into: store) }
    }
    XCTAssertLessThanOrEqual(store.count, 64)
  }

  func testALimitPerOwnerHoldsBelowTheRoomThatIsLeft() {
    let store = MemoryReplayStore(limit: 100, limitPerOwner: 7)
    XCTAssertEqual((0..<50).filter { insert("a\($0)", into: store) == .new }.count, 7)
  }

  func testOwnersWhoseNamesOnlyLookAlikeAreCountedApart() {
    let store = MemoryReplayStore(limit: 100, limitPerOwner: 1)
    XCTAssertEqual(insert("1", of: "\u{e9}", into: store), .new)
    XCTAssertEqual(insert("2", of: "e\u{301}", into: store), .new)
    XCTAssertEqual(insert("3", of: "e\u{301}", into: store), .full)
  }

  func testAClockThatIsSetBackMakesNothingNew() {
    let store = MemoryReplayStore(limit: 100)
    XCTAssertEqual(insert("a", lasting: 10, into: store), .new)
    XCTAssertEqual(insert("b", after: 60, into: store), .new, "a is forgotten")
    XCTAssertEqual(insert("a", lasting: 10, into: store), .used, "it may have been used before it was forgotten")
    XCTAssertEqual(insert("c", lasting: 11, into: store), .new, "what ends later was not forgotten")
  }

  func testWhatLastsForEverTakesNothingFromTheOthers() {
    let store = MemoryReplayStore(limit: 100)
    for number in 0..<1000 { _ = insert("\(number)", lasting: 1 << 40, into: store) }
    XCTAssertEqual(insert("b", of: "b", into: store), .new)
    XCTAssertEqual(insert("c", of: "b", after: 11, into: store), .new)
    XCTAssertEqual(store.count, 51, "what ended was forgotten, behind what lasts")
  }

  /// A number that counts how often it is compared.
  private struct Counted: Comparable {
    let value: Int
    let comparisons: Counter

    static func == (first: Counted, second: Counted) -> Bool { first.value == second.value }

    static func < (first: Counted, second: Counted) -> Bool {
      first.comparisons.count()
      return first.value < second.value
    }
  }

  func testTheWorkForAnElementIsTheLogarithmOfTheirNumber() throws {
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
      XCTAssertGreaterThan(first.instant.value, last, "in order")
      last = first.instant.value
    }
    XCTAssertLessThanOrEqual(most, 31, "removing one")
    XCTAssertNil(queue.removeFirst(before: instant(.max)))
    queue.insert(1, expiringAt: instant(5))
    let before = comparisons.value
    XCTAssertNil(queue.removeFirst(before: instant(5)))
    XCTAssertEqual(comparisons.value - before, 1, "what a full store does before it refuses")
  }
}
