// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import FoundationTransport

/// Tests the queue of the bytes that have arrived and have not been read.
final class ChunkQueueTests: XCTestCase {
  func testChunksAreReadInTheOrderInWhichTheyArrive() {
    var queue = ChunkQueue()
    var (arrivedCount, readCount) = (0, 0)
    for round in 0..<200 {
      for _ in 0...(round % 7) {
        XCTAssertFalse(queue.append(Data("\(arrivedCount)".utf8)))
        arrivedCount += 1
      }
      for _ in 0...(round % 5) {
        guard let (data, isSpaceFree) = queue.removeFirst() else { break }
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "\(readCount)")
        XCTAssertFalse(isSpaceFree, "the connection is not paused")
        readCount += 1
      }
    }
    while let (data, _) = queue.removeFirst() {
      XCTAssertEqual(String(decoding: data, as: UTF8.self), "\(readCount)")
      readCount += 1
    }
    XCTAssertEqual(readCount, arrivedCount)
  }
}
