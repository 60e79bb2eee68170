// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the pages, filters and orders of the listings of the local Node API.
final class NodeListingTests: AsperaTestCase {
  private let version4 = ["Accept-Version": "4.0"]

  /// Creates files with the sizes 1 to 3, and a folder.
  private func fill(_ client: NodeClient) async throws {
    for (name, contents) in [("a.jpg", "111"), ("B.JPG", "1"), ("c.txt", "22")] {
      _ = try await client.create(name, "file", in: "1", contents)
      clock.advance(by: .seconds(10))
    }
    _ = try await client.create("d", in: "1")
  }

  func testVersion4ListsByIterationTokens() async throws {
    try await withNode { [self] _, client in
      try await fill(client)
      var names: [String] = []
      var token: String?
      repeat {
        let query = "?per_page=3" + (token.map { "&iteration_token=\($0)" } ?? "")
        let reply = try await client.get("/files/1/files\(query)", version4)
        XCTAssertEqual(reply.status, 200)
        XCTAssertEqual(reply.header("X-Aspera-Total-Count"), "4")
        names += try reply.value.array?.compactMap { $0["name"]?.string } ?? []
        token = reply.header("X-Aspera-Next-Iteration-Token")
        XCTAssertLessThanOrEqual(names.count, 4)
      } while token != nil && names.count <= 4
      XCTAssertEqual(names, ["B.JPG", "a.jpg", "c.txt", "d"])
      let first = try await client.get("/files/1/files?per_page=1", version4)
      let next = try XCTUnwrap(first.header("X-Aspera-Next-Iteration-Token"))
      let second = try await client.list("1", "?per_page=1", ["iteration_token": next].merging(version4) { $1 })
      XCTAssertEqual(second, ["a.jpg"])
      let matching = try await client.list("1", "?name_glob=*.txt", version4)
      XCTAssertEqual(matching, ["c.txt"])
      for query in [
        "page=1", "sort=name", "min_size=1", "max_size=1", "name_iglob=x", "target_id=1", "per_page=0",
        "per_page=10001",
        "per_page=x", "iteration_token=%25%25", "type=pipe", "per_page=1&per_page=2", "include=nonsense",
      ] {
        let status = try await client.get("/files/1/files?\(query)", version4).status
        XCTAssertEqual(status, 400, query)
      }
    }
  }

  func testPagesNeedBothNumbersAndFiltersAndOrdersApply() async throws {
    try await withNode { [self] _, client in
      try await fill(client)
      let all = try await client.list("1")
      XCTAssertEqual(all, ["B.JPG", "a.jpg", "c.txt", "d"])
      for (query, expected) in [
        ("page=1&per_page=3", ["B.JPG", "a.jpg", "c.txt"]), ("page=2&per_page=3", ["d"]), ("page=3&per_page=3", []),
        ("page=1152921504606846976&per_page=10", []), ("name=c.txt", ["c.txt"]), ("name_glob=*.jpg", ["a.jpg"]),
        ("name_iglob=*.jpg", ["B.JPG", "a.jpg"]), ("type=folder", ["d"]), ("type=link", []),
        ("min_size=1", ["a.jpg", "c.txt"]),
        ("max_size=3", ["B.JPG", "c.txt"]), ("sort=size", ["d", "B.JPG", "c.txt", "a.jpg"]),
        ("sort=type", ["B.JPG", "a.jpg", "c.txt", "d"]), ("sort=modified_time", ["a.jpg", "B.JPG", "c.txt", "d"]),
        ("min_modified_time=2026-11-20T08:00:10Z", ["c.txt", "d"]),
        ("max_modified_time=2026-11-20T08:00:10Z", ["a.jpg"]), ("target_id=7", []),
      ] {
        let reply = try await client.get("/files/1/files?\(query)")
        XCTAssertEqual(reply.status, 200, query)
        XCTAssertEqual(try reply.value.array?.compactMap { $0["name"]?.string }, expected, query)
      }
      let total = try await client.get("/files/1/files?page=2&per_page=3").header("X-Total-Count")
      XCTAssertEqual(total, "4")
      for query in [
        "page=1", "per_page=1", "page=0&per_page=1", "page=1&per_page=0", "page=-1&per_page=1", "page=1&per_page=10001",
        "sort=recursive_size", "min_modified_time=now", "max_size=x",
        "name_glob=" + String(repeating: "*a", count: 513),
      ] {
        let status = try await client.get("/files/1/files?\(query)").status
        XCTAssertEqual(status, 400, query)
      }
    }
  }

