// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests when the queue requests tokens, and how it renews rejected and expired ones.
final class QueueTokenTests: XCTestCase {
  // matrix: Aspera transfer (issuer): header
  func testTokenIsRequestedWhenItsSessionBecomesActive() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        try await attempt.hold()
        return TransferSummary()
      }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    bench.queue.add(.sample("b"))
    await bench.reaches(.running, "a")
    XCTAssertEqual(issuer.requests.map(\.session), ["a"])
    bench.engine.gate.open("a")
    await bench.reaches(.running, "b")
    XCTAssertEqual(issuer.requests.map(\.session), ["a", "b"])
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_a-1_AAA", "ATM2_b-1_AAA"])
    let request = try XCTUnwrap(issuer.requests.first)
    XCTAssertEqual(request.reason, .initial)
    XCTAssertEqual(request.attempt, 1)
    XCTAssertEqual(request.specification.remoteHost, "aspera.test")
    XCTAssertEqual(request.specification.remoteUser, "mia")
    XCTAssertEqual(request.specification.paths, [TransferPath("/data/a")])
    bench.engine.gate.open("b")
    _ = await bench.finished("b")
  }

  func testIssuerOfASessionPrecedesTheQueuesIssuerAndAFixedToken() async throws {
    let time = ManualClock()
    let common = ScriptedIssuer(life: nil, time: time)
    let own = ScriptedIssuer(source: "own") { _ in .token("own") }
    let bench = try QueueBench(issuer: common, time: time)
    bench.queue.add(.sample("a", token: .issuer(own)))
    bench.queue.add(.sample("b", token: .fixed(.sample("fixed"))))
    _ = await bench.finished("b")
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_own_AAA", "ATM2_b-1_AAA"])
    XCTAssertEqual(bench.issuances(of: "a").map(\.source), ["own"])
  }

  func testIssuerReceivesNoSecret() async throws {
    let issuer = ScriptedIssuer { _ in .token("t") }
    let bench = try QueueBench(issuer: issuer)
    var session = TransferSession.sample("a")
    for name in ["remote_password", "ssh_private_key", "ssh_private_key_passphrase", "content_protection_password"] {
      session.specification.fields[name] = "hidden"
    }
    session.specification.fields["proxy"] = "dnat://user:hidden@proxy:9091"
    session.specification.token = Secret("hidden")
    session.specification.fields["cookie"] = "visible"
    bench.queue.add(session)
    _ = await bench.finished("a")
    let json = String(decoding: try XCTUnwrap(issuer.requests.first).specification.json, as: UTF8.self)
    XCTAssertFalse(json.contains("hidden"), json)
    XCTAssertTrue(json.contains("visible"), json)
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testRejectedTokenIsRenewedImmediatelyWithTheReason() async throws {
    for (failure, reason) in [
      (TransferFailure.expiredToken, TokenRequest.Reason.expired), (.deniedToken, .rejected),
      (.undefinedToken, .missing),
    ] {
      let time = ManualClock()
      let issuer = ScriptedIssuer(life: nil, time: time)
      let bench = try QueueBench(
        ScriptedEngine { attempt throws(TransferFailure) in
          guard attempt.number == 1 else { return try await ScriptedEngine.succeeding(attempt) }
          throw failure
        }, issuer: issuer, time: time)
      bench.queue.add(.sample("a"))
      let result = await bench.finished("a")
      XCTAssertEqual(result?.isSuccess, true)
      XCTAssertEqual(issuer.requests.map(\.reason), [.initial, reason])
      XCTAssertEqual(issuer.requests.map(\.attempt), [1, 2])
      XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_a-1_AAA", "ATM2_a-2_AAA"])
      XCTAssertEqual(bench.retries(of: "a").map(\.delay), [.zero])
      XCTAssertEqual(
        bench.words(of: "a"),
        [
          "willActivate", "token(initial)", "didActivate", "willStartRunning", "didStopRunning", "retry(token)",
          "token(\(reason))", "willStartRunning", "didStartRunning", "willStopRunning", "didStopRunning",
          "willDeactivate", "didDeactivate", "done",
        ])
    }
  }

  // matrix: Aspera transfer (issuer): expiry
  func testTokenThatExpiresWhileWaitingToStartIsRenewed() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(150), time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        guard attempt.number == 1 else { return try await ScriptedEngine.succeeding(attempt) }
        throw .lostConnection
      }, issuer: issuer,
      configuration: TransferQueueConfiguration(retryDelay: .seconds(160), longestRetryDelay: .seconds(200)),
      time: time)
    bench.queue.add(.sample("a"))
    await bench.reaches(.retrying, "a")
    await bench.step(by: .seconds(160)) { bench.ends.count == 1 }
    XCTAssertEqual(issuer.requests.map(\.reason), [.initial, .expired])
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(bench.retries(of: "a").map(\.cause), [.transport])
  }

  // matrix: Aspera transfer (issuer): early refresh
  func testTokenIsRenewedBeforeAStartWithLessThanTwoMinutesLeft() async throws {
    for (delay, expected) in [(Duration.seconds(29), 1), (.seconds(31), 2)] {
      let time = ManualClock()
      let issuer = ScriptedIssuer(life: .seconds(150), time: time)
      let bench = try QueueBench(
        ScriptedEngine { attempt throws(TransferFailure) in
          guard attempt.number == 1 else { return try await ScriptedEngine.succeeding(attempt) }
          throw .lostConnection
        }, issuer: issuer, configuration: TransferQueueConfiguration(retryDelay: delay), time: time)
      bench.queue.add(.sample("a"))
      await bench.reaches(.retrying, "a")
      await bench.step(by: delay) { bench.ends.count == 1 }
      XCTAssertEqual(issuer.requests.count, expected, "\(delay)")
    }
  }

  func testTokenIsNotRenewedDuringATransfer() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(600), time: time)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        try await attempt.hold()
        return TransferSummary()
      }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.reaches(.running, "a")
    time.advance(by: .seconds(3600))
    bench.engine.gate.open("a")
    _ = await bench.finished("a")
    XCTAssertEqual(issuer.requests.count, 1)
  }

  func testThirdConsecutiveRejectedTokenEndsTheSession() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(
      ScriptedEngine { _ throws(TransferFailure) in throw .deniedToken }, issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(issuer.requests.map(\.reason), [.initial, .rejected, .rejected])
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_a-1_AAA", "ATM2_a-2_AAA", "ATM2_a-3_AAA"])
    XCTAssertEqual(bench.retries(of: "a").map(\.delay), [.zero, .seconds(2)])
    let failure = try XCTUnwrap(bench.ends.first?.result.failure)
    XCTAssertEqual(failure.kind, .token(.rejected))
    XCTAssertTrue(failure.message.contains("3 consecutive tokens were rejected"), failure.message)
  }

  // matrix: Aspera transfer (issuer): bad input
  func testIssuerThatReturnsTheRejectedTokenEndsTheSession() async throws {
    let issuer = ScriptedIssuer { _ in .token("same") }
    let bench = try QueueBench(
      ScriptedEngine { _ throws(TransferFailure) in throw .deniedToken }, issuer: issuer)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    guard case .issuer(let error) = bench.ends.first?.result.failure?.kind else {
      return XCTFail("\(bench.ends)")
    }
    XCTAssertEqual(error.code, .rejected)
    XCTAssertEqual(bench.engine.attempts.count, 1)
    XCTAssertEqual(bench.retries(of: "a").map(\.cause), [.token, .issuer, .issuer, .issuer, .issuer])
  }

  func testTooShortLivedTokensEndTheSession() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(60), time: time)
    let bench = try QueueBench(issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    let failure = await bench.finished("a")?.failure
    guard case .issuer = failure?.kind else { return XCTFail("\(failure as Any)") }
    XCTAssertEqual(issuer.requests.count, 1)
    XCTAssertEqual(bench.engine.attempts.count, 0)
  }

  func testTransientIssuerFailureIsRetriedAfterItsDelay() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer { request throws(CredentialError) in
      guard request.attempt > 3 else { throw .outage(isRetryable: true) }
      return .token("t")
    }
    let bench = try QueueBench(issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .milliseconds(100)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(issuer.requests.map(\.attempt), [1, 2, 3, 4])
    XCTAssertEqual(bench.retries(of: "a").map(\.cause), [.issuer, .issuer, .issuer])
    XCTAssertTrue(bench.retries(of: "a").allSatisfy { $0.delay > .zero })
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
  }

  func testPermanentOrRepeatedIssuerFailureEndsTheSessionWithItsCause() async throws {
    for (isRetryable, count) in [(false, 1), (true, 5)] {
      let time = ManualClock()
      let issuer = ScriptedIssuer { _ throws(CredentialError) in throw .outage(isRetryable: isRetryable) }
      let bench = try QueueBench(issuer: issuer, time: time)
      bench.queue.add(.sample("a"))
      await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
      let failure = try XCTUnwrap(bench.ends.first?.result.failure)
      XCTAssertEqual(failure.kind, .issuer(.outage(isRetryable: isRetryable)))
      XCTAssertTrue(failure.message.contains("The desk is closed."), failure.message)
      XCTAssertEqual(issuer.requests.count, count)
      XCTAssertEqual(
        bench.words(of: "a").prefix(1) + bench.words(of: "a").suffix(2), ["willActivate", "didDeactivate", "failed"])
      XCTAssertEqual(bench.engine.attempts.count, 0)
    }
  }
}
