// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import StorageAuthServer
internal import XCTest

/// Tests how a server on loopback treats untrusted clients: pages of other host names, and incomplete requests.
final class LoopbackTests: ServicesTestCase {
  private static let paths = [
    "/oss/distribute-token.json", "/cos/credentials", "/latest/meta-data/ram/security-credentials/localcloud",
    "/meta-data/cam/security-credentials/localcloud", "/latest/meta-data/cam/security-credentials/localcloud",
  ]

  private func answer(_ client: ServicesClient, _ lines: [String]) async throws -> String {
    try await RawConnection.exchange(
      RawConnection.head(lines), with: ServiceEndpoint(client.cloud.servicesURL, style: .path))
  }

  func testCredentialsAreReturnedOnlyForLoopbackHostNames() async throws {
    try await withServices { client in
      let port = client.cloud.servicesURL.split(separator: ":").last.map(String.init) ?? ""
      for path in Self.paths {
        for host in ["127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST", "localhost.:\(port)", "[::1]:\(port)"] {
          let reply = try await answer(client, ["GET \(path) HTTP/1.1", "Host: \(host)"])
          XCTAssertTrue(reply.hasPrefix("HTTP/1.1 200"), "\(path) \(host): \(reply)")
        }
        let refused = [
          ["Host: evil.example"], ["Host: evil.example:\(port)"], ["Host: 127.0.0.1.evil.example"],
          ["Host: localhost.evil.example"], ["Host: 0.0.0.0:\(port)"], ["Host: localhost@evil.example"],
          ["Host: localhost", "Host: evil.example"], ["Host: evil.example", "Host: localhost"], [], ["Host:"],
        ]
        for lines in refused {
          let reply = try await answer(client, ["GET \(path) HTTP/1.1"] + lines)
          XCTAssertTrue(reply.hasPrefix("HTTP/1.1 403"), "\(path) \(lines): \(reply)")
          for word in ["Secret", "secret", "STS."] { XCTAssertFalse(reply.contains(word), reply) }
        }
        let whole = try await answer(
          client, ["GET http://evil.example\(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"])
        XCTAssertFalse(whole.hasPrefix("HTTP/1.1 200"), whole)
      }
      let put = ["PUT /latest/api/token HTTP/1.1", "X-aliyun-ecs-metadata-token-ttl-seconds: 60"]
      let token = try await answer(client, put + ["Host: evil.example"])
      XCTAssertTrue(token.hasPrefix("HTTP/1.1 403"), token)
    }
  }

  func testIncompleteRequestIsClosedOnEveryPort() async throws {
    var configuration = configuration
    configuration.limits = ConnectionLimits(
      headTimeout: .milliseconds(50), bodyTimeout: .milliseconds(50), idleTimeout: .milliseconds(50))
    try await withServices(configuration) { client in
      let endpoints = [
        client.cloud.ossEndpoint, client.cloud.cosEndpoint,
        try ServiceEndpoint(client.cloud.servicesURL, style: .path),
        try ServiceEndpoint(client.cloud.nodeURL, style: .path),
      ]
      for endpoint in endpoints {
        for half in ["", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
          let answer = try await RawConnection.exchange(half, with: endpoint, until: { _ in false })
          XCTAssertFalse(answer.contains("200"), answer)
        }
      }
    }
  }

  func testConnectionsBeyondTheLimitWait() async throws {
    var configuration = configuration
    configuration.limits = ConnectionLimits(connections: 1, headTimeout: .milliseconds(100))
    try await withServices(configuration) { client in
      let endpoint = try ServiceEndpoint(client.cloud.servicesURL, style: .path)
      async let half = RawConnection.exchange("GET /", with: endpoint, until: { _ in false })
      let whole = try await answer(client, ["GET \(Self.paths[0]) HTTP/1.1", "Host: localhost"])
      XCTAssertTrue(whole.hasPrefix("HTTP/1.1 200"), whole)
      _ = try await half
    }
  }
}