  func testRecursiveCountsAndPermissionCountsAreIncludedOnRequest() async throws {
    try await withNode { [self] _, client in
      try await fill(client)
      try await client.permit("mia", on: "1", ["list"])
      let root = try await client.get("/files/1?include=recursive_counts,permission_count").value
      XCTAssertEqual(root["recursive_file_count"], 3)
      XCTAssertEqual(root["recursive_folder_count"], 1)
      XCTAssertEqual(root["recursive_size"], 6)
      XCTAssertEqual(root["permission_count"], 1)
      let plain = try await client.get("/files/1").value
      XCTAssertNil(plain["permission_count"])
    }
  }

  func testBrowseReturnsAHundredEntriesUnlessTheRequestNamesACount() async throws {
    try await withNode { _, client in
      let paths = (0..<101).map { JSONValue.object(["path": .string("/n\($0)")]) }
      _ = try await client.post("/files/create", ["paths": .array(paths)])
      let first = try await client.post("/files/browse", ["path": "/"]).value
      XCTAssertEqual(first["item_count"], 100)
      XCTAssertEqual(first["total_count"], 101)
      XCTAssertEqual(first["items"]?.array?.count, 100)
      let rest = try await client.post("/files/browse", ["path": "/", "skip": 100]).value
      XCTAssertEqual(rest["item_count"], 1)
      let all = try await client.post("/files/browse", ["path": "/", "count": 20_000]).value
      XCTAssertEqual(all["item_count"], 101)
      for document in [["path": "/", "count": -1], ["path": "/", "skip": -1], ["path": "/", "count": "1"]]
        as [JSONValue]
      {
        let status = try await client.post("/files/browse", document).status
        XCTAssertEqual(status, 400, "\(document)")
      }
    }
  }

  func testBrowseFiltersAndSorts() async throws {
    try await withNode { [self] _, client in
      try await fill(client)
      func browse(_ more: JSONObject) async throws -> [String]? {
        var document: JSONObject = ["path": "/"]
        for (name, value) in more { document[name] = value }
        let reply = try await client.post("/files/browse", .object(document))
        guard reply.status == 200 else { return nil }
        return try reply.value["items"]?.array?.compactMap { $0["basename"]?.string }
      }
      for (more, expected) in [
        (["sort": "path"], ["a.jpg", "B.JPG", "c.txt", "d"]),
        (["sort": "path", "case_sensitive": true], ["B.JPG", "a.jpg", "c.txt", "d"]),
        (["sort": "size_a"], ["d", "B.JPG", "c.txt", "a.jpg"]), (["sort": "size_d"], ["a.jpg", "c.txt", "B.JPG", "d"]),
        (["sort": "mtime_a"], ["a.jpg", "B.JPG", "c.txt", "d"]),
        (["sort": "mtime_d"], ["d", "c.txt", "B.JPG", "a.jpg"]),
        (["sort": "type"], ["d", "B.JPG", "a.jpg", "c.txt"]), (["sort": "name"], nil),
        (["filters": ["types": ["directory"]]], ["d"]), (["filters": ["types": "file"]], ["B.JPG", "a.jpg", "c.txt"]),
        (["filters": ["basenames": ["*.jpg"]]], ["B.JPG", "a.jpg"]),
        (["filters": ["basenames": ["*.jpg"]], "case_sensitive": true], ["a.jpg"]),
        (["filters": ["paths": ["/c*"]]], ["c.txt"]), (["filters": ["size_min": 2]], ["a.jpg", "c.txt"]),
        (["filters": ["size_max": 2]], ["B.JPG", "c.txt"]),
        (["filters": ["mtime_min": "2026-11-20 08:00:10"]], ["c.txt", "d"]),
        (["filters": ["mtime_max": "2026-11-20T08:00:10Z"]], ["a.jpg"]), (["filters": ["types": ["pipe"]]], nil),
        (["filters": "x"], nil), (["filters": ["size_min": "x"]], nil), (["filters": ["mtime_min": "x"]], nil),
      ] as [(JSONObject, [String]?)] {
        let names = try await browse(more)
        XCTAssertEqual(names, expected, "\(more.names) \(more)")
      }
    }
  }

