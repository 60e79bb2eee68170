// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the calls of the local Node API that name files by their IDs.
final class NodeFileTests: AsperaTestCase {
  func testFilesFoldersAndLinksAreCreatedDescribedAndReadByID() async throws {
    try await withNode { _, client in
      let root = try await client.get("/access_keys/self").value["root_file_id"]?.string
      XCTAssertEqual(root, "1")
      let accessKey = try await client.get("/self").value
      XCTAssertEqual(accessKey["id"], "test-id")
      XCTAssertEqual(accessKey["root_file_id"], "1")
      let folder = try await client.create("in", in: "1")
      let file = try await client.create("a.txt", "file", in: folder, "hello")
      let empty = try await client.create("empty", "file", in: folder)
      let link = try await client.post(
        "/files/\(folder)/files",
        ["name": "l", "type": "link", "target_id": .string(file), "target_node_id": "node"])
      XCTAssertEqual(link.status, 200)

      let described = try await client.get("/files/\(file)").value
      XCTAssertEqual(
        described,
        [
          "id": .string(file), "name": "a.txt", "path": "/in/a.txt", "size": 5, "type": "file",
          "modified_time": "2026-11-20T08:00:00Z",
          "access_levels": ["list", "read", "write", "delete", "mkdir", "rename", "preview"], "access_level": "edit",
        ])
      let listed = try await client.get("/files/\(folder)/files").value
      XCTAssertEqual(listed.array?.map { $0["type"]?.string }, ["file", "file", "link"])
      XCTAssertEqual(listed[2]?["target_id"]?.string, file)
      XCTAssertEqual(listed[2]?["target_node_id"]?.string, "node")
      let own = try await client.get("/files/\(folder)").value
      XCTAssertNil(own["size"])
      let content = try await client.get("/files/\(file)/content")
      XCTAssertEqual(content.body, Array("hello".utf8))
      let nothing = try await client.get("/files/\(empty)/content")
      XCTAssertEqual(nothing.status, 200)
      XCTAssertEqual(nothing.body, [])
      for id in [folder, try XCTUnwrap(listed[2]?["id"]?.string)] {
        let refused = try await client.get("/files/\(id)/content").status
        XCTAssertEqual(refused, 400)
      }
    }
  }

  func testIDSurvivesRenamesAndReplacementsAndEndsWithTheFile() async throws {
    try await withNode { _, client in
      let folder = try await client.create("a", in: "1")
      let file = try await client.create("f", "file", in: folder, "1")
      let renamed = try await client.put("/files/\(folder)", ["name": "b"])
      XCTAssertEqual(renamed.status, 204)
      let path = try await client.get("/files/\(file)").value["path"]?.string
      XCTAssertEqual(path, "/b/f")
      let moved = try await client.post(
        "/files/rename", ["paths": [["path": "/", "source": "b/f", "destination": "g"]]])
      XCTAssertNil(try moved.value["paths"]?[0]?["error"])
      let now = try await client.get("/files/\(file)").value["path"]?.string
      XCTAssertEqual(now, "/g")
      let deleted = try await client.delete("/files/\(file)")
      XCTAssertEqual(deleted.status, 204)
      let again = try await client.create("g", "file", in: "1", "2")
      XCTAssertNotEqual(again, file)
      let gone = try await client.get("/files/\(file)").status
      XCTAssertEqual(gone, 404)
      let inner = try await client.create("inner", "file", in: folder, "3")
      let background = try await client.delete("/files/\(folder)", ["Accept-Version": "4.0"])
      XCTAssertEqual(background.status, 202)
      XCTAssertEqual(try background.value["status"], "complete")
      let innerGone = try await client.get("/files/\(inner)").status
      XCTAssertEqual(innerGone, 404)
    }
  }

