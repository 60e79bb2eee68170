// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests credentials that expire while a request is in flight.
extension RenewalTests {
  func testCredentialThatExpiresBetweenAttemptsIsRefreshedAfterEachRetry() async throws {
    let (cache, fetches) = issuing()
    let service = GuardedService(time: time, accepting: ["STS.3"])
    let hasLost = Lock(false)
    let transport = RecordingTransport { request async throws(TransportError) in
      let isLost = hasLost.withLock { hasLost in
        guard fetches.values.count == 2, !hasLost else { return false }
        hasLost = true
        return true
      }
      guard !isLost else { throw TransportError(.connectionLost, "Lost.", remedy: "None.") }
      return try await service.answer(request)
    }
    let object = try await client(transport, cache).upload([1], to: "k")
    XCTAssertEqual(object.size, 1)
    XCTAssertEqual(fetches.values.count, 3)
    XCTAssertEqual(transport.requests.count, 4)
  }

  func testCredentialThatExpiredInFlightIsRefreshedForEachAttempt() async throws {
    for (journey, isCured) in [(Duration.seconds(6), true), (.seconds(2), false)] {
      let (cache, fetches) = issuing(life: .seconds(5))
      let service = GuardedService(time: time, accepting: ["STS.3"])
      let transport = RecordingTransport { [time] request async throws(TransportError) in
        time.advance(by: journey)
        return try await service.answer(request)
      }
      do {
        _ = try await client(transport, cache).upload([1], to: "k")
        XCTAssertTrue(isCured)
        XCTAssertEqual(fetches.values.count, 3)
      } catch let error as ServiceError {
        XCTAssertFalse(isCured)
        XCTAssertEqual(error.attempts, 2)
      }
    }
  }
}
