// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import LocalCloud
import StorageAuth
import XCTest

/// Tests that each port of the local server reads a URL in the request line in the same way.
final class LocalTargetTests: XCTestCase {
  func testContradictionIsRefusedAndAgreementIsReadAsAPath() async throws {
    let cloud = try await LocalCloud.start(
      .init(accounts: [.init(AccessKey(id: "id", secret: "secret"))], buckets: ["photos"]))
    addTeardownBlock { await cloud.stop() }
    let endpoints = [
      cloud.ossEndpoint, cloud.cosEndpoint, cloud.s3Endpoint, try ServiceEndpoint(cloud.servicesURL, style: .path),
      try ServiceEndpoint(cloud.nodeURL, style: .path), try ServiceEndpoint(cloud.asperaOnCloudURL, style: .path),
    ]
    for endpoint in endpoints {
      let host = endpoint.authority
      func answer(_ target: String, _ hosts: [String], _ method: String = "GET") async throws -> String {
        let lines = ["\(method) \(target) HTTP/1.1"] + hosts.map { "Host: \($0)" } + ["Connection: close"]
        return try await RawConnection.exchange(RawConnection.head(lines), with: endpoint, until: { _ in false })
      }
      func status(_ text: String) -> Substring { text.split(separator: " ").dropFirst().first ?? "" }
      let path = "/photos-x/a?b=1"
      let plain = status(try await answer(path, [host]))
      let same = status(try await answer("http://\(host)\(path)", [host]))
      XCTAssertEqual(same, plain, host)
      for (target, hosts) in [
        ("http://other.example\(path)", [host]), ("http://\(host)\(path)", ["other.example"]),
        ("http://\(host)\(path)", []), ("http://\(host)\(path)", [host, host]), ("*", [host]),
        ("http://a@\(host)\(path)", [host]),
      ] {
        let refused = try await answer(target, hosts)
        XCTAssertEqual(status(refused), "400", "\(host) \(target): \(refused)")
      }
    }
  }
}
