// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests that a wrong wall clock neither expires a valid token nor prolongs an expired one.
final class QueueClockTests: XCTestCase {
  /// Loses the connection once; the retry follows an hour later.
  private static let oneRepetition: ScriptedEngine.Script = { attempt throws(TransferFailure) in
    guard attempt.number == 1 else { return try await ScriptedEngine.succeeding(attempt) }
    throw .lostConnection
  }

  private static func hourLater() -> TransferQueueConfiguration {
    TransferQueueConfiguration(retryDelay: .seconds(3600), longestRetryDelay: .seconds(3600))
  }

  // matrix: Aspera transfer (issuer): skew
  func testTokenLifetimeIsCountedFromTheIssuersTime() async throws {
    for error in [Duration.seconds(86_400), .seconds(-86_400)] {
      for (life, expected) in [(Duration.seconds(3600 + 100), 2), (.seconds(3600 + 140), 1)] {
        let time = ManualClock()
        let issuer = ScriptedIssuer { request throws(CredentialError) in
          let served = time.now.advanced(by: error)
          let token = AsperaToken.sample("\(request.attempt)", expiration: served.advanced(by: life))
          return IssuedCredential(TransferCredential(token: token), issuerTime: served)
        }
        let bench = try QueueBench(
          ScriptedEngine(Self.oneRepetition), issuer: issuer, configuration: Self.hourLater(), time: time)
        bench.queue.add(.sample("a"))
        await bench.step(by: .seconds(3600)) { bench.ends.count == 1 }
        XCTAssertEqual(bench.ends.first?.result, .success(TransferSummary(bytes: 10, files: 1)), "\(error)")
        XCTAssertEqual(issuer.requests.count, expected, "\(error) \(life)")
      }
    }
  }

  // matrix: Aspera transfer (token): skew
  func testFixedTokenExpiredOnlyByTheLocalClockIsSent() async throws {
    let time = ManualClock()
    let bench = try QueueBench(time: time)
    let token = AsperaToken.sample("t", expiration: time.now.advanced(by: .seconds(-3600)))
    bench.queue.add(.sample("a", token: .fixed(token)))
    let result = await bench.finished("a")
    XCTAssertEqual(result, .success(TransferSummary(bytes: 10, files: 1)))
  }
}
