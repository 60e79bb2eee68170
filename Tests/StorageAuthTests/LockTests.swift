// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Dispatch
import StorageAuth
import XCTest

/// The package's lock: exclusion, typed errors and values that cannot be copied.
final class LockTests: XCTestCase {
  func testOneThreadAtATimeChangesTheValue() {
    let value = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { value.withLock { $0 += 1 } }
    }
    XCTAssertEqual(value.withLock { $0 }, 80_000)
  }

  func testAnErrorLeavesTheLockUnlockedAndTheValueChanged() {
    struct Refusal: Error, Equatable { let number: Int }
    let value = Lock(1)
    do throws(Refusal) {
      try value.withLock { value throws(Refusal) in
        value += 1
        throw Refusal(number: value)
      }
      XCTFail("no error was thrown")
    } catch {
      XCTAssertEqual(error, Refusal(number: 2))
    }
    XCTAssertEqual(value.withLock { $0 }, 2)
  }

  func testTheValueNeedNotBeCopyable() {
    struct Ticket: ~Copyable { var number = 7 }
    let value = Lock(Ticket())
    value.withLock { $0.number += 1 }
    XCTAssertEqual(value.withLock { $0.number }, 8)
  }
}
