// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LongRun
import StorageAuthTesting
import XCTest

/// Tests a short version of the long run on stepped clocks.
final class LongRunTests: XCTestCase {
  // matrix: OSS V1: early refresh, forced refresh, skew
  // matrix: OSS V4: early refresh, forced refresh, skew
  // matrix: COS V5: early refresh, forced refresh, skew
  // matrix: S3 V4: early refresh, forced refresh, skew
  func testNoTransferIsLostRepeatedOrUnsignedUnderInjectedFaults() async throws {
    SecretWatch.install()
    let time = ManualClock()
    let plan = LongRun.Plan(
      transfers: 240, tasks: 2, time: time, retryDelay: .zero, hasFailingTokenServices: false,
      transport: NetworkTransport.make()
    ) { time.advance(by: .milliseconds(60)) }
    let report = try await LongRun(plan).run()
    XCTAssertEqual(report.violations, [], "\(report)")
    XCTAssertEqual(report.counts["uploads"], 240)
    XCTAssertEqual(report.counts["downloads"], 240)
    for (name, least) in [
      ("faults", 20), ("renewed credentials", 20), ("clock differences learnt", 4),
      ("refused, RequestTimeTooSkewed", 4), ("refused, SecurityTokenExpired", 1), ("refused, ExpiredToken", 1),
    ] {
      XCTAssertGreaterThanOrEqual(report.counts[name] ?? 0, least, "\(name): \(report)")
    }
  }
}
