// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

@testable import AsperaTransfer

/// Tests queues whose tokens expire while the queue works: each session gets another token, and none is lost.
final class QueueShortTokenTests: XCTestCase {
  private static let ids = (1...50).map { "s\($0)" }

  /// The expirations of all issued tokens, and the tokens that the server rejected.
  private final class Desk: Sendable {
    let expirations = Lock<[String: Timestamp]>([:])
    let rejected = Lock<[String]>([])

    func issue(_ token: String, until end: Timestamp) { expirations.withLock { $0[token] = end } }

    /// Returns whether the server accepts a token, and records a rejected token.
    func accepts(_ token: String, at now: Timestamp) -> Bool {
      let isValid = expirations.withLock { $0[token].map { now < $0 } ?? false }
      if !isValid { rejected.withLock { $0.append(token) } }
      return isValid
    }
  }

  /// A server whose clock is ahead of the client's, and which loses the first connection of every third session.
  private func engine(_ desk: Desk, _ time: ManualClock, ahead: Duration) -> ScriptedEngine {
    ScriptedEngine { attempt throws(TransferFailure) in
      attempt.report(.connecting)
      guard desk.accepts(attempt.token, at: time.now.advanced(by: ahead)) else { throw .expiredToken }
      attempt.report(.running)
      let isThird = Int(attempt.session.dropFirst())?.isMultiple(of: 3) == true
      let isFirst = desk.expirations.withLock { $0[attempt.session] == nil }
      if isThird, isFirst {
        desk.issue(attempt.session, until: time.now)
        throw .lostConnection
      }
      return try await ScriptedEngine.succeeding(attempt)
    }
  }

