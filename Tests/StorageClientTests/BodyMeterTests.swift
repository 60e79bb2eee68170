// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import XCTest

@testable import StorageClient

/// Tests the meter of a request body that is read again for each attempt.
final class BodyMeterTests: XCTestCase {
  private struct Refusal: Error {}

  func testLateReadOfAFailedAttemptIsNotMeasured() async throws {
    for fails in [false, true] {
      let attempts = Lock(0)
      let source = ByteStream { () -> ByteStream.Reader in
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        var isDone = false
        return {
          if fails, attempt == 1 { throw Refusal() }
          defer { isDone = true }
          return isDone ? nil : [1, 2, 3]
        }
      }
      let seen = Collected<TransferProgress>()
      let meter = BodyMeter(length: 3, .crc64, progress: ProgressMeter(total: 3) { seen.append($0) })
      guard case .stream(let body) = meter.body(of: source).content else { return XCTFail("the body is no stream") }
      let (failed, current) = (body.makeAsyncIterator(), body.makeAsyncIterator())
      _ = try await current.nextChunk()
      // The transport has given the first attempt up, but still reads its body.
      do {
        let late = try await failed.nextChunk()
        XCTAssertEqual(late?.byteCount, 3)
        XCTAssertFalse(fails)
      } catch is Refusal { XCTAssertTrue(fails) }
      let end = try await current.nextChunk()
      XCTAssertNil(end)
      XCTAssertEqual(meter.checksum, crc([1, 2, 3]))
      XCTAssertNil(meter.sourceError)
      XCTAssertEqual(seen.values.map(\.completed), [3])
    }
  }
}