  // matrix: Aspera Node (basic): bad input
  func testImpossibleChangesAreRefused() async throws {
    try await withNode { _, client in
      let folder = try await client.create("a", in: "1")
      let file = try await client.create("f", "file", in: folder, "1")
      func status(_ document: JSONValue, in id: String = folder) async throws -> Int {
        Int(try await client.post("/files/\(id)/files", document).status)
      }
      for (document, expected) in [
        (["name": "f", "type": "file"], 409), (["name": "f", "type": "folder"], 409), (["name": "g"], 400),
        (["type": "file"], 400), (["name": "x", "type": "pipe"], 400), (["name": "", "type": "file"], 400),
        (["name": "..", "type": "file"], 400), (["name": "a/b", "type": "file"], 400),
        (["name": "/b", "type": "file"], 400),
        (["name": .string(String(repeating: "n", count: 256)), "type": "file"], 400),
        (["name": "x", "type": "file", "contents": "%"], 400), (["name": "x", "type": "link"], 400),
        (["name": "x", "type": "folder", "mount_point": true], 400),
      ] as [(JSONValue, Int)] {
        let answer = try await status(document)
        XCTAssertEqual(answer, expected, "\(document)")
      }
      let inFile = try await status(["name": "x", "type": "file"], in: file)
      XCTAssertEqual(inFile, 400)
      for id in ["2000", "0", "-1", "01", "+1", "x", "99999999999999999999"] {
        let answer = try await client.get("/files/\(id)").status
        XCTAssertEqual(answer, 404, id)
      }
      for (id, document, expected) in [
        (file, ["name": "a/b"], 400), (file, ["name": ".."], 400), (file, [:], 400), (file, ["name": "f"], 204),
        ("1", ["name": "x"], 400), (file, ["name": 1], 400),
      ] as [(String, JSONValue, Int)] {
        let answer = try await client.put("/files/\(id)", document).status
        XCTAssertEqual(Int(answer), expected, "\(document)")
      }
      let root = try await client.delete("/files/1").status
      XCTAssertEqual(root, 400)
      let list = try await client.get("/files/\(file)/files").status
      XCTAssertEqual(list, 400)
      let names = try await client.list(folder)
      XCTAssertEqual(names, ["f"])
    }
  }

  func testDepthOfFoldersIsLimited() async throws {
    try await withNode { _, client in
      var folder = "1"
      for _ in 0..<128 { folder = try await client.create("d", in: folder) }
      let tooDeep = try await client.post("/files/\(folder)/files", ["name": "d", "type": "folder"])
      XCTAssertEqual(tooDeep.status, 400)
      _ = try await client.create("other", in: "1")
      let moved = try await client.post(
        "/files/rename", ["paths": [["path": "/", "source": "d", "destination": "other/d"]]])
      XCTAssertEqual(try moved.value["paths"]?[0]?["error"]?["code"], 400)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/d", "/other"])
    }
  }

  func testRootOfAnAccessKeyHidesAllOtherFiles() async throws {
    var configuration = configuration
    configuration.aspera.accessKeys = [
      .init(id: "tenant", secret: Secret("tenant-secret"), path: "/tenants/a")
    ]
    try await withNode(configuration) { [self] cloud, client in
      let secret = try await client.create("secret", "file", in: "1", "s")
      let tenant = NodeClient(cloud, basic: "tenant", "tenant-secret")
      let own = try await tenant.get("/access_keys/self").value
      XCTAssertEqual(own["storage"]?["path"], "/tenants/a")
      let root = try XCTUnwrap(own["root_file_id"]?.string)
      XCTAssertNotEqual(root, "1")
      let users = try await bearerClients(tenant, accessKey: "tenant")
      let administrator = try users("mia", [], NodeScope.admin)
      for outsider in [tenant, administrator] {
        for id in ["1", secret] {
          for path in ["/files/\(id)", "/files/\(id)/files", "/files/\(id)/content"] {
            let status = try await outsider.get(path).status
            XCTAssertEqual(status, 404, path)
          }
          let deleted = try await outsider.delete("/files/\(id)").status
          XCTAssertEqual(deleted, 404)
          let permission = try await outsider.post(
            "/permissions",
            ["file_id": .string(id), "access_type": "user", "access_id": "u", "access_levels": ["read"]])
          XCTAssertEqual(permission.status, 404)
        }
      }
      let file = try await administrator.create("f", "file", in: root, "f")
      let described = try await administrator.get("/files/\(file)").value
      XCTAssertEqual(described["path"], "/f")
      let names = try await tenant.names(in: "/")
      XCTAssertEqual(names, ["/f"])
      let missing = try await tenant.post("/files/browse", ["path": "/nowhere"])
      XCTAssertFalse(String(decoding: missing.body, as: UTF8.self).contains("tenants"))
      let all = try await client.names(in: "/tenants/a")
      XCTAssertEqual(all, ["/tenants/a/f"])
      let setup = try await tenant.setup("download_setup", ["paths": [["source": "/secret"]]])
      XCTAssertNil(setup)
    }
  }
}
