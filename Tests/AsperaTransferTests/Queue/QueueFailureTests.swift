// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests which failures end a session, which are retried, and within which limits.
final class QueueFailureTests: XCTestCase {
  /// Asserts that a failure ends the session without a token request or a retry.
  private func assertFinal(
    _ failure: TransferFailure, _ kind: TransferFailure.Kind, afterRunning: Bool = false, line: UInt = #line
  ) async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.connecting)
        if afterRunning { attempt.report(.running) }
        throw failure
      }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    let result = await bench.finished("a", line: line)
    XCTAssertEqual(result, .failure(failure), line: line)
    XCTAssertEqual(failure.kind, kind, line: line)
    XCTAssertEqual(issuer.requests.count, 1, line: line)
    XCTAssertEqual(bench.engine.attempts.count, 1, line: line)
    XCTAssertEqual(bench.retries(of: "a"), [], line: line)
    let running = afterRunning ? ["didStartRunning", "willStopRunning"] : []
    XCTAssertEqual(
      bench.words(of: "a"),
      ["willActivate", "token(initial)", "didActivate", "willStartRunning"] + running
        + ["didStopRunning", "willDeactivate", "didDeactivate", "failed"], line: line)
  }

  // matrix: Aspera transfer (password): bad input, forced refresh
  // matrix: Aspera transfer (key): bad input, forced refresh
  func testWrongPasswordOrKeyEndsTheSessionWithoutATokenRequest() async throws {
    try await assertFinal(TransferFailure(ascpCode: 19, text: "failed to authenticate"), .account)
  }

  func testWrongHostKeyEndsTheSessionWithoutATokenRequest() async throws {
    try await assertFinal(TransferFailure(ascpCode: 51, text: "Remote host is not who we expected"), .hostKey)
  }

  func testTokenForAnotherUserOrDirectionEndsTheSessionWithoutATokenRequest() async throws {
    for text in ["token user name mismatch", "token direction mismatch", "Token doesn't match file-list"] {
      try await assertFinal(TransferFailure(ascpCode: 34, text: text), .authorization)
      try await assertFinal(TransferFailure(ascpCode: 37, text: text), .authorization)
    }
    try await assertFinal(TransferFailure(ascpCode: 34, text: "user mia denied by server"), .authorization)
  }

  func testPermanentFailuresAreNotRetried() async throws {
    try await assertFinal(TransferFailure(ascpCode: 43, text: "No such file"), .caller)
    try await assertFinal(TransferFailure(ascpCode: 30, text: "license expired"), .license)
    try await assertFinal(TransferFailure(ascpCode: 25, text: "no space"), .other, afterRunning: true)
  }

  func testNextSessionContinuesAfterAFailedOne() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        guard attempt.session != "a" else { throw TransferFailure(ascpCode: 19, text: "failed to authenticate") }
        return try await ScriptedEngine.succeeding(attempt)
      })
    bench.queue.add(.sample("a"))
    bench.queue.add(.sample("b"))
    let result = await bench.finished("b")
    XCTAssertEqual(result?.isSuccess, true)
    XCTAssertEqual(bench.ends.map(\.session), ["a", "b"])
  }

  func testLostConnectionIsRetriedSevenTimesWithDoublingDelays() async throws {
    let bench = try QueueBench(ScriptedEngine { _ throws(TransferFailure) in throw .lostConnection })
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.engine.attempts.count, 8)
    XCTAssertEqual(
      bench.retries(of: "a").map(\.delay),
      [2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
    XCTAssertEqual(bench.time.uptime, .seconds(182))
    let failure = try XCTUnwrap(bench.ends.first?.result.failure)
    XCTAssertEqual(failure.kind, .transport)
    XCTAssertTrue(failure.message.contains("8 consecutive attempts failed"), failure.message)
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
  }

  func testJitterReducesADelayByUpToHalf() {
    let configuration = TransferQueueConfiguration()
    XCTAssertEqual(configuration.delay(beforeRetry: 1, random: 0), .seconds(2))
    XCTAssertEqual(configuration.delay(beforeRetry: 1, random: 1), .seconds(1))
    XCTAssertEqual(configuration.delay(beforeRetry: 100, random: 0.5), .seconds(45))
  }

  func testRetryLimitsForTokensAndConnectionsAreSeparate() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    // Seven lost connections and two rejected tokens, mixed, followed by a success.
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        switch attempt.number {
        case 3, 6: throw .deniedToken
        case ..<10: throw .lostConnection
        default: return try await ScriptedEngine.succeeding(attempt)
        }
      }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(issuer.requests.map(\.reason), [.initial, .rejected, .rejected])
    XCTAssertEqual(
      bench.retries(of: "a").map(\.cause.rawValue).sorted().joined(separator: " "),
      "token token transport transport transport transport transport transport transport")
  }

  func testTokensAreRenewedEvenWithoutConnectionRetries() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        if attempt.number <= 2 { throw .expiredToken }
        return try await ScriptedEngine.succeeding(attempt)
      }, issuer: issuer, configuration: TransferQueueConfiguration(transportRetries: 0), time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(issuer.requests.count, 3)
  }

  func testProgressResetsBothRetryLimits() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        attempt.report(.progress(TransferProgressReport(bytes: Int64(attempt.number))))
        if attempt.number == 31 { return TransferSummary(bytes: 31, files: 1) }
        throw attempt.number % 2 == 0 ? .expiredToken : .lostConnection
      }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(2)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(issuer.requests.count, 16)
    XCTAssertTrue(bench.retries(of: "a").allSatisfy { $0.number == 1 })
  }

  func testRepeatedBytesAreNoProgress() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.progress(TransferProgressReport(bytes: 100)))
        attempt.report(.file(TransferFileReport(file: "/data/a", bytes: 100, outcome: .done)))
        throw .lostConnection
      })
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(2)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.engine.attempts.count, 8)
  }

  func testRejectedLoginWhileOthersRunMentionsLoginLimits() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.connecting)
        if attempt.session == "b" { throw TransferFailure(ascpCode: 19, text: "failed to authenticate") }
        attempt.report(.running)
        try await attempt.hold()
        return TransferSummary()
      }, configuration: TransferQueueConfiguration(maximumActive: 2))
    bench.queue.add(.sample("a"))
    await bench.reaches(.running, "a")
    bench.queue.add(.sample("b"))
    await bench.step(by: .seconds(2)) { bench.ends.count == 1 }
    let failure = try XCTUnwrap(bench.ends.first?.result.failure)
    XCTAssertEqual(failure.kind, .account)
    XCTAssertTrue(failure.remedy.contains("startSpacing"), failure.remedy)
    XCTAssertEqual(bench.engine.attempts(of: "b"), 1)
    bench.engine.gate.open("a")
    _ = await bench.finished("a")
  }

  func testTransferThatCannotBeSignedFailsWithoutAnAttempt() async throws {
    let bench = try QueueBench()
    var session = TransferSession.sample("a")
    session.specification.direction = nil
    bench.queue.add(session)
    let failure = await bench.finished("a")?.failure
    XCTAssertEqual(failure?.kind, .caller)
    XCTAssertEqual(failure?.message.contains("direction"), true)
    XCTAssertEqual(
      bench.words(of: "a"), ["willActivate", "didActivate", "willDeactivate", "didDeactivate", "failed"])
  }
}
