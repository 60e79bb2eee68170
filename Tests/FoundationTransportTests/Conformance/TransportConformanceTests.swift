// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import FoundationTransport
import StorageAuth
import StorageAuthTesting
import XCTest

/// The transport suite: the package's transports and a transport over sockets conform.
final class TransportConformanceTests: XCTestCase {
  private static let idleLimit = Duration.milliseconds(300)

  // matrix: AsyncHTTPClient: rules, wire format, streaming, failure
  func testAsyncHTTPClientTransportConforms() async {
    let suite = TransportConformance(
      idleLimit: Self.idleLimit,
      impatient: { AsyncHTTPClientTransport(timeouts: HTTPTimeouts(idle: Self.idleLimit)) },
      { AsyncHTTPClientTransport() })
    await assertConforms(suite, to: TransportRule.allCases)
  }

  // matrix: AsyncHTTPClient: failure
  func testEarlyResponseIsReturnedEachTime() async {
    let suite = TransportConformance { AsyncHTTPClientTransport() }
    // Without `EarlyResponseHandler`, one response in seven was lost.
    for _ in 0..<25 { await assertConforms(suite, to: [.earlyResponse]) }
  }

  // matrix: URLSession: rules, wire format, streaming, failure
  func testURLSessionTransportConforms() async {
    let suite = TransportConformance(
      idleLimit: Self.idleLimit,
      impatient: { URLSessionTransport(timeouts: HTTPTimeouts(idle: Self.idleLimit)) },
      { URLSessionTransport() })
    #if canImport(FoundationNetworking)
      // Foundation of Swift 6.3 terminates the process in these two cases, which the transport cannot avoid.
      await assertConforms(suite, to: TransportRule.allCases.filter { ![.truncatedHead, .trailer].contains($0) })
    #else
      await assertConforms(suite, to: TransportRule.allCases)
    #endif
  }

  func testSocketTransportConforms() async {
    let suite = TransportConformance(
      idleLimit: Self.idleLimit, impatient: { SocketTransport(idle: Self.idleLimit) }, { SocketTransport() })
    await assertConforms(suite, to: TransportRule.allCases)
  }

  private func assertConforms<Subject>(
    _ suite: TransportConformance<Subject>, to rules: [TransportRule], line: UInt = #line
  ) async {
    let report = await suite.report(rules)
    XCTAssertTrue(report.isConforming, "\(report.failures)", line: line)
    XCTAssertEqual(report.checks.count, rules.count, line: line)
    for check in report.checks {
      guard case .kept(let tries) = check.outcome else { continue }
      XCTAssertGreaterThan(tries, 0, check.rule, line: line)
    }
    XCTAssertFalse("\(report)".contains("not tried"), "\(report.failures)", line: line)
  }
}
