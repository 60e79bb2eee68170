// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageAuthTesting
import StorageClient
import StorageClientTesting
import XCTest

/// The stores of all services against the conformance suite of object stores.
final class StoreConformanceTests: XCTestCase {
  private func assertConforms(
    _ store: some ObjectStore, _ name: String, _ rules: [ObjectStoreRule] = ObjectStoreRule.allCases
  ) async throws {
    let directory = try TemporaryDirectory(self)
    let names = ObjectStoreConformance<InMemoryStore>.unusualNames.filter {
      !NetworkTransport.isURLSession || !NetworkTransport.keysRefusedByURLSession.contains($0)
    }
    let report = await ObjectStoreConformance(store, in: directory.path(""), names: names).report(rules)
    XCTAssertTrue(report.isConforming, "\(name): \(report)")
    XCTAssertEqual(report.checks.count, rules.count, name)
  }

  func testStoresOfTheServicesConform() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() { try await assertConforms(store, name) }
  }

  func testStoreOfAServiceWithJSONDocumentsConforms() async throws {
    try await assertConforms(JSONService().client(), "JSON")
  }
}
