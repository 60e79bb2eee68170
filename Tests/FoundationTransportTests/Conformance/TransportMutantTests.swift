// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  /// Checks all mutants at the same time.
  private func reports(
    patience: Duration, _ rules: @escaping @Sendable (TransportRule) -> [TransportRule]
  ) async -> [TransportRule: ConformanceReport] {
    await withTaskGroup(of: (TransportRule, ConformanceReport).self) { group in
      for rule in TransportRule.allCases {
        let suite = suite(breaking: rule, patience: patience)
        group.addTask { (rule, await suite.report(rules(rule))) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  func testEachBrokenRuleIsReported() async {
    // Some checks wait in vain for what the transport does not do.
    let reports = await reports(patience: .seconds(2)) { [$0] }
    XCTAssertEqual(reports.count, TransportRule.allCases.count)
    for (rule, report) in reports { XCTAssertEqual(report.failures.map(\.rule), [rule.rawValue], "\(report)") }
  }

  func testOtherRulesAreKept() async {
    let quick = TransportRule.allCases.filter { !Self.slowRules.contains($0) }
    let reports = await reports(patience: .seconds(20)) { rule in quick.filter { $0 != rule } }
    for (rule, report) in reports { XCTAssertEqual(report.failures, [], "\(rule)") }
  }
}
