// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests permissions of the local Node API, and what they mean for the users of bearer tokens.
final class NodePermissionTests: AsperaTestCase {
  // matrix: Aspera Node (bearer): verify
  func testUserHasOnlyTheAccessLevelsOfPermissions() async throws {
    try await withNode { [self] _, client in
      let users = try await bearerClients(client)
      let (folder, other) = try await (client.create("a", in: "1"), client.create("b", in: "1"))
      let file = try await client.create("f", "file", in: folder, "1")
      let mia = try users("mia", ["staff"], NodeScope.user)
      for path in ["/files/1", "/files/\(file)", "/permissions", "/files/404"] {
        let reply = try await mia.get(path)
        XCTAssertEqual(reply.status, 403, path)
        XCTAssertEqual(try reply.value["error"]?["code"], 403)
        XCTAssertEqual(try reply.value["error"]?["reason"], "Forbidden")
      }
      func statuses(_ client: NodeClient) async throws -> [Int] {
        let document: JSONValue = ["name": .string("n\(Int.random(in: 0 ..< .max))"), "type": "file"]
        let folderDocument: JSONValue = ["name": .string("n\(Int.random(in: 0 ..< .max))"), "type": "folder"]
        return try await [
          client.get("/files/\(folder)/files").status, client.get("/files/\(file)/content").status,
          client.post("/files/\(folder)/files", document).status,
          client.post("/files/\(folder)/files", folderDocument).status,
          client.put("/files/\(file)", ["name": "f"]).status, client.delete("/files/\(file)").status,
        ].map { Int($0) }
      }
      for (level, allowed) in [("list", 0), ("read", 1), ("write", 2), ("mkdir", 3), ("rename", 4)] {
        let type = level == "read" ? "group" : "user"
        let id = try await client.permit(type == "user" ? "mia" : "staff", on: folder, [level], type: type)
        let answers = try await statuses(mia)
        for (index, answer) in answers.enumerated() {
          XCTAssertEqual(answer == 403, index != allowed, "\(level): \(answers)")
        }
        let foreign = try await mia.get("/files/\(other)").status
        XCTAssertEqual(foreign, 403, "the permission is for another folder")
        let above = try await mia.get("/files/1").status
        XCTAssertEqual(above, 403, "the permission is for a folder below")
        let deleted = try await client.delete("/permissions/\(XCTUnwrap(id))").status
        XCTAssertEqual(deleted, 200)
      }
      try await client.permit("mia", on: folder, ["delete"])
      let stranger = try await statuses(users("someone", ["staff"], NodeScope.user))
      XCTAssertEqual(stranger, Array(repeating: 403, count: 6))
      let administrator = try await statuses(users("someone", [], NodeScope.admin))
      XCTAssertEqual(administrator, [200, 200, 200, 200, 204, 204])
    }
  }

  func testUserSeesNoPathsAndItsOwnAccessLevels() async throws {
    try await withNode { [self] _, client in
      let users = try await bearerClients(client)
      let folder = try await client.create("a", in: "1")
      let file = try await client.create("f", "file", in: folder, "1")
      try await client.permit("mia", on: folder, ["list"])
      try await client.permit("mia", on: file, ["read", "list"])
      let mia = try users("mia", [], NodeScope.user)
      let listed = try await mia.get("/files/\(folder)/files").value
      XCTAssertEqual(listed[0]?["access_levels"], ["list", "read"])
      XCTAssertNil(listed[0]?["path"])
      let own = try await mia.get("/files/\(folder)").value
      XCTAssertEqual(own["access_levels"], ["list"])
      XCTAssertEqual(own["access_level"], "view")
    }
  }

