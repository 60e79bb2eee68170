// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests cross-origin requests (CORS) from allowed and other origins.
final class CrossOriginTests: CloudTestCase {
  private static let page = "http://127.0.0.1:8000"

  private func configuration(allowing origins: [String]) -> LocalCloud.Configuration {
    var configuration = configuration
    configuration.allowedOrigins = origins
    return configuration
  }

  private func preflight(_ client: TestClient, origin: String?, method: String? = "POST") async throws -> Reply {
    var headers = ["Access-Control-Request-Headers": "content-type"]
    headers["Origin"] = origin
    headers["Access-Control-Request-Method"] = method
    return try await client.send(client.request(.options, headers: headers))
  }

  func testPageOfAnAllowedOriginMayPostAndReadTheResponse() async throws {
    try await withEachService(configuration(allowing: [Self.page])) { client in
      let asked = try await preflight(client, origin: Self.page)
      XCTAssertEqual(asked.status, 200)
      XCTAssertEqual(asked.header("access-control-allow-origin"), Self.page)
      XCTAssertEqual(asked.header("access-control-allow-headers"), "content-type")
      XCTAssertEqual(asked.header("access-control-allow-methods")?.contains("POST"), true)
      XCTAssertEqual(asked.header("vary"), "Origin")
      let form = try client.form(client.formSigners[0], client.policy())
      for (file, status) in [([1], 204), ([], 400)] as [([UInt8], Int)] {
        let reply = try await client.post(FormBody(form, file: file), headers: ["Origin": Self.page])
        XCTAssertEqual(reply.status, status)
        XCTAssertEqual(reply.header("access-control-allow-origin"), Self.page)
        XCTAssertEqual(reply.header("access-control-expose-headers")?.contains("ETag"), true)
      }
    }
  }

  func testOtherOriginsReceiveNoCORSHeaders() async throws {
    for origins in [[], [Self.page], ["\(Self.page)1"]] {
      try await withEachService(configuration(allowing: origins)) { client in
        for origin in ["http://evil.example", "null", "http://127.0.0.1:80"] {
          let asked = try await preflight(client, origin: origin)
          XCTAssertEqual(asked.status, 403)
          XCTAssertEqual(try asked.errorCode, "AccessForbidden")
          let get = try await client.send(client.request(.get, "a", headers: ["Origin": origin]))
          XCTAssertNil(get.header("access-control-allow-origin"))
          XCTAssertNil(asked.header("access-control-allow-origin"))
        }
        for (origin, method) in [(nil, "POST"), (Self.page, nil), (Self.page, "PATCH")] as [(String?, String?)] {
          let asked = try await preflight(client, origin: origin, method: method)
          let isUnclear = client.provider == .s3 && origin == nil
          XCTAssertEqual(asked.status, isUnclear ? 400 : 403)
          XCTAssertEqual(try asked.errorCode, isUnclear ? "BadRequest" : "AccessForbidden")
        }
      }
    }
  }

  func testAsteriskAllowsEveryOrigin() async throws {
    try await withEachService(configuration(allowing: ["*"])) { client in
      let asked = try await preflight(client, origin: "http://anything.example")
      XCTAssertEqual(asked.status, 200)
      XCTAssertEqual(asked.header("access-control-allow-origin"), "*")
    }
  }
}
