// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests many sessions: none is lost, and each rejected token is renewed once.
final class QueueBurstTests: XCTestCase {
  private static let ids = (1...50).map { "s\($0)" }

  /// A server that rejects some tokens, those of every third session in the middle of the transfer and those of every
  /// fifth at its beginning, and asserts that a rejected token is not sent again.
  private static func server(refused: Refusals) -> ScriptedEngine.Script {
    { attempt throws(TransferFailure) in
      let number = Int(attempt.session.dropFirst()) ?? 0
      attempt.report(.connecting)
      XCTAssertFalse(refused.contains(attempt.token), "\(attempt.token) was rejected and sent again")
      if number.isMultiple(of: 5), attempt.number == 1 {
        refused.insert(attempt.token)
        throw .undefinedToken
      }
      attempt.report(.running)
      attempt.report(.progress(TransferProgressReport(bytes: Int64(attempt.number))))
      if number.isMultiple(of: 3), !refused.contains(middleOf: attempt.session) {
        refused.insert(attempt.token)
        refused.insertMiddle(of: attempt.session)
        throw number.isMultiple(of: 2) ? .expiredToken : .deniedToken
      }
      attempt.report(.file(TransferFileReport(file: "/data/\(attempt.session)", bytes: 10, outcome: .done)))
      return TransferSummary(bytes: 10, files: 1)
    }
  }

  /// The tokens that the server has rejected.
  final class Refusals: Sendable {
    private let tokens = Lock<[String]>([])
    private let middles = Lock<Set<String>>([])

    var all: [String] { tokens.withLock { $0 } }

    func contains(_ token: String) -> Bool { tokens.withLock { $0.contains(token) } }
    func insert(_ token: String) { tokens.withLock { $0.append(token) } }
    func contains(middleOf session: String) -> Bool { middles.withLock { $0.contains(session) } }
    func insertMiddle(of session: String) { middles.withLock { _ = $0.insert(session) } }
  }

  private func check(_ bench: QueueBench, _ issuer: ScriptedIssuer, _ refusals: Refusals, line: UInt = #line) {
    XCTAssertEqual(Set(bench.ends.map(\.session)), Set(Self.ids), line: line)
    XCTAssertEqual(bench.ends.count, Self.ids.count, "each session must finish once", line: line)
    XCTAssertEqual(bench.ends.compactMap(\.result.failure), [], line: line)
    XCTAssertEqual(refusals.all.count, 10 + 16, line: line)
    XCTAssertEqual(Set(refusals.all).count, refusals.all.count, line: line)
    let retries = Self.ids.flatMap { bench.retries(of: $0) }
    XCTAssertEqual(Set(retries.map(\.cause)), [.token], "only retries for a token are expected", line: line)
    XCTAssertEqual(retries.count, refusals.all.count, "each rejected token must be renewed once", line: line)
    for id in Self.ids {
      XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: id)), [], id, line: line)
      XCTAssertEqual(bench.issuances(of: id).map(\.attempt), Array(1...issuer.requests(of: id).count), id, line: line)
      let refusals = bench.retries(of: id).map { retry in
        if case .token(let reason) = retry.failure.kind { reason.rawValue } else { "\(retry.failure)" }
      }
      // A token that was issued after a rejection has its reason; the others were issued initially or expired while
      // waiting.
      let answered = bench.words(of: id).enumerated().filter { $0.element == "retry(token)" }
        .map { bench.words(of: id)[$0.offset + 1] }
      XCTAssertEqual(answered, refusals.map { "token(\($0))" }, id, line: line)
    }
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testFiftyConsecutiveSessionsFinishDespiteRejectedTokens() async throws {
    let (time, refusals) = (ManualClock(), Refusals())
    let issuer = ScriptedIssuer(life: .seconds(3600), time: time)
    let bench = try QueueBench(ScriptedEngine(Self.server(refused: refusals)), issuer: issuer, time: time)
    for id in Self.ids { bench.queue.add(.sample(id)) }
    await bench.step(by: .seconds(1)) { bench.ends.count == Self.ids.count }
    check(bench, issuer, refusals)
    XCTAssertEqual(issuer.requests.count, Self.ids.count + refusals.all.count)
    XCTAssertEqual(bench.ends.map(\.session), Self.ids)
    XCTAssertEqual(bench.engine.mostRunning, 1)
  }

  // matrix: Aspera transfer (issuer): expiry, early refresh
  func testFiftySpacedSessionsFinishWithoutExpiredTokensDespiteRejectedOnes() async throws {
    let (time, refusals) = (ManualClock(), Refusals())
    // Fifty starts take a hundred seconds, of which a token of 150 seconds could wait for thirty.
    let issuer = ScriptedIssuer(life: .seconds(150), time: time)
    let bench = try QueueBench(
      ScriptedEngine(Self.server(refused: refusals)), issuer: issuer,
      configuration: TransferQueueConfiguration(maximumActive: 50, startSpacing: .seconds(2)), time: time)
    for id in Self.ids { bench.queue.add(.sample(id)) }
    await bench.step(by: .milliseconds(500)) { bench.ends.count == Self.ids.count }
    check(bench, issuer, refusals)
    let expired = Self.ids.filter { id in
      zip(bench.words(of: id), bench.words(of: id).dropFirst()).contains {
        $0.0 != "retry(token)" && $0.1 == "token(expired)"
      }
    }
    XCTAssertEqual(expired, [], "no token may expire while its session waits for its start")
    XCTAssertGreaterThanOrEqual(time.uptime, .seconds(2 * (49 - 1)), "starts must be spaced")
  }
}
