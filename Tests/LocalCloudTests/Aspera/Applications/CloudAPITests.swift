// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the simulated API of Aspera on Cloud.
final class CloudAPITests: GrantTestCase {
  func testClientFindsItsNodeThroughItsDefaultWorkspace() async throws {
    try await withApplications { cloud in
      let token = try await token(cloud, .onCloud, scope: "user:all")
      let api = "\(cloud.asperaOnCloudURL)/api/v1"
      let user = try await call("\(api)/self", token).value
      XCTAssertEqual(user["email"], "mia@example.com")
      XCTAssertEqual(user["name"], "Mia")
      let id = try XCTUnwrap(user["default_workspace_id"]?.string)
      let workspace = try await call("\(api)/workspaces/\(id)", token).value
      XCTAssertEqual(workspace["name"], "Default")
      let nodeID = try XCTUnwrap(workspace["home_node_id"]?.string)
      let node = try await call("\(api)/nodes/\(nodeID)", token).value
      XCTAssertEqual(node["url"]?.string, cloud.nodeURL)
      XCTAssertEqual(node["access_key"], "test-id")
    }
  }

  func testWorkspacesAreFoundByName() async throws {
    try await withApplications { cloud in
      let token = try await token(cloud, .onCloud)
      for (query, names) in [
        ("", ["Default", "Film"]), ("?q=fil", ["Film"]), ("?name=FILM", ["Film"]), ("?name=Fil", []), ("?page=2", []),
      ] {
        let reply = try await call("\(cloud.asperaOnCloudURL)/api/v1/workspaces\(query)", token)
        XCTAssertEqual(try reply.value.array?.compactMap { $0["name"]?.string }, names, query)
        if !query.contains("page") { XCTAssertEqual(reply.header("X-Total-Count"), "\(names.count)") }
      }
    }
  }

  func testTokenForANodeIsOneOfTheNode() async throws {
    try await withApplications { cloud in
      let text = try await token(cloud, .onCloud, scope: "node.test-id:admin:all")
      let token = try NodeBearerToken(Secret(text))
      try token.verify(with: Self.nodeKey.get().publicKeyPEM)
      XCTAssertEqual(token.claims.scope, NodeScope(accessKey: "test-id", role: NodeScope.admin))
      XCTAssertEqual(token.claims.userID, "1")
      XCTAssertEqual(token.claims.expiration, clock.now.advanced(by: .seconds(3_600)))
      let node = NodeClient(cloud)
      let key = try await node.get("/access_keys/test-id").value["token_verification_key"]
      XCTAssertEqual(key?.string, try Self.nodeKey.get().publicKeyPEM)
      for scope in ["node.other:user:all", "node.test-id:all", "root"] {
        let reply = try await request(cloud, .onCloud, assertion(claims(.onCloud)), scope: scope)
        XCTAssertEqual(try reply.value["error"], "invalid_scope", scope)
      }
    }
  }

  func testRequestsWithoutAValidTokenAreRefused() async throws {
    try await withApplications(.init(tokenLifetime: .seconds(60))) { cloud in
      let token = try await token(cloud, .onCloud)
      let node = try await self.token(cloud, .onCloud, scope: "node.test-id:user:all")
      let faspex = try await self.token(cloud, .faspex)
      let url = "\(cloud.asperaOnCloudURL)/api/v1/self"
      for wrong in [node, faspex, "wrong", ""] {
        let reply = try await call(url, wrong)
        XCTAssertEqual(reply.status, 401, reply.text)
        XCTAssertEqual(try reply.value["code"], "unauthorized")
      }
      let last = try await call(url, token).status
      XCTAssertEqual(last, 200)
      for path in ["workspaces/3", "workspaces/-9223372036854775808", "nodes/2", "users", "self/x", "self/oauth2"] {
        let reply = try await call("\(cloud.asperaOnCloudURL)/api/v1/\(path)", token)
        XCTAssertEqual(try reply.value["code"], "not_found", path)
      }
      clock.advance(by: .seconds(60))
      let expired = try await call(url, token).status
      XCTAssertEqual(expired, 401)
    }
  }

  func testServerWithoutApplicationsHasNoPaths() async throws {
    try await withNode { cloud, _ in
      for url in ["\(cloud.asperaOnCloudURL)/api/v1/self", "\(cloud.faspexURL)/api/v5/packages"] {
        let status = try await call(url, "token").status
        XCTAssertEqual(status, 404)
      }
    }
  }
}
