// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests fixed tokens, which no issuer renews.
extension QueueTokenTests {
  // matrix: Aspera transfer (token): header, forced refresh
  func testFixedTokenIsUsedAndItsRejectionEndsTheSession() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        guard attempt.session == "b" else { return try await ScriptedEngine.succeeding(attempt) }
        throw .expiredToken
      })
    bench.queue.add(.sample("a", token: .fixed(.sample("fixed"))))
    bench.queue.add(.sample("b", token: .fixed(.sample("old"))))
    let failure = await bench.finished("b")?.failure
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_fixed_AAA", "ATM2_old_AAA"])
    XCTAssertEqual(failure?.kind, .token(.expired))
    XCTAssertEqual(failure?.code, 34)
    XCTAssertTrue(failure?.message.contains("fixed token and no issuer") ?? false, "\(failure as Any)")
    XCTAssertEqual(
      bench.words(of: "b").suffix(5),
      ["willStartRunning", "didStopRunning", "willDeactivate", "didDeactivate", "failed"])
  }

  // matrix: Aspera transfer (token): expiry, early refresh
  func testFixedTokenThatExpiredBeforeAnAttemptIsNotSent() async throws {
    let time = ManualClock()
    let bench = try QueueBench(
      ScriptedEngine { _ throws(TransferFailure) in throw .lostConnection },
      configuration: TransferQueueConfiguration(retryDelay: .seconds(20)), time: time)
    bench.queue.add(.sample("a", token: .fixed(.sample("t", expiration: time.now.advanced(by: .seconds(30))))))
    await bench.step(by: .seconds(20)) { bench.ends.count == 1 }
    // It was used with ten seconds left, because there is no other token.
    XCTAssertEqual(bench.engine.attempts.count, 2)
    let failure = try XCTUnwrap(bench.ends.first?.result.failure)
    XCTAssertEqual(failure.kind, .token(.expired))
    XCTAssertTrue(failure.message.contains("2027-01-15T08:00:30Z"), failure.message)
  }

  func testTokenInASpecificationIsAFixedToken() async throws {
    let bench = try QueueBench()
    var session = TransferSession.sample("a")
    session.specification.token = Secret("ATM2_inside_AAA")
    bench.queue.add(session)
    _ = await bench.finished("a")
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_inside_AAA"])
  }

  // matrix: Aspera transfer (token): bad input
  func testSessionWithoutARequiredTokenFailsBeforeActivation() async throws {
    let bench = try QueueBench(account: .sample(requiresToken: true))
    bench.queue.add(.sample("a"))
    let failure = await bench.finished("a")?.failure
    XCTAssertEqual(failure?.kind, .token(.missing))
    XCTAssertEqual(bench.words(of: "a"), ["failed"])
    XCTAssertEqual(bench.engine.attempts.count, 0)
    bench.queue.add(.sample("b", token: .fixed(.sample("t"))))
    let result = await bench.finished("b")
    XCTAssertEqual(result?.isSuccess, true)
  }
}
