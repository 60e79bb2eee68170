// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the local Node API: authentication, access keys, file operations, injected faults and persistence.
final class NodeAPITests: AsperaTestCase {
  // matrix: Aspera Node (basic): verify
  func testNodeUserAndAccessKeyAuthenticateWithBasic() async throws {
    try await withNode { cloud, client in
      let info = try await client.get("/info").value
      XCTAssertEqual(info["transfer_user"]?.string, "xfer")
      XCTAssertEqual(info["settings"]?[0]?["value"]?.string, cloud.transferHostKey.description)
      let user = NodeClient(cloud, basic: "node-user", "node-password")
      let status = try await user.get("/info").status
      XCTAssertEqual(status, 200)
    }
  }

  // matrix: Aspera Node (basic): bad input
  func testUnknownCredentialsAreRejectedWithAJSONError() async throws {
    try await withNode { cloud, _ in
      let wrong: [[String: String]] = [
        [:], ["Authorization": "Basic"], ["Authorization": "Basic %%%"], ["Authorization": "Digest x"],
        ["Authorization": "Basic " + base64("test-id")],
        ["Authorization": basicAuthorization("test-id", "wrong")],
        ["Authorization": basicAuthorization("test-id", "")],
        ["Authorization": basicAuthorization("node-user", "test-secret")],
        ["Authorization": basicAuthorization("nobody", "test-secret")],
        ["Authorization": basicAuthorization("xfer", "xfer-password")],
        ["Authorization": "Bearer eJw"], ["Authorization": "Bearer eJw", "X-Aspera-AccessKey": "test-id"],
      ]
      for headers in wrong {
        for path in ["/info", "/access_keys/self", "/nowhere"] {
          let reply = try await NodeClient(cloud, headers: headers).get(path)
          XCTAssertEqual(reply.status, 401, "\(headers)")
          let error = try reply.value["error"]
          XCTAssertEqual(error?["code"]?.integer, 401)
          XCTAssertEqual(error?["reason"]?.string, "Unauthorized")
          XCTAssertNotNil(error?["user_message"]?.string)
        }
      }
      XCTAssertEqual(cloud.statistics[.node].refused["401"], wrong.count * 3)
      XCTAssertEqual(cloud.statistics[.node].unsigned, 3)
    }
  }

  // matrix: Aspera Node (bearer): verify
  // matrix: Aspera Node (bearer): expiry
  func testBearerTokenIsAcceptedOnlyBeforeExpirationAndWithTheKeysSignature() async throws {
    try await withNode { [self] cloud, client in
      let key = try bearerKey()
      let foreign = try bearerKey()
      func status(_ token: String, _ accessKey: String = "test-id") async throws -> Int {
        let headers = ["Authorization": "Bearer \(token)", "X-Aspera-AccessKey": accessKey]
        return try await NodeClient(cloud, headers: headers).post(
          "/public_keys", ["public_key": .string("ssh-ed25519 " + base64("key"))]
        ).status
      }
      let token = try bearer(key)
      var answer = try await status(token)
      XCTAssertEqual(answer, 401, "the access key has no token_verification_key yet")
      let put = try await client.put("/access_keys/self", ["token_verification_key": .string(key.publicKeyPEM)])
      XCTAssertEqual(put.status, 204)
      let set = try await client.get("/access_keys/self").value["token_verification_key"]?.string
      XCTAssertEqual(set, key.publicKeyPEM)
      answer = try await status(token)
      XCTAssertEqual(answer, 201)
      answer = try await status(bearer(foreign))
      XCTAssertEqual(answer, 401, "signed with another key")
      answer = try await status(bearer(key, accessKey: "other"))
      XCTAssertEqual(answer, 401, "the scope names another access key")
      answer = try await status(token, "node-user")
      XCTAssertEqual(answer, 401)
      clock.advance(by: .seconds(60))
      answer = try await status(token)
      XCTAssertEqual(answer, 401, "expired")
    }
  }

