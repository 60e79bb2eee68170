// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import FoundationTransport

/// Tests the writer that passes bodies to URLSession on Apple's systems, with a stream in memory.
final class StreamWriterTests: XCTestCase {
  func testBytesAreWrittenInOrder() async throws {
    let output = OutputStream(toMemory: ())
    output.open()
    let writer = StreamWriter(output)
    for chunk in [[1, 2], [], [3], [UInt8](repeating: 4, count: 200_000)] {
      let isWritten = await writer.write(chunk)
      XCTAssertTrue(isWritten)
    }
    let data = try XCTUnwrap(output.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)
    XCTAssertEqual(Array(data.prefix(4)), [1, 2, 3, 4])
    XCTAssertEqual(data.count, 200_003)
  }

  func testClosedStreamAcceptsNothing() async {
    let output = OutputStream(toMemory: ())
    output.open()
    let writer = StreamWriter(output)
    writer.close()
    let isWritten = await writer.write([1])
    XCTAssertFalse(isWritten)
    let withoutStream = await StreamWriter(nil).write([1])
    XCTAssertFalse(withoutStream)
  }

  func testFullStreamIsAnError() async {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 3)
    defer { memory.deallocate() }
    let output = OutputStream(toBuffer: memory, capacity: 3)
    output.open()
    let writer = StreamWriter(output)
    let fits = await writer.write([1, 2, 3])
    XCTAssertTrue(fits)
    writer.close()
    let more = await writer.write([4])
    XCTAssertFalse(more)
  }
}