  func testSearchPageInfoAndSizesDescribeATree() async throws {
    try await withNode { _, client in
      let folder = try await client.create("in", in: "1")
      _ = try await client.create("a.txt", "file", in: folder, "12345")
      let deeper = try await client.create("deep", in: folder)
      _ = try await client.create("b.txt", "file", in: deeper, "1")
      let found = try await client.post(
        "/files/search", ["path": "/", "filters": ["basenames": ["*.txt"]], "sort": "size_a"])
      XCTAssertEqual(try found.value["items"]?.array?.map { $0["path"]?.string }, ["/in/deep/b.txt", "/in/a.txt"])
      XCTAssertEqual(try found.value["total_count"], 2)
      let shallow = try await client.post("/files/search", ["path": "/in", "filters": ["depth_max": 1]]).value
      XCTAssertEqual(shallow["items"]?.array?.map { $0["path"]?.string }, ["/in/a.txt", "/in/deep"])
      for name in ["depth_min", "depth_max"] {
        let refused = try await client.post("/files/search", ["path": "/in", "filters": [name: "1"]])
        XCTAssertEqual(refused.status, 400, name)
      }
      let page = try await client.post("/files/page", ["path": "/in", "count": 1]).value
      XCTAssertEqual(page["items"]?[0]?["basename"], "a.txt")
      let token = try XCTUnwrap(page["next_iteration_token"])
      let last = try await client.post("/files/page", ["path": "/in", "iteration_token": token]).value
      XCTAssertEqual(last["items"]?[0]?["basename"], "deep")
      XCTAssertNil(last["next_iteration_token"])
      let info = try await client.post("/files/info", ["paths": [["path": "/in/a.txt"], ["path": "/no"]]]).value
      XCTAssertEqual(info["paths"]?[0]?["size"], 5)
      XCTAssertEqual(info["paths"]?[1]?["error"]?["code"], 404)
      let size = try await client.post("/files/du", ["path": "/in"]).value
      XCTAssertEqual(
        size,
        ["path": "/in", "total_size": 6, "file_count": 2, "dir_count": 2, "special_count": 0, "failed_count": 0])
    }
  }

  func testFilesAndLinksAreCreatedAndReadByPath() async throws {
    try await withNode { _, client in
      let made = try await client.post(
        "/files/create",
        [
          "paths": [
            ["path": "/my file+1", "type": "file", "contents": .string(base64(String(repeating: "x", count: 5_000)))],
            ["path": "/l", "type": "symbolic_link", "target": ["path": "/my file+1"]],
            ["path": "/l", "type": "symbolic_link", "target": ["path": "/x"]], ["path": "/m", "type": "symbolic_link"],
            ["path": "/n", "type": "file", "contents": "%"],
          ]
        ])
      XCTAssertEqual(try made.value["paths"]?.array?.map { $0["error"]?["code"]?.integer }, [nil, nil, 409, 400, 400])
      for name in ["%2Fmy+file%2B1", "my%20file%2B1"] {
        let content = try await client.get("/files/\(name)/contents")
        XCTAssertEqual(content.status, 200, name)
        XCTAssertEqual(content.body.count, 4_096)
      }
      for (name, expected) in [("%2Fno", 404), ("%2F..%2Fx", 400), ("%2Fl", 400)] {
        let status = try await client.get("/files/\(name)/contents").status
        XCTAssertEqual(Int(status), expected, name)
      }
      let link = try await client.post("/files/browse", ["path": "/l"]).value["self"]
      XCTAssertEqual(link?["type"], "symbolic_link")
      XCTAssertEqual(link?["target"]?["path"], "/my file+1")
    }
  }

  func testFullFolderRemainsIfARequestForbidsTheDeletionOfItsContents() async throws {
    try await withNode { _, client in
      let folder = try await client.create("full", in: "1")
      _ = try await client.create("f", "file", in: folder, "1")
      func delete(_ more: JSONValue?) async throws -> JSONValue? {
        var element: JSONObject = ["path": "/full"]
        element["recursive_delete"] = more
        return try await client.post("/files/delete", ["paths": [.object(element)]]).value["paths"]?[0]?["error"]?[
          "code"]
      }
      let refused = try await delete(false)
      XCTAssertEqual(refused, 409)
      let names = try await client.names(in: "/full")
      XCTAssertEqual(names, ["/full/f"])
      let deleted = try await delete(nil)
      XCTAssertNil(deleted)
      let gone = try await client.get("/files/\(folder)").status
      XCTAssertEqual(gone, 404)
    }
  }
}
