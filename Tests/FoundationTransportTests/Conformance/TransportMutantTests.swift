// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// The transport suite reports each rule that a transport breaks, and no other one.
final class TransportMutantTests: XCTestCase {
  /// The rules whose checks wait until a number no longer changes, or for a limit.
  private static let slowRules: Set<TransportRule> = [.lazyUpload, .lazyDownload, .idleLimit]

  private static let idleLimit = Duration.milliseconds(100)

  private func suite(breaking rule: TransportRule, patience: Duration) -> TransportConformance<TwistedTransport> {
    TransportConformance(
      concurrency: 8, patience: patience, idleLimit: Self.idleLimit,
      impatient: {
        var transport = TransportMutants.transport(breaking: rule)
        transport.base.idle = Self.idleLimit
        return transport
      }, { TransportMutants.transport(breaking: rule) })
  }

  func testEachBrokenRuleIsReported() async {
    for rule in TransportRule.allCases {
      // These two wait in vain for what the transport does not do.
      let patience = Duration.seconds([.concurrency, .release].contains(rule) ? 1 : 10)
      let report = await suite(breaking: rule, patience: patience).report([rule])
      XCTAssertEqual(report.failures.map(\.rule), [rule.rawValue], "\(report)")
    }
  }

  func testOtherRulesAreKept() async {
    for rule in TransportRule.allCases where !Self.slowRules.contains(rule) {
      let others = TransportRule.allCases.filter { $0 != rule && !Self.slowRules.contains($0) }
      let report = await suite(breaking: rule, patience: .seconds(10)).report(others)
      XCTAssertEqual(report.failures, [], "\(rule): \(report)")
    }
  }
}
