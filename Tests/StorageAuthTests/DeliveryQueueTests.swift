// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// The delivery of what was added behind a lock: in order, by one thread at a time, and outside of the lock.
final class DeliveryQueueTests: XCTestCase {
  private struct State {
    var queue = DeliveryQueue<Int>()
  }

  func testElementsThatAreAddedDuringADeliveryFollowInOrder() {
    let state = Lock(State())
    var received: [Int] = []
    func add(_ number: Int) {
      state.withLock { $0.queue.append(number) }
      state.deliver(\.queue) { number in
        received.append(number)
        // The receiver may call the owner again, which must neither wait for the lock nor deliver the next element first.
        if number < 3 {
          add(number + 1)
          add(number + 10)
          XCTAssertEqual(received.last, number)
        }
      }
    }
    add(1)
    XCTAssertEqual(received, [1, 2, 11, 3, 12])
    add(20)
    XCTAssertEqual(received.last, 20)
  }
}
