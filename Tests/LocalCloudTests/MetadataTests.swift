// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the instance metadata services, with and without the token that Alibaba Cloud's can require.
final class MetadataTests: ServicesTestCase {
  private static let alibaba = "/latest/meta-data/ram/security-credentials/"
  private static let tencent = "/latest/meta-data/cam/security-credentials/"
  private static let tokenHeader = "X-aliyun-ecs-metadata-token"

  private func token(_ client: ServicesClient, seconds: String?) async throws -> Reply {
    let headers = seconds.map { ["X-aliyun-ecs-metadata-token-ttl-seconds": $0] } ?? [:]
    return try await client.send(client.call(.put, "/latest/api/token", headers: headers))
  }

  func testAlibabaCredentialsAreReadWithAndWithoutAToken() async throws {
    try await withServices { client in
      let token = try await token(client, seconds: "21600").text
      for headers in [[:], [Self.tokenHeader: token]] {
        let role = try await client.send(client.call(.get, Self.alibaba, headers: headers))
        XCTAssertEqual(role.text, "localcloud")
        let reply = try await client.send(client.call(.get, Self.alibaba + role.text, headers: headers))
        XCTAssertEqual(reply.json("Code"), "Success")
        XCTAssertEqual(reply.json("LastUpdated"), clock.now.iso8601)
        XCTAssertEqual(reply.json("Expiration"), clock.now.advanced(by: .seconds(3600)).iso8601)
        let key = try XCTUnwrap(reply.key(id: ["AccessKeyId"], ["AccessKeySecret"], ["SecurityToken"]), reply.text)
        let oss = try await storage(.oss, of: client, with: key).send(.get)
        XCTAssertEqual(oss.status, 200)
      }
      XCTAssertEqual(client.cloud.statistics[.metadata].issued, 2)
    }
  }

  func testTokenExpiresAndCanBeRequired() async throws {
    var configuration = configuration
    configuration.services.requiresMetadataToken = true
    try await withServices(configuration) { client in
      let token = try await token(client, seconds: "60").text
      func status(_ headers: [String: String]) async throws -> Int {
        try await client.send(client.call(.get, Self.alibaba, headers: headers)).status
      }
      var statuses = [try await status([:]), try await status([Self.tokenHeader: token])]
      statuses.append(try await status([Self.tokenHeader: "forged"]))
      clock.advance(by: .seconds(60))
      statuses.append(try await status([Self.tokenHeader: token]))
      XCTAssertEqual(statuses, [403, 200, 403, 403])
      let tencent = try await client.send(client.call(.get, Self.tencent))
      XCTAssertEqual(tencent.status, 200)
      XCTAssertEqual(client.cloud.statistics[.metadata].unsigned, 1)
    }
  }

  func testForgedTokenIsRejectedEvenWhenNoneIsRequired() async throws {
    try await withServices { client in
      let reply = try await client.send(client.call(.get, Self.alibaba, headers: [Self.tokenHeader: "forged"]))
      XCTAssertEqual(reply.status, 403)
    }
  }

  func testTokenRequiresALifetimeWithinTheLimits() async throws {
    try await withServices { client in
      for seconds in [nil, "0", "21601", "long"] {
        let reply = try await token(client, seconds: seconds)
        XCTAssertEqual(reply.status, 400)
      }
      let method = try await client.send(client.call(.get, "/latest/api/token"))
      XCTAssertEqual(method.status, 405)
    }
  }

  func testTencentCredentialsAreReadAtBothPaths() async throws {
    try await withServices { client in
      for path in [Self.tencent, "/meta-data/cam/security-credentials/"] {
        let role = try await client.send(client.call(.get, path))
        XCTAssertEqual(role.text, "localcloud")
        let reply = try await client.send(client.call(.get, path + role.text))
        XCTAssertEqual(reply.json("Code"), "Success")
        XCTAssertEqual(reply.json("ExpiredTime"), String(clock.now.unixSeconds + 21_600))
        XCTAssertEqual(reply.json("Expiration"), clock.now.advanced(by: .seconds(21_600)).iso8601)
        let key = try XCTUnwrap(reply.key(id: ["TmpSecretId"], ["TmpSecretKey"], ["Token"]), reply.text)
        let cos = try await storage(.cos, of: client, with: key).send(.get)
        XCTAssertEqual(cos.status, 200)
      }
    }
  }

  func testUnknownPathsAreNotFound() async throws {
    var configuration = configuration
    configuration.services.roles = [.alibaba]
    try await withServices(configuration) { client in
      for path in [Self.alibaba + "other", Self.tencent, "/latest/meta-data/instance-id", "/latest/"] {
        let reply = try await client.send(client.call(.get, path))
        XCTAssertEqual(reply.status, 404, path)
        XCTAssertEqual(reply.header("content-type"), "text/plain")
      }
      XCTAssertEqual(client.cloud.statistics[.metadata].issued, 0)
    }
  }
}
