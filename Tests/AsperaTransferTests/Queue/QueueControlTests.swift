// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests the control of single sessions: cancellation, restart and interruption.
final class QueueControlTests: XCTestCase {
  /// Connects, runs, and is suspended until the test resumes it.
  static let held: ScriptedEngine.Script = { attempt throws(TransferFailure) in
    attempt.report(.connecting)
    attempt.report(.running)
    try await attempt.hold()
    return TransferSummary(bytes: 1, files: 1)
  }

  func testSessionCancelledWhileWaitingNeverBecomesActive() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.held))
    bench.queue.add(.sample("a"))
    bench.queue.add(.sample("b"))
    await bench.reaches(.running, "a")
    bench.queue.cancel("b")
    _ = await bench.finished("b")
    XCTAssertEqual(bench.words(of: "b"), ["cancelled"])
    bench.engine.gate.open("a")
    _ = await bench.finished("a")
    XCTAssertEqual(bench.engine.attempts(of: "b"), 0)
    XCTAssertEqual(bench.queue.status(of: "b"), .ended(.failure(.cancelled)))
  }

  func testCancellationDuringATokenRequestCancelsTheRequest() async throws {
    let wasCancelled = Lock(false)
    let held = SessionGate()
    let issuer = ScriptedIssuer { request throws(CredentialError) in
      if (try? await held.pass(request.session)) == nil { wasCancelled.withLock { $0 = true } }
      throw .outage(isRetryable: true)
    }
    let bench = try QueueBench(issuer: issuer)
    bench.queue.add(.sample("a"))
    await eventually("the issuer receives a request") { held.held == ["a"] }
    XCTAssertEqual(bench.queue.status(of: "a"), .activating)
    bench.queue.cancel("a")
    _ = await bench.finished("a")
    XCTAssertEqual(bench.words(of: "a"), ["willActivate", "didDeactivate", "cancelled"])
    await eventually("the request is cancelled") { wasCancelled.withLock { $0 } }
    XCTAssertEqual(issuer.requests.count, 1)
  }

  func testSessionIsCancelledDuringARetryDelay() async throws {
    let bench = try QueueBench(ScriptedEngine { _ throws(TransferFailure) in throw .lostConnection })
    bench.queue.add(.sample("a"))
    await bench.reaches(.retrying, "a")
    bench.queue.cancel("a")
    _ = await bench.finished("a")
    XCTAssertEqual(
      bench.words(of: "a"),
      [
        "willActivate", "didActivate", "willStartRunning", "didStopRunning", "retry(transport)", "willDeactivate",
        "didDeactivate", "cancelled",
      ])
    await eventually("no task sleeps") { bench.time.sleepers == 0 }
  }

  func testSessionIsCancelledWhileConnectingAndWhileRunning() async throws {
    for isRunning in [false, true] {
      let bench = try QueueBench(
        ScriptedEngine { attempt throws(TransferFailure) in
          attempt.report(isRunning ? .running : .connecting)
          try await attempt.hold()
          return TransferSummary()
        })
      bench.queue.add(.sample("a"))
      await eventually("the session is suspended") { bench.engine.gate.held == ["a"] }
      XCTAssertEqual(bench.queue.status(of: "a"), isRunning ? .running : .connecting)
      bench.queue.cancel("a")
      bench.queue.cancel("a")
      let result = await bench.finished("a")
      XCTAssertEqual(result, .failure(.cancelled))
      XCTAssertEqual(
        bench.words(of: "a"),
        ["willActivate", "didActivate", "willStartRunning"]
          + (isRunning ? ["didStartRunning", "willStopRunning"] : [])
          + ["didStopRunning", "willDeactivate", "didDeactivate", "cancelled"])
      XCTAssertEqual(bench.engine.running, 0)
    }
  }

  func testTransferCompletedBeforeItCouldBeStoppedSucceeds() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        try? await attempt.hold()
        return TransferSummary(bytes: 5, files: 1)
      })
    bench.queue.add(.sample("a"))
    await eventually("the session is suspended") { bench.engine.gate.held == ["a"] }
    bench.queue.cancel("a")
    let result = await bench.finished("a")
    XCTAssertEqual(result?.isSuccess, true)
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
  }

  func testCancelledSessionRunsAgainOnRequest() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let bench = try QueueBench(ScriptedEngine(Self.held), issuer: issuer, time: time)
    bench.queue.add(.sample("a"))
    await bench.reaches(.running, "a")
    bench.queue.cancel("a")
    _ = await bench.finished("a")
    bench.queue.run("a")
    await bench.reaches(.running, "a")
    bench.engine.gate.open("a")
    let result = await bench.finished("a", 2)
    XCTAssertEqual(result?.isSuccess, true)
    XCTAssertEqual(issuer.requests.map(\.reason), [.initial, .initial])
    XCTAssertEqual(issuer.requests.map(\.attempt), [1, 2])
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
  }

  func testSessionRequestedWhileStoppingRunsAgain() async throws {
    let stopping = SessionGate()
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        attempt.report(.running)
        do throws(TransferFailure) {
          try await attempt.hold()
          return TransferSummary()
        } catch {
          await Task { try? await stopping.pass("a") }.value
          throw error
        }
      })
    bench.queue.add(.sample("a"))
    await bench.reaches(.running, "a")
    bench.queue.cancel("a")
    bench.queue.run("a")
    stopping.open("a")
    _ = await bench.finished("a")
    await bench.reaches(.running, "a")
    bench.engine.gate.open("a")
    let result = await bench.finished("a", 2)
    XCTAssertEqual(result?.isSuccess, true)
  }

  func testUrgentSessionInterruptsTheActiveOneWhichContinuesBeforeTheQueue() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(3600), time: time)
    let bench = try QueueBench(ScriptedEngine(Self.held), issuer: issuer, time: time)
    for id in ["a", "b", "c"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.run("c")
    await bench.reaches(.running, "c")
    XCTAssertEqual(bench.queue.status(of: "a"), .interrupted)
    XCTAssertEqual(bench.queue.status(of: "b"), .waiting)
    bench.engine.gate.open("c")
    await bench.reaches(.running, "a")
    bench.engine.gate.open("a")
    await bench.reaches(.running, "b")
    bench.engine.gate.open("b")
    _ = await bench.finished("b")
    XCTAssertEqual(bench.engine.attempts.map(\.session), ["a", "c", "a", "b"])
    XCTAssertEqual(bench.engine.mostRunning, 1)
    // The token of the interrupted session was still valid.
    XCTAssertEqual(issuer.requests.map(\.session), ["a", "c", "b"])
    XCTAssertEqual(
      bench.words(of: "a"),
      [
        "willActivate", "token(initial)", "didActivate", "willStartRunning", "didStartRunning", "willStopRunning",
        "didStopRunning", "willStartRunning", "didStartRunning", "willStopRunning", "didStopRunning",
        "willDeactivate", "didDeactivate", "done",
      ])
  }

  func testTokenThatExpiresDuringAnInterruptionIsRenewed() async throws {
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: .seconds(600), time: time)
    let bench = try QueueBench(ScriptedEngine(Self.held), issuer: issuer, time: time)
    for id in ["a", "b"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.run("b")
    await bench.reaches(.running, "b")
    time.advance(by: .seconds(590))
    bench.engine.gate.open("b")
    await bench.reaches(.running, "a")
    bench.engine.gate.open("a")
    _ = await bench.finished("a")
    XCTAssertEqual(issuer.requests(of: "a").map(\.reason), [.initial, .expired])
    XCTAssertEqual(bench.engine.attempts.map(\.token), ["ATM2_a-1_AAA", "ATM2_b-1_AAA", "ATM2_a-2_AAA"])
  }

  func testInterruptedSessionCanBeCancelled() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.held))
    for id in ["a", "b"] { bench.queue.add(.sample(id)) }
    await bench.reaches(.running, "a")
    bench.queue.run("b")
    await bench.reaches(.running, "b")
    bench.queue.cancel("a")
    let result = await bench.finished("a")
    XCTAssertEqual(result, .failure(.cancelled))
    bench.engine.gate.open("b")
    _ = await bench.finished("b")
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [])
    XCTAssertEqual(bench.engine.attempts.map(\.session), ["a", "b"])
  }

  func testChangedConfigurationStaysWithinItsLimits() {
    var configuration = TransferQueueConfiguration(maximumActive: 3, tokenMargin: .seconds(5))
    configuration.maximumActive = 0
    configuration.tokenMargin = .seconds(-5)
    XCTAssertEqual(configuration.maximumActive, 1)
    XCTAssertEqual(configuration.tokenMargin, .zero)
    configuration.tokenMargin = nil
    XCTAssertNil(configuration.tokenMargin)
  }
}
