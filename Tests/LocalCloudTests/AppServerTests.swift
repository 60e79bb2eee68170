// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the local app server: credentials for OSS and COS in the formats that the vendors' SDKs read.
final class AppServerTests: ServicesTestCase {
  private static let ossPath = "/oss/distribute-token.json"
  private static let cosPath = "/cos/credentials"

  func testOSSCredentialsResponseContainsAStatusCode() async throws {
    try await withServices { client in
      for call in [client.call(.get, Self.ossPath), client.call(.post, Self.ossPath, body: "{}")] {
        let reply = try await client.send(call)
        XCTAssertEqual(reply.status, 200)
        XCTAssertEqual(reply.json("StatusCode"), "200")
        XCTAssertEqual(reply.json("Expiration"), clock.now.advanced(by: .seconds(1800)).iso8601)
        XCTAssertEqual(reply.header("date"), clock.now.httpDate)
        XCTAssertEqual(reply.header("cache-control"), "no-store")
        let key = try XCTUnwrap(reply.key(id: ["AccessKeyId"], ["AccessKeySecret"], ["SecurityToken"]), reply.text)
        let oss = try await storage(.oss, of: client, with: key).send(.get)
        XCTAssertEqual(oss.status, 200)
      }
      XCTAssertEqual(client.cloud.ossAppServer, client.cloud.servicesURL + Self.ossPath)
      XCTAssertEqual(client.cloud.statistics[.appServer].issued, 2)
      XCTAssertEqual(client.cloud.statistics[.appServer].requests, 2)
    }
  }

  func testCOSCredentialsStartAtTheServersTime() async throws {
    try await withServices { client in
      client.cloud.faults.clockOffset = .seconds(-1200)
      let now = clock.now.unixSeconds - 1200
      let reply = try await client.send(client.call(.get, Self.cosPath))
      XCTAssertEqual(reply.json("startTime"), String(now))
      XCTAssertEqual(reply.json("expiredTime"), String(now + 1800))
      XCTAssertEqual(reply.json("expiration"), Timestamp(unixSeconds: now + 1800).iso8601)
      XCTAssertNotNil(reply.json("requestId"))
      let names = ["tmpSecretId", "tmpSecretKey", "sessionToken"].map { ["credentials", $0] }
      let key = try XCTUnwrap(reply.key(id: names[0], names[1], names[2]), reply.text)
      client.cloud.faults.clockOffset = .zero
      let cos = try await storage(.cos, of: client, with: key).send(.get)
      XCTAssertEqual(cos.status, 200)
      XCTAssertEqual(client.cloud.cosAppServer, client.cloud.servicesURL + Self.cosPath)
    }
  }

  func testUnauthenticatedAppIsRejectedInBothFormats() async throws {
    var configuration = configuration
    configuration.services.appToken = Secret("login")
    try await withServices(configuration) { client in
      for headers in [[:], ["Authorization": "Bearer other"], ["Authorization": "login"]] {
        let oss = try await client.send(client.call(.get, Self.ossPath, headers: headers))
        XCTAssertEqual(oss.status, 401)
        XCTAssertEqual(oss.json("StatusCode"), "401")
        XCTAssertEqual(oss.json("ErrorCode"), "Unauthorized")
        XCTAssertNotNil(oss.json("ErrorMessage"))
        XCTAssertNil(oss.json("AccessKeyId"))
        let cos = try await client.send(client.call(.get, Self.cosPath, headers: headers))
        XCTAssertEqual(cos.status, 401)
        XCTAssertEqual(cos.json("code"), "401")
        XCTAssertEqual(cos.json("codeDesc"), "Unauthorized")
        XCTAssertNotNil(cos.json("message"))
      }
      for path in [Self.ossPath, Self.cosPath] {
        let reply = try await client.send(client.call(.get, path, headers: ["Authorization": "Bearer login"]))
        XCTAssertEqual(reply.status, 200)
      }
      let statistics = client.cloud.statistics[.appServer]
      XCTAssertEqual(statistics.unsigned, 2)
      XCTAssertEqual(statistics.refused, ["Unauthorized": 6])
    }
  }

  func testOtherMethodsAndMissingRolesAreRejected() async throws {
    var configuration = configuration
    configuration.services.roles = [.alibaba]
    try await withServices(configuration) { client in
      let method = try await client.send(client.call(.delete, Self.ossPath))
      XCTAssertEqual(method.status, 405)
      let role = try await client.send(client.call(.get, Self.cosPath))
      XCTAssertEqual(role.status, 404)
      XCTAssertEqual(role.json("codeDesc"), "EntityNotExist.Role")
    }
  }

  func testInvalidServiceSettingsAreRejectedAtStartup() async throws {
    let changes: [(inout LocalCloud.Services) -> Void] = [
      { $0.port = 70_000 }, { $0.roles = [.init("photos")] }, { $0.roles = [.alibaba, .alibaba] },
      { $0.roles = [.init("acs:ram::1:role/a", maximumDuration: .zero)] }, { $0.tokenLifetime = .milliseconds(1) },
    ]
    for change in changes {
      var configuration = configuration
      change(&configuration.services)
      do {
        let cloud = try await LocalCloud.start(configuration)
        await cloud.stop()
        XCTFail("the server started with an invalid setting")
      } catch let error as LocalCloudError {
        XCTAssertFalse(error.description.isEmpty)
      }
    }
  }
}
