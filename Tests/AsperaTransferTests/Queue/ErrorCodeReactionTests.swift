// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StoragePrograms
import XCTest

@testable import AsperaTransfer

/// Tests how the queue reacts to each error code of ascp's management port, with a process that ends with the code.
final class ErrorCodeReactionTests: XCTestCase {
  /// An action of the queue after a failure.
  private enum Reaction: Equatable {
    /// The session ends after one attempt.
    case ends
    /// The attempt is repeated with the same token.
    case retries
    /// Another token is requested once.
    case renewsToken(TokenRequest.Reason)
  }

  private struct Row {
    let code: Int
    var text = "The transfer failed"
    /// The kind of the failure, or `nil` for any kind that neither a retry nor another token can help.
    let kind: TransferFailure.Kind?
    let reaction: Reaction
  }

  /// The 67 codes, by the reaction that a client owes them.
  ///
  /// The retried codes are those that aspera-cli calls retryable, except 37, which servers use like 34: their text tells
  /// whether another token can help.
  private static let table: [Row] = {
    let retried = [12, 13, 14, 15, 16, 17, 18, 23, 32, 33, 35, 36, 39, 40, 44, 45, 61]
    let named: [(TransferFailure.Kind, [Int])] = [
      (.account, [19]), (.hostKey, [51]), (.license, [9, 10, 29, 30, 38]), (.cancelled, [28]),
      (.caller, [4, 8, 41, 43]),
    ]
    let others = [
      0, 1, 2, 3, 5, 6, 7, 11, 20, 21, 22, 24, 25, 26, 27, 31, 42, 46, 47, 48, 49, 50, 52, 53, 54, 55, 56, 57, 58, 59,
      60,
      62, 63, 64, 65, 66,
    ]
    return retried.map { Row(code: $0, kind: .transport, reaction: .retries) }
      + named.flatMap { kind, codes in codes.map { Row(code: $0, kind: kind, reaction: .ends) } }
      + others.map { Row(code: $0, kind: nil, reaction: .ends) }
      + [34, 37].map {
        Row(code: $0, text: "token expired 5 seconds ago", kind: .token(.expired), reaction: .renewsToken(.expired))
      }
  }()

  /// Texts that change what a code means.
  private static let texts: [Row] =
    [
      Row(code: 14, text: "Target address not available", kind: .caller, reaction: .ends),
      // The other codes keep their meaning, whatever the text says of tokens.
      Row(code: 19, text: "token expired", kind: .account, reaction: .ends),
      Row(code: 44, text: "token denied by server", kind: .transport, reaction: .retries),
    ]
    + [34, 37].flatMap { code in
      [
        Row(code: code, text: "token denied by server", kind: .token(.rejected), reaction: .renewsToken(.rejected)),
        Row(code: code, text: "undefined token", kind: .token(.missing), reaction: .renewsToken(.missing)),
        Row(code: code, text: "user usr1 denied by server", kind: .authorization, reaction: .ends),
        Row(code: code, text: "token direction mismatch", kind: .authorization, reaction: .ends),
        Row(code: code, text: "stronger encryption required", kind: .authorization, reaction: .ends),
      ]
    }

  func testTableContainsEveryCodeOnce() {
    XCTAssertEqual(Self.table.map(\.code).sorted(), Array(0...66))
  }

  func testQueueReactsToEveryCode() async throws {
    for row in Self.table + Self.texts { try await check(row) }
  }

  private func check(_ row: Row) async throws {
    let fake = try FakeAscp(
      self, .connect, .send(Frames.initial, Frames.session, Frames.error(row.code, row.text)), .exit(1))
    let engine = fake.engine()
    let time = ManualClock()
    let issuer = ScriptedIssuer(life: nil, time: time)
    let configuration = TransferQueueConfiguration(tokenRenewals: 1, transportRetries: 1)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        try await engine.run(attempt.spec, additions: nil, report: attempt.report)
      }, issuer: issuer, configuration: configuration, time: time)
    bench.queue.add(.sample("a"))
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    let place = "\(row.code) \(row.text)"
    let failure = try XCTUnwrap(bench.ends.first?.result.failure, place)
    XCTAssertEqual(failure.code, row.code, place)
    if let kind = row.kind {
      XCTAssertEqual(failure.kind, kind, place)
    } else {
      XCTAssertTrue([.caller, .authorization, .other].contains(failure.kind), place)
    }
    let tokens = bench.engine.attempts.map(\.token)
    let reasons = issuer.requests.map(\.reason)
    switch row.reaction {
    case .ends:
      XCTAssertEqual(tokens.count, 1, place)
      XCTAssertEqual(reasons, [.initial], place)
    case .retries:
      XCTAssertEqual(tokens.count, 2, place)
      XCTAssertEqual(Set(tokens).count, 1, "\(place): the token is not the cause")
      XCTAssertEqual(reasons, [.initial], place)
      XCTAssertGreaterThan(time.uptime, .zero, "\(place): a retry waits")
    case .renewsToken(let reason):
      XCTAssertEqual(Set(tokens).count, 2, place)
      XCTAssertEqual(reasons, [.initial, reason], place)
      XCTAssertEqual(time.uptime, .zero, "\(place): another token is tried at once")
    }
    XCTAssertEqual(EventOrder.problems(in: bench.kinds(of: "a")), [], place)
  }
}