  private func run(
    ahead: Duration, active: Int, tellsExpiration: Bool = true
  ) async throws -> (bench: QueueBench, issuer: ScriptedIssuer, desk: Desk) {
    let (time, desk) = (ManualClock(), Desk())
    let issuer = ScriptedIssuer { request throws(CredentialError) in
      let end = time.now.advanced(by: .seconds(5))
      desk.issue("ATM2_\(request.session)-\(request.attempt)_AAA", until: end)
      return .token("\(request.session)-\(request.attempt)", expiration: tellsExpiration ? end : nil)
    }
    let bench = try QueueBench(
      engine(desk, time, ahead: ahead), issuer: issuer,
      configuration: TransferQueueConfiguration(
        maximumActive: active, startSpacing: .seconds(2), tokenMargin: .seconds(1)), time: time)
    for id in Self.ids { bench.queue.add(.sample(id)) }
    await bench.step(by: .milliseconds(500)) { bench.ends.count == Self.ids.count }
    XCTAssertEqual(Set(bench.ends.filter(\.result.isSuccess).map(\.session)), Set(Self.ids))
    for id in Self.ids {
      XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: id)), [], id)
      XCTAssertEqual(bench.engine.attempts(of: id), bench.retries(of: id).count + 1, id)
      let isThird = Int(id.dropFirst())?.isMultiple(of: 3) == true
      XCTAssertEqual(bench.retries(of: id).count { $0.cause == .transport }, isThird ? 1 : 0, id)
    }
    return (bench, issuer, desk)
  }

  // matrix: Aspera transfer (issuer): expiry, early refresh
  func testFiftyConcurrentSessionsFinishWithTokensOfFiveSeconds() async throws {
    let (bench, issuer, desk) = try await run(ahead: .zero, active: 50)
    XCTAssertEqual(desk.rejected.withLock { $0 }, [], "an expired token was sent")
    let renewed = issuer.requests.filter { $0.reason != .initial }
    XCTAssertTrue(renewed.allSatisfy { $0.reason == .expired }, "\(renewed.map(\.reason))")
    let untroubled = Set(renewed.map(\.session)).filter { bench.retries(of: $0).isEmpty }
    XCTAssertEqual(untroubled, [], "a token expired before its start")
    XCTAssertGreaterThanOrEqual(bench.time.uptime, .seconds(2 * 49))
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testFiftySessionsFinishIfTheServersClockExpiresTokensEarlier() async throws {
    let (bench, issuer, desk) = try await run(ahead: .milliseconds(3500), active: 1)
    let rejected = desk.rejected.withLock { $0 }
    XCTAssertEqual(rejected.count, 16, "a token that waited for a retry is rejected")
    XCTAssertEqual(Set(rejected).count, rejected.count, "a rejected token was sent again")
    XCTAssertEqual(issuer.requests.count { $0.reason == .expired }, rejected.count)
    XCTAssertEqual(bench.engine.mostRunning, 1)
  }

  func testFiftySessionsFinishIfTheIssuerDoesNotKnowTheExpiration() async throws {
    let (_, issuer, desk) = try await run(ahead: .milliseconds(3500), active: 1, tellsExpiration: false)
    XCTAssertEqual(desk.rejected.withLock { $0.count }, 16)
    XCTAssertEqual(issuer.requests.count, Self.ids.count + 16)
  }

  // matrix: Aspera transfer (issuer): expiry
  func testBearerTokensThatExpireInTheQueueAreSignedAgain() async throws {
    let time = ManualClock()
    let key = try NodeBearerKey(
      pem: Secret(
        XCTUnwrap(PrivateKey.generateRSA(bits: 2048).pkcs8PEM).withBytes { bytes in
          String(writing: { $0.append(bytes) })
        }))
    let issuer = BearerTokenIssuer(
      accessKey: "ak", userID: "mia", fileID: "7", key: key, lifetime: .seconds(600))
    let engine = ScriptedEngine { attempt throws(TransferFailure) in
      let end = (try? AsperaToken(Secret(attempt.token)))?.expiration
      guard let end, time.now < end else { throw .expiredToken }
      XCTAssertEqual(attempt.spec.tags?["aspera"]?["node"]?["file_id"]?.string, "7")
      if attempt.number == 1, attempt.session == "s4" { throw .lostConnection }
      return try await ScriptedEngine.succeeding(attempt)
    }
    // The grant of a bearer token names the user of access keys.
    let account = try AsperaAccount(host: "aspera.test", user: "xfer", password: Secret("pass-word"))
    let bench = try QueueBench(
      engine, account: account, issuer: issuer,
      configuration: TransferQueueConfiguration(
        maximumActive: 8, startSpacing: .seconds(80), retryDelay: .seconds(500),
        longestRetryDelay: .seconds(500)), time: time)
    let ids = (1...8).map { "s\($0)" }
    for id in ids { bench.queue.add(.sample(id)) }
    await bench.step(by: .seconds(1)) { bench.ends.count == ids.count }
    XCTAssertEqual(bench.ends.compactMap(\.result.failure?.message), [])
    let tokens = bench.engine.attempts.filter { $0.session == "s4" }.map(\.token)
    XCTAssertEqual(Set(tokens).count, 2, "the attempt after the lost connection needs another token")
    XCTAssertEqual(bench.issuances(of: "s4").last?.reason, .expired)
  }

  func testRejectedBearerTokenWithoutTagsIsExplained() async throws {
    for (tags, isExplained) in [
      ([:], true), (["aspera": ["node": ["file_id": "7"]]], true),
      (["aspera": ["node": ["access_key": "ak", "file_id": "7"]]], false),
    ] as [([String: [String: [String: String]]], Bool)] {
      let bench = try QueueBench(ScriptedEngine { _ throws(TransferFailure) in throw .deniedToken })
      var session = TransferSession.sample("a", token: .fixed(try AsperaToken(Secret("Bearer eJyexample"))))
      var node = JSONObject()
      for (name, value) in tags["aspera"]?["node"] ?? [:] { node[name] = .string(value) }
      session.specification.tags = (["aspera": ["node": .object(node)]] as JSONValue).object
      bench.queue.add(session)
      let result = await bench.finished("a")
      let failure = try XCTUnwrap(result?.failure)
      XCTAssertEqual(failure.message.contains("the tags do not name its access key"), isExplained, failure.message)
      XCTAssertEqual(failure.remedy.contains("aspera.node.access_key"), isExplained, failure.remedy)
    }
  }
}
