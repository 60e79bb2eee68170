// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageAuthTesting
import StorageClient
import StorageClientTesting
import XCTest

/// The store of an Aspera node against those rules of object stores that a node, which has files, can follow.
final class AsperaConformanceTests: XCTestCase {
  func testStoreOfANodeConforms() async throws {
    let node = try await LocalNode(self)
    let directory = try TemporaryDirectory(self)
    let rules: [ObjectStoreRule] = [.roundTrip, .emptyObject, .singleRead, .ranges, .files, .order]
    let report = await ObjectStoreConformance(node.client(), in: directory.path("")).report(rules)
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertEqual(report.checks.count, rules.count)
  }
}