  func testConfiguredPermissionsApplyFromTheStart() async throws {
    let key = try bearerKey()
    var configuration = configuration
    configuration.aspera.accessKeys = [
      .init(
        id: "ak", secret: Secret("s"), tokenVerificationKey: key.publicKeyPEM, path: "/root",
        permissions: [.init(.user("mia")), .init(.group("staff"), levels: [.list], path: "/in")])
    ]
    try await withNode(configuration) { [self] cloud, _ in
      func client(_ user: String, _ groups: [String]) throws -> NodeClient {
        let token = try bearer(key, accessKey: "ak", user: user, groups: groups)
        return NodeClient(cloud, headers: ["Authorization": "Bearer \(token)", "X-Aspera-AccessKey": "ak"])
      }
      let mia = try client("mia", [])
      let accessKey = try await mia.get("/self").value
      let root = try XCTUnwrap(accessKey["root_file_id"]?.string)
      let listed = try await mia.get("/files/\(root)/files").value
      XCTAssertEqual(listed.array?.map { $0["name"]?.string }, ["in"])
      let staff = try client("x", ["other", "staff"])
      let folder = try XCTUnwrap(listed[0]?["id"]?.string)
      let allowed = try await staff.get("/files/\(folder)/files").status
      XCTAssertEqual(allowed, 200)
      let refused = try await staff.get("/files/\(root)/files").status
      XCTAssertEqual(refused, 403)
    }
  }

  func testPermissionsAreListedShownChangedAndDeleted() async throws {
    try await withNode { [self] _, client in
      let folder = try await client.create("a", in: "1")
      let made = try await client.post(
        "/permissions",
        [
          "file_id": .string(folder), "access_type": "user", "access_id": "mia", "access_levels": ["list", "read"],
          "tags": ["own": 1],
        ])
      XCTAssertEqual(made.status, 200)
      let expected: JSONValue = [
        "id": "1", "file_id": .string(folder), "access_type": "user", "access_id": "mia",
        "access_levels": ["list", "read"], "access_level": "view", "tags": ["own": 1],
        "created_by_id": "ASPERA_ACCESS_KEY_ADMIN", "created_at": "2026-11-20T08:00:00Z",
        "last_updated_by_id": "ASPERA_ACCESS_KEY_ADMIN", "last_updated_at": "2026-11-20T08:00:00Z",
      ]
      XCTAssertEqual(try made.value, expected)
      let shown = try await client.get("/permissions/1").value
      XCTAssertEqual(shown, expected)
      let twice = try await client.post(
        "/permissions",
        ["file_id": .string(folder), "access_type": "user", "access_id": "mia", "access_levels": ["write"]])
      XCTAssertEqual(twice.status, 409)
      try await client.permit("staff", on: "1", ["write"], type: "group")
      for (query, ids) in [
        ("", ["1", "2"]), ("?file_id=\(folder)", ["1", "2"]), ("?file_id=\(folder)&inherited=false", ["1"]),
        ("?file_id=1", ["2"]), ("?access_type=group", ["2"]), ("?access_type=user&access_id=mia", ["1"]),
        ("?access_id=staff", ["2"]), ("?access_levels[]=list&access_levels[]=read", ["1"]),
        ("?access_level=edit", ["2"]), ("?created_by_id=x", []), ("?page=2&per_page=1", ["2"]),
        ("?include[]=access_level&include[]=permission_count", ["1", "2"]),
      ] {
        let reply = try await client.get("/permissions\(query)")
        XCTAssertEqual(try reply.value.array?.compactMap { $0["id"]?.string }, ids, query)
      }
      for query in ["page=1", "access_type=all", "access_levels[]=all", "inherited=1&file_id=1"] {
        let status = try await client.get("/permissions?\(query)").status
        XCTAssertEqual(status, 400, query)
      }
      let embedded = try await client.get("/permissions/1?embed[]=file").value
      XCTAssertEqual(embedded["file"]?["name"], "a")
      clock.advance(by: .seconds(5))
      let changed = try await client.put("/permissions/1", ["access_levels": ["delete"]])
      XCTAssertEqual(changed.status, 200)
      XCTAssertEqual(try changed.value["access_levels"], ["delete"])
      XCTAssertEqual(try changed.value["last_updated_at"], "2026-11-20T08:00:05Z")
      _ = try await client.delete("/files/\(folder)")
      let ended = try await client.get("/permissions/1").status
      XCTAssertEqual(ended, 404, "a permission ends with its file")
      let removed = try await client.delete("/permissions/2").status
      XCTAssertEqual(removed, 200)
      let left = try await client.get("/permissions").value
      XCTAssertEqual(left, [])
    }
  }

