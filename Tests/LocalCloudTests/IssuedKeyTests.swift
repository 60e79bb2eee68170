// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the use of issued temporary keys.
final class IssuedKeyTests: ServicesTestCase {
  /// Requests a key from the app server.
  private func issue(_ provider: LocalCloud.Provider, _ client: ServicesClient) async throws -> AccessKey {
    let isOSS = provider == .oss
    let reply = try await client.send(client.call(.get, isOSS ? "/oss/distribute-token.json" : "/cos/credentials"))
    let place = ["credentials"]
    let key =
      isOSS
      ? reply.key(id: ["AccessKeyId"], ["AccessKeySecret"], ["SecurityToken"])
      : reply.key(id: place + ["tmpSecretId"], place + ["tmpSecretKey"], place + ["sessionToken"])
    return try XCTUnwrap(key, reply.text)
  }

  private func code(
    _ provider: LocalCloud.Provider, _ client: ServicesClient, _ key: AccessKey
  ) async throws -> String? {
    try await storage(provider, of: client, with: key).send(.get).errorCode
  }

  func testKeyRequiresItsOwnTokenAndExpires() async throws {
    try await withServices { client in
      let tests: [(LocalCloud.Provider, String, String)] = [
        (.oss, "InvalidSecurityToken", "SecurityTokenExpired"), (.cos, "InvalidToken", "ExpiredToken"),
      ]
      for (provider, invalid, expired) in tests {
        let key = try await issue(provider, client)
        let other = try await issue(provider, client)
        let codes = [
          try await code(provider, client, key),
          try await code(provider, client, AccessKey(id: key.id, secret: key.secret)),
          try await code(provider, client, AccessKey(id: key.id, secret: key.secret, sessionToken: other.sessionToken)),
          try await code(
            provider, client, AccessKey(id: "STS.forged", secret: key.secret, sessionToken: key.sessionToken)),
        ]
        XCTAssertEqual(codes, [nil, "InvalidAccessKeyId", invalid, "InvalidAccessKeyId"])
        clock.advance(by: .seconds(1799))
        let last = try await code(provider, client, key)
        XCTAssertNil(last)
        clock.advance(by: .seconds(1))
        let ended = try await code(provider, client, key)
        XCTAssertEqual(ended, expired)
      }
    }
  }

  func testLongExpiredKeyIsRemovedWhenAnotherIsIssued() async throws {
    try await withServices { client in
      let key = try await issue(.oss, client)
      clock.advance(by: .seconds(1800 + 3600))
      _ = try await issue(.oss, client)
      XCTAssertNotNil(client.cloud.session(of: key.id))
      clock.advance(by: .seconds(1))
      _ = try await issue(.oss, client)
      XCTAssertNil(client.cloud.session(of: key.id))
      let forgotten = try await code(.oss, client, key)
      XCTAssertEqual(forgotten, "InvalidAccessKeyId")
    }
  }

  func testKeysCanExpireImmediatelyOrAfterSomeRequests() async throws {
    try await withServices { client in
      for (provider, expired) in [(LocalCloud.Provider.oss, "SecurityTokenExpired"), (.cos, "ExpiredToken")] {
        client.cloud.faults.requestsPerCredential = nil
        let old = try await issue(provider, client)
        let before = try await code(provider, client, old)
        XCTAssertNil(before)
        client.cloud.faults.requestsPerCredential = 2
        let key = try await issue(provider, client)
        var codes: [String?] = []
        for _ in 1...4 { codes.append(try await code(provider, client, key)) }
        XCTAssertEqual(codes, [nil, nil, expired, expired])
        codes = [try await code(provider, client, old), try await code(provider, client, old)]
        XCTAssertEqual(codes, [nil, expired], "the requests before the limit was set count as well")
        XCTAssertEqual(client.cloud.session(of: key.id)?.requests, 4)
        client.cloud.faults.requestsPerCredential = 0
        let next = try await issue(provider, client)
        let atOnce = try await code(provider, client, next)
        XCTAssertEqual(atOnce, expired)
        let permanent = try await code(provider, client, Self.key)
        XCTAssertNil(permanent)
      }
    }
  }

  func testKeyExpirationFollowsTheServersClock() async throws {
    try await withServices { client in
      let key = try await issue(.oss, client)
      client.cloud.faults.clockOffset = .seconds(1800)
      var ahead = storage(.oss, of: client, with: key)
      ahead = TestClient(cloud: ahead.cloud, provider: .oss, key: key, clock: TestClock())
      ahead.clock.advance(by: .seconds(1800))
      let reply = try await ahead.send(.get)
      XCTAssertEqual(try reply.errorCode, "SecurityTokenExpired")
    }
  }
}