  // matrix: Aspera Node (bearer): bad input
  func testCallsWithBasicAloneRefuseABearerToken() async throws {
    var configuration = configuration
    configuration.aspera.infoAcceptsBearer = false
    try await withNode(configuration) { [self] cloud, client in
      let bearer = try await bearerClients(client)("mia", [], NodeScope.admin)
      var replies: [(String, Reply)] = []
      for path in [
        "/info", "/ping", "/access_keys", "/access_keys/self", "/access_keys/test-id", "/files/%2Fa/contents",
      ] {
        replies.append((path, try await bearer.get(path)))
      }
      for path in [
        "browse", "upload_setup", "download_setup", "create", "delete", "rename", "page", "search", "info", "du",
      ].map({ "/files/\($0)" }) {
        replies.append((path, try await bearer.post(path, ["path": "/", "paths": [["path": "/made"]]])))
      }
      replies.append(("PUT", try await bearer.put("/access_keys/self", ["token_verification_key": .null])))
      for (path, reply) in replies {
        XCTAssertEqual(reply.status, 401, path)
        let error = try reply.value["error"]
        XCTAssertEqual(error?["code"]?.integer, 401, path)
        XCTAssertEqual(error?["reason"]?.string, "Unauthorized", path)
        XCTAssertTrue(try XCTUnwrap(error?["user_message"]?.string).contains("Basic"), path)
      }
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [])
      let own = try await client.get("/access_keys/self").value
      XCTAssertNotNil(own["token_verification_key"]?.string)
    }
  }

  func testInfoAndTransportParametersAcceptABearerTokenByDefault() async throws {
    try await withNode { [self] cloud, client in
      let bearer = try await bearerClients(client)("mia", [], NodeScope.user)
      let info = try await bearer.get("/info").value
      XCTAssertEqual(info["transfer_user"], "xfer")
      let spec = try await bearer.setup("download_setup", ["paths": [["source": "/"]]])
      XCTAssertEqual(spec?["remote_host"], "127.0.0.1")
      XCTAssertEqual(spec?["remote_user"], "xfer")
      XCTAssertEqual(spec?["ssh_port"]?.integer, cloud.transferPort)
      XCTAssertEqual(spec?["fasp_port"]?.integer, cloud.transferPort)
      XCTAssertNil(spec?["token"], "a bearer token is not exchanged for another one")
      let other = try await bearer.post("/files/upload_setup", ["transfer_requests": []]).status
      XCTAssertEqual(other, 401)
      XCTAssertEqual(cloud.statistics[.node].issued, 0)
    }
  }

  func testPingNeedsNoAuthorizationButRefusesAWrongOne() async throws {
    try await withNode { cloud, client in
      let anonymous = try await NodeClient(cloud, headers: [:]).get("/ping")
      XCTAssertEqual(anonymous.status, 200)
      XCTAssertEqual(anonymous.body, [])
      let known = try await client.get("/ping").status
      XCTAssertEqual(known, 200)
      let wrong = try await NodeClient(cloud, basic: "test-id", "wrong").get("/ping").status
      XCTAssertEqual(wrong, 401)
    }
  }

  func testAccessKeyListsOnlyItselfAndNodeUserListsAll() async throws {
    var configuration = configuration
    configuration.aspera.accessKeys = [.init(id: "second", secret: Secret("second-secret"))]
    try await withNode(configuration) { cloud, client in
      let own = try await client.get("/access_keys").value.array?.compactMap { $0["id"]?.string }
      XCTAssertEqual(own, ["test-id"])
      let all = try await NodeClient(cloud, basic: "node-user", "node-password").get("/access_keys").value
      XCTAssertEqual(all.array?.compactMap { $0["id"]?.string }, ["test-id", "second"])
      XCTAssertFalse(String(decoding: all.serialized, as: UTF8.self).contains("secret"))
      let foreign = try await client.put("/access_keys/second", ["token_verification_key": "x"]).status
      XCTAssertEqual(foreign, 403)
      let unknown = try await client.get("/access_keys/nobody").status
      XCTAssertEqual(unknown, 404)
      let noKey = try await client.put("/access_keys/self", ["token_verification_key": "no PEM"]).status
      XCTAssertEqual(noKey, 400)
    }
  }

  func testAccessKeyWhoseFolderCannotBeCreatedIsNotKept() async throws {
    try await withNode { cloud, client in
      _ = try await client.post("/files/create", ["paths": [["path": "/file", "type": "file"]]])
      let user = NodeClient(cloud, basic: "node-user", "node-password")
      func create(in path: String) async throws -> Int {
        let storage: JSONValue = ["type": "local", "path": .string(path)]
        return Int(try await user.post("/access_keys", ["id": "new", "secret": "s", "storage": storage]).status)
      }
      let refused = try await create(in: "/file/root")
      XCTAssertEqual(refused, 400)
      let kept = try await user.get("/access_keys/new").status
      XCTAssertEqual(kept, 404)
      let repeated = try await create(in: "/root")
      XCTAssertEqual(repeated, 200)
    }
  }

  func testFoldersAreCreatedListedInPagesMovedAndDeleted() async throws {
    try await withNode { _, client in
      let made = try await client.post(
        "/files/create",
        [
          "paths": [
            ["path": "/photos", "type": "directory"], ["path": "/photos/b"], ["path": "/photos/a"],
            ["path": "/photos/\u{e4}"], ["path": "/photos"], ["path": "/missing/x"], ["path": "/../x"], [:],
            ["path": "/pipe", "type": "fifo"], ["path": "/photos/../\u{301}x"],
          ]
        ])
      XCTAssertEqual(made.status, 200)
      let errors = try made.value["paths"]?.array?.map { $0["error"]?["code"]?.integer }
      XCTAssertEqual(errors, [nil, nil, nil, nil, 409, 404, 400, 400, 400, 400])
      let page = try await client.post("/files/browse", ["path": "/photos", "skip": 1, "count": 1]).value
      XCTAssertEqual(page["total_count"]?.integer, 3)
      XCTAssertEqual(page["item_count"]?.integer, 1)
      let item = page["items"]?[0]
      XCTAssertEqual(item?["path"]?.string, "/photos/b")
      XCTAssertEqual(item?["basename"]?.string, "b")
      XCTAssertEqual(item?["type"]?.string, "directory")
      XCTAssertEqual(item?["mtime"]?.string, "2026-11-20T08:00:00Z")
      let moved = try await client.post(
        "/files/rename", ["paths": [["path": "/", "source": "photos", "destination": "pictures"]]])
      XCTAssertNil(try moved.value["paths"]?[0]?["error"])
      var names = try await client.names(in: "/pictures")
      XCTAssertEqual(names, ["/pictures/a", "/pictures/b", "/pictures/\u{e4}"])
      let deleted = try await client.post(
        "/files/delete", ["paths": [["path": "/pictures/a"], ["path": "/photos"], ["path": "/"]]])
      XCTAssertEqual(
        try deleted.value["paths"]?.array?.map { $0["error"]?["code"]?.integer }, [nil, 404, 400])
      names = try await client.names(in: "/pictures")
      XCTAssertEqual(names, ["/pictures/b", "/pictures/\u{e4}"])
      _ = try await client.post("/files/delete", ["paths": [["path": "/pictures"]]])
      names = try await client.names(in: "/")
      XCTAssertEqual(names, [])
    }
  }

  // matrix: Aspera Node (basic): atomicity
  func testRejectedCallChangesNoFiles() async throws {
    try await withNode { cloud, client in
      _ = try await client.post("/files/create", ["paths": [["path": "/kept"]]])
      for name in ["browse", "create", "delete", "rename", "upload_setup", "download_setup"] {
        let reply = try await client.post("/files/\(name)", ["path": "/../..", "nothing": true])
        XCTAssertEqual(reply.status, 400, name)
      }
      let missing = try await client.post("/files/browse", ["path": "/nowhere"])
      XCTAssertEqual(missing.status, 404)
      XCTAssertEqual(try missing.value["error"]?["code"]?.integer, 404)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/kept"])
      XCTAssertEqual(cloud.statistics[.node].issued, 0)
    }
  }

  func testInjectedFaultsReturnErrorsInTheNodesFormat() async throws {
    try await withNode { cloud, client in
      cloud.faults[.node] = [.serverError(status: 503, .first(1))]
      let refused = try await client.get("/info")
      XCTAssertEqual(refused.status, 503)
      XCTAssertEqual(try refused.value["error"]?["code"]?.integer, 503)
      let taken = try await client.get("/info")
      XCTAssertEqual(taken.status, 200)
      XCTAssertEqual(cloud.statistics[.node].faults, 1)
      XCTAssertEqual(cloud.statistics[.node].refused, [:])
    }
  }

  func testFilesAndFoldersPersistWhenADirectoryIsReopened() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    try await withNode(configuration) { _, client in
      _ = try await client.post("/files/create", ["paths": [["path": "/kept"]]])
    }
    try await withNode(configuration) { _, client in
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/kept"])
    }
  }
}