  // matrix: Aspera Node (bearer): bad input
  func testUserCannotGrantMoreThanItHas() async throws {
    try await withNode { [self] _, client in
      let users = try await bearerClients(client)
      let folder = try await client.create("a", in: "1")
      let permissions = try await [
        client.permit("mia", on: folder, ["list", "read"]), client.permit("tom", on: "1", ["list"]),
      ]
      let (mias, toms) = (try XCTUnwrap(permissions[0]), try XCTUnwrap(permissions[1]))
      let mia = try users("mia", [], NodeScope.user)
      func create(_ levels: JSONValue, _ file: String = folder) async throws -> Int {
        Int(
          try await mia.post(
            "/permissions",
            ["file_id": .string(file), "access_type": "user", "access_id": "eve", "access_levels": levels]
          ).status)
      }
      let more = try await create(["list", "write"])
      XCTAssertEqual(more, 403)
      let elsewhere = try await create(["list"], "1")
      XCTAssertEqual(elsewhere, 403)
      let own = try await create(["list"])
      XCTAssertEqual(own, 200)
      let raised = try await mia.put("/permissions/\(mias)", ["access_levels": ["write"]]).status
      XCTAssertEqual(raised, 403)
      for reply in try await [
        mia.get("/permissions/\(toms)"), mia.put("/permissions/\(toms)", ["access_levels": ["list"]]),
        mia.delete("/permissions/\(toms)"),
      ] {
        XCTAssertEqual(reply.status, 403)
      }
      let seen = try await mia.get("/permissions").value.array?.compactMap { $0["access_id"]?.string }
      XCTAssertEqual(seen, ["mia", "eve"])
      let all = try await users("tom", [], NodeScope.user).get("/permissions").value.array?.count
      XCTAssertEqual(all, 3, "a user with a permission on the root sees all permissions")
    }
  }

  func testMalformedAndTooManyPermissionsAreRefused() async throws {
    try await withNode { cloud, client in
      for document in [
        [:], ["file_id": "1", "access_type": "user", "access_id": "x"],
        ["file_id": "1", "access_type": "user", "access_id": "x", "access_levels": []],
        ["file_id": "1", "access_type": "user", "access_id": "x", "access_levels": ["all"]],
        ["file_id": "1", "access_type": "all", "access_id": "x", "access_levels": ["list"]],
        ["file_id": "1", "access_type": "user", "access_id": "", "access_levels": ["list"]],
        ["file_id": "1", "access_type": "user", "access_id": "x", "access_levels": ["list"], "tags": "x"],
        [
          "file_id": "1", "access_type": "user", "access_id": "x", "access_levels": ["list"],
          "tags": ["a": .string(String(repeating: "x", count: 20_000))],
        ],
        [
          "file_id": "1", "access_type": "user", "access_id": .string(String(repeating: "x", count: 256)),
          "access_levels": ["list"],
        ],
      ] as [JSONValue] {
        let status = try await client.post("/permissions", document).status
        XCTAssertEqual(status, 400, "\(document)")
      }
      let unknown = try await client.post(
        "/permissions", ["file_id": "77", "access_type": "user", "access_id": "x", "access_levels": ["list"]])
      XCTAssertEqual(unknown.status, 404)
      let user = try await NodeClient(cloud, basic: "node-user", "node-password").get("/permissions").status
      XCTAssertEqual(user, 403)
      for number in 0..<1_000 { try await client.permit("u\(number)", on: "1", ["list"]) }
      let full = try await client.post(
        "/permissions", ["file_id": "1", "access_type": "user", "access_id": "x", "access_levels": ["list"]])
      XCTAssertEqual(full.status, 400)
    }
  }
}
