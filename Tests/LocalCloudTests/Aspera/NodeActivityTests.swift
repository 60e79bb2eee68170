// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth
internal import XCTest

@testable internal import LocalCloud

/// Tests the transfers, events and sizes that the local Node API reports.
final class NodeActivityTests: SimulatorTestCase {
  private func tags(_ fileID: String, _ more: String = "", node: String = "", accessKey: String = "test-id") -> [String]
  {
    ["--tags64", base64(#"{"aspera":{"node":{"access_key":"\#(accessKey)","file_id":"\#(fileID)"\#(node)}\#(more)}}"#)]
  }

  // matrix: Aspera transfer (token): verify
  func testTransfersWithoutASetupCallAreRelativeToTheFolderOfTheFileID() async throws {
    try await withNode { [self] cloud, client in
      let users = try await bearerClients(client)
      let folder = try await client.create("in", in: "1")
      try await client.permit("mia", on: folder, ["read", "write", "mkdir"])
      let token = try XCTUnwrap(users("mia", [], NodeScope.user).headers["Authorization"])
      for token in [token, basicAuthorization("test-id", "test-secret")] {
        let sent = try await refusal(cloud, to: "/sub", token: token, tags(folder))
        XCTAssertEqual(sent.status, 0, sent.errors)
        let names = try await client.names(in: "/in/sub")
        XCTAssertEqual(names, ["/in/sub/a.bin"])
        let directory = try makeDirectory()
        let received = try await Simulator.run(
          arguments("recv", cloud, user: "xfer", ["sub/a.bin"], to: directory, tags(folder)),
          ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": token])
        XCTAssertEqual(received.status, 0, received.errors)
        XCTAssertEqual(try read("a.bin", in: directory), [1, 2, 3])
        let out = try await refusal(cloud, to: "/../x", token: token, tags(folder))
        XCTAssertEqual(out.code, 41)
        _ = try await client.post("/files/delete", ["paths": [["path": "/in/sub"]]])
      }
      let root = try await client.names(in: "/")
      XCTAssertEqual(root, ["/in"])
    }
  }

  // matrix: Aspera transfer (token): bad input
  func testTransfersWithoutASetupCallNeedTagsAndAccessLevels() async throws {
    try await withNode { [self] cloud, client in
      let users = try await bearerClients(client)
      let folders = try await [client.create("r", in: "1"), client.create("w", in: "1")]
      let file = try await client.create("f", "file", in: folders[0], "1")
      try await client.permit("mia", on: folders[0], ["read"])
      try await client.permit("mia", on: folders[1], ["write"])
      let token = try XCTUnwrap(users("mia", [], NodeScope.user).headers["Authorization"])
      let stranger = try XCTUnwrap(users("tom", [], NodeScope.user).headers["Authorization"])
      let basic = basicAuthorization("test-id", "test-secret")
      for (token, tags) in [
        (token, []), (token, tags("404")), (token, tags("1")), (token, tags(folders[0])), (stranger, tags(folders[1])),
        (basic, tags("404")), (basic, tags("1", accessKey: "other")), (token, tags(folders[1], accessKey: "other")),
        (basic, tags(file)),
      ] {
        let outcome = try await refusal(cloud, to: "/x", token: token, tags)
        XCTAssertEqual(outcome.status, 1, "\(tags)")
        XCTAssertEqual(outcome.code, 34, outcome.text)
      }
      let deep = try await refusal(cloud, to: "/new/x", token: token, tags(folders[1]))
      XCTAssertEqual(deep.code, 34, "the user lacks mkdir")
      let allowed = try await refusal(cloud, to: "/", token: token, tags(folders[1]))
      XCTAssertEqual(allowed.status, 0, allowed.errors)
      let received = try await Simulator.run(
        arguments("recv", cloud, user: "xfer", ["."], to: makeDirectory(), tags(folders[1])),
        ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": token])
      XCTAssertEqual(received.code, 34, "the user lacks read")
      let names = try await client.names(in: "/w")
      XCTAssertEqual(names, ["/w/a.bin"])

      let source = try await client.create("d", in: "1")
      _ = try await client.create("f", "file", in: source, "1")
      try await client.permit("mia", on: source, ["read", "delete"])
      let moved = try await Simulator.run(
        arguments(
          "recv", cloud, user: "xfer", ["f"], to: makeDirectory(), tags(source) + ["--move-after-transfer", "/done"]),
        ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": token])
      XCTAssertTrue(moved.code == 34 && moved.text.contains("mkdir"), moved.text)
      let kept = try await client.names(in: "/d")
      XCTAssertEqual(kept, ["/d/f"], "the user lacks mkdir for the folder of moved files")
    }
  }

  func testTransfersOfATenantStayBelowItsRoot() async throws {
    var configuration = configuration
    // With the colon before it, the first character of the secret is one character of a string.
    let secret = "\u{301}s"
    configuration.aspera.accessKeys = [.init(id: "tenant", secret: Secret(secret), path: "/tenants/a")]
    try await withNode(configuration) { [self] cloud, client in
      let tenant = NodeClient(cloud, basic: "tenant", secret)
      let setup = try await tenant.setup("upload_setup", ["destination_root": "/up", "paths": [[:]]])
      let token = try XCTUnwrap(setup?["token"]?.string)
      let sent = try await refusal(cloud, token: token)
      XCTAssertEqual(sent.status, 0, sent.errors)
      let whole = try await refusal(cloud, to: "/two", token: basicAuthorization("tenant", secret))
      XCTAssertEqual(whole.status, 0, whole.errors)
      let names = try await client.names(in: "/tenants/a")
      XCTAssertEqual(names, ["/tenants/a/two", "/tenants/a/up"])
      let root = try await client.names(in: "/")
      XCTAssertEqual(root, ["/tenants"])
    }
  }

  func testSessionsAppearAsTransfersWithTheirResults() async throws {
    try await withNode { [self] cloud, client in
      let users = try await bearerClients(client)
      let token = basicAuthorization("test-id", "test-secret")
      let sent = try await refusal(
        cloud, token: token,
        tags("1", #","usage_id":"u","xfer_retry":10"#, node: #","storage_credentials":{"token":"delegated"}"#))
      XCTAssertEqual(sent.status, 0, sent.errors)
      cloud.faults.transfers = [.failure(code: 16, .afterBytes(1), .first(1))]
      let failed = try await refusal(cloud, token: token)
      XCTAssertEqual(failed.code, 16)
      let list = try await client.get("/ops/transfers")
      let transfers = try XCTUnwrap(list.value.array)
      XCTAssertEqual(transfers.map { $0["status"] }, ["completed", "failed"])
      XCTAssertEqual(transfers[0]["bytes_transferred"], 3)
      XCTAssertEqual(transfers[0]["files_completed"], 1)
      XCTAssertEqual(transfers[0]["avg_rate_kbps"], 24)
      XCTAssertEqual(transfers[0]["sessions"]?[0]?["avg_rate_kbps"], 24)
      XCTAssertEqual(transfers[0]["error_code"], 0)
      XCTAssertEqual(transfers[0]["start_spec"]?["direction"], "send")
      XCTAssertEqual(transfers[0]["start_spec"]?["token_type"], "basic_token")
      XCTAssertEqual(transfers[1]["error_code"], 16)
      XCTAssertNotEqual(transfers[1]["error_desc"], "")
      XCTAssertFalse(list.text.contains("test-secret"))
      XCTAssertFalse(list.text.contains("delegated"))
      XCTAssertFalse(list.text.contains(base64("test-id:test-secret")))
      let id = try XCTUnwrap(transfers[0]["id"]?.string)
      let shown = try await client.get("/ops/transfers/\(id)").value
      XCTAssertEqual(shown, transfers[0])
      for (query, count) in [
        ("active_only=true", 0), ("active_only=false", 2), ("direction=receive", 0), ("tag=aspera.xfer_retry%3D10", 1),
        ("tag=aspera.xfer_retry", 1), ("tag=aspera.xfer_retry%3D11", 0), ("count=1", 1), ("iteration_token=1", 1),
        ("iteration_token=2", 0), ("view=id", 2),
      ] {
        let found = try await client.get("/ops/transfers?\(query)").value.array?.count
        XCTAssertEqual(found, count, query)
      }
      XCTAssertEqual(list.header("Link"), "</ops/transfers?iteration_token=2>; rel=\"next\"")
      let first = try await client.get("/ops/transfers?active_only=false&iteration_token=0&count=1")
      XCTAssertEqual(
        first.header("Link"), "</ops/transfers?active_only=false&count=1&iteration_token=1>; rel=\"next\"")
      let failedID = try XCTUnwrap(transfers[1]["id"]?.string)
      let cancelled = try await client.send(.DELETE, "/ops/transfers/\(failedID)", nil, [:])
      XCTAssertEqual(cancelled.status, 204)
      let kept = try await client.get("/ops/transfers/\(failedID)").value
      XCTAssertEqual(kept, transfers[1], "an ended transfer cannot be cancelled")
      let foreign = try await users("mia", [], NodeScope.user).get("/ops/transfers").value
      XCTAssertEqual(foreign, [])
      let usage = try await client.get("/usage/u").value
      XCTAssertEqual(usage, ["id": "u", "bytes_in": 0, "bytes_out": 3, "bytes_total": 3])
      let unknown = try await client.get("/usage/none").status
      XCTAssertEqual(unknown, 404)
      let kinds = try await client.get("/events?type_glob[]=upload.*").value.array?.map { $0["types"]?[0] }
      XCTAssertEqual(kinds, ["upload.started", "upload.ended", "upload.started", "upload.ended"])
    }
  }

  private func call(_ cloud: LocalCloud, _ path: String, _ document: JSONValue) async throws -> Reply {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(cloud.transferPort)\(path)")
    request.method = .POST
    request.body = .bytes(ByteBuffer(bytes: document.serialized))
    return try await Reply(request)
  }

  /// Returns the number of events of ends of transfers.
  private func endedTransfers(_ client: NodeClient) async throws -> Int {
    let events = try await client.get("/events").value.array ?? []
    return events.count { $0["types"]?.array?.contains("transfer.ended") ?? false }
  }

  /// Begins a session on the transfer server, and returns the ID of its connection.
  private func beginSession(_ cloud: LocalCloud) async throws -> String {
    let opened = try await call(cloud, "/connections", [:]).value
    let connection = try XCTUnwrap(opened["connection"]?.string)
    _ = try await call(cloud, "/connections/\(connection)/login", ["user": "xfer", "password": "xfer-password"])
    let session = try await call(
      cloud, "/connections/\(connection)/session",
      ["direction": "send", "token": .string(basicAuthorization("test-id", "test-secret"))])
    XCTAssertEqual(session.status, 200)
    return connection
  }

  func testClientThatEndsBeforeItsFirstFileLeavesAFailedTransfer() async throws {
    try await withNode { [self] cloud, client in
      // The program ends by itself: a source is missing.
      let ended = try await Simulator.run(
        arguments("send", cloud, user: "xfer", ["/no/such/file"], to: "/", []),
        ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": basicAuthorization("test-id", "test-secret")])
      XCTAssertEqual(ended.code, 43)
      var transfers = try await client.get("/ops/transfers").value
      XCTAssertEqual(transfers[0]?["status"], "failed")
      XCTAssertEqual(transfers[0]?["error_code"], 43)
      // The client says that it was cancelled.
      let cancelled = try await beginSession(cloud)
      let told = try await call(cloud, "/connections/\(cancelled)/abort", ["code": 28, "description": "Cancelled"])
      XCTAssertEqual(told.status, 200)
      // The client is silent, and another one shows that it exists.
      let silent = try await beginSession(cloud)
      clock.advance(by: .seconds(9))
      transfers = try await client.get("/ops/transfers").value
      XCTAssertEqual(transfers.array?.map { $0["status"] }, ["failed", "canceled", "running"])
      let present = try await beginSession(cloud)
      clock.advance(by: .seconds(2))
      let endedMeanwhile = try await endedTransfers(client)
      XCTAssertEqual(endedMeanwhile, 3, "the silent one has ended without a request for the transfers")
      transfers = try await client.get("/ops/transfers").value
      XCTAssertEqual(transfers.array?.map { $0["status"] }, ["failed", "canceled", "failed", "running"])
      XCTAssertEqual(transfers[2]?["error_code"], 16)
      for _ in 1...5 {
        clock.advance(by: .seconds(9))
        let presence = try await call(cloud, "/connections/\(present)/presence", [:])
        XCTAssertEqual(presence.status, 200)
      }
      transfers = try await client.get("/ops/transfers").value
      XCTAssertEqual(transfers[3]?["status"], "running")
      let late = try await call(cloud, "/connections/\(silent)/end", [:])
      XCTAssertEqual(late.status, 200)
      let endedAgain = try await endedTransfers(client)
      XCTAssertEqual(endedAgain, 3, "a transfer ends once")
    }
  }

  func testCancelMethodOfIBMsClientCancelsATransfer() async throws {
    try await withNode { [self] cloud, client in
      _ = try await beginSession(cloud)
      let list = try await client.get("/ops/transfers").value
      let id = try XCTUnwrap(list[0]?["id"]?.string)
      let reply = try await client.send(.RAW(value: "CANCEL"), "/ops/transfers/\(id)", nil, [:])
      XCTAssertEqual(reply.status, 204)
      let shown = try await client.get("/ops/transfers/\(id)").value
      XCTAssertEqual(shown["status"], "canceled")
      let ended = try await endedTransfers(client)
      XCTAssertEqual(ended, 1)
      let file = try await client.create("f", "file", in: "1")
      let refused = try? await client.send(.RAW(value: "CANCEL"), "/files/\(file)", nil, [:])
      XCTAssertNotEqual(refused?.status, 204, "the method is only for transfers")
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/f"])
    }
  }

  func testCancelMethodIsReadWhereverARequestBegins() async throws {
    try await withNode { [self] cloud, client in
      for _ in 1...5 { _ = try await beginSession(cloud) }
      let ids = try await client.get("/ops/transfers").value.array?.compactMap { $0["id"]?.string } ?? []
      XCTAssertEqual(ids.count, 5)
      let access = "Authorization: \(basicAuthorization("test-id", "test-secret"))"
      func request(_ line: String, _ body: String = "") -> String {
        let lines = ["\(line) HTTP/1.1", "Host: \(cloud.nodeEndpoint.authority)", access]
        return RawConnection.head(lines + ["Content-Length: \(body.utf8.count)"]) + body
      }
      let list = request("GET /ops/transfers")
      let cancels = ids.map { request("CANCEL /ops/transfers/\($0)") }
      let likeIt = request("POST /files/delete", "CANCEL /ops/transfers/\(ids[4])")
      let together = try await RawConnection.exchange(
        list + cancels[0] + likeIt + cancels[1], with: cloud.nodeEndpoint
      ) { RawConnection.statuses(in: $0).count == 4 }
      XCTAssertEqual(RawConnection.statuses(in: together), [200, 204, 400, 204], together)
      for (cancel, length) in [(cancels[2], 1), (cancels[3], 21)] {
        let inPieces = try await RawConnection.exchange(
          list + cancel.prefix(length), then: String(cancel.dropFirst(length)), with: cloud.nodeEndpoint
        ) { RawConnection.statuses(in: $0).count == 2 }
        XCTAssertEqual(RawConnection.statuses(in: inPieces), [200, 204], inPieces)
      }
      let states = try await client.get("/ops/transfers").value.array?.map { $0["status"] }
      XCTAssertEqual(states, ["canceled", "canceled", "canceled", "canceled", "running"])
    }
  }

  func testCanceledTransferRefusesFurtherCalls() async throws {
    try await withNode { [self] cloud, client in
      let connection = try await beginSession(cloud)
      let running = try await client.get("/ops/transfers?active_only=true").value.array?.count
      XCTAssertEqual(running, 1)
      let list = try await client.get("/ops/transfers").value
      let id = try XCTUnwrap(list[0]?["id"]?.string)
      let reply = try await client.put("/ops/transfers/\(id)", ["status": "paused"])
      XCTAssertEqual(reply.status, 400)
      let stopped = try await client.put("/ops/transfers/\(id)", ["status": "canceled"])
      XCTAssertEqual(stopped.status, 200)
      XCTAssertEqual(try stopped.value["status"], "canceled")
      let again = try await client.delete("/ops/transfers/\(id)").status
      XCTAssertEqual(again, 204)
      let unknown = try await client.delete("/ops/transfers/none").status
      XCTAssertEqual(unknown, 404)
      let refused = try await call(cloud, "/connections/\(connection)/end", [:])
      XCTAssertEqual(refused.status, 403)
      XCTAssertEqual(try refused.value["error"]?["code"], 28)
    }
  }

  func testNodeCopiesToItsOwnTransferServer() async throws {
    try await withNode { cloud, client in
      let (source, target) = try await (client.create("from", in: "1"), client.create("to", in: "1"))
      _ = try await client.create("f", "file", in: source, "12345")
      var document: JSONObject = [
        "direction": "send", "remote_host": "127.0.0.1", "ssh_port": .number(JSONNumber(cloud.transferPort)),
        "token": .string(basicAuthorization("test-id", "test-secret")), "paths": [["source": "f"]],
        "source_root_id": .string(source), "destination_root_id": .string(target), "remote_access_key": "test-id",
      ]
      let sent = try await client.post("/ops/transfers", .object(document))
      XCTAssertEqual(sent.status, 200)
      XCTAssertEqual(try sent.value["status"], "completed")
      XCTAssertEqual(try sent.value["bytes_transferred"], 5)
      let names = try await client.list(target)
      XCTAssertEqual(names, ["f"])
      document["paths"] = [["source": "missing"]]
      let missing = try await client.post("/ops/transfers", .object(document)).value
      XCTAssertEqual(missing["status"], "failed")
      XCTAssertEqual(missing["error_code"], 4)
      document["token"] = "ATM2_unknown_2MTA"
      let refused = try await client.post("/ops/transfers", .object(document)).value
      XCTAssertEqual(refused["error_code"], 34)
      for (name, value) in [
        ("remote_host", "example.com"), ("token", ""), ("paths", []), ("direction", "both"), ("remote_user", "none"),
        ("source_root_id", "404"),
      ] as [(String, JSONValue)] {
        var wrong = document
        wrong[name] = value
        let status = try await client.post("/ops/transfers", .object(wrong)).status
        XCTAssertEqual(status, name == "source_root_id" ? 404 : 400, name)
      }
    }
  }

  func testNodeCopiesWithATokenForOneFileOfAFolder() async throws {
    try await withNode { cloud, client in
      let (source, target) = try await (client.create("in", in: "1"), client.create("to", in: "1"))
      _ = try await client.create("a", "file", in: source, "12345")
      let setup = try await client.post(
        "/files/download_setup",
        ["transfer_requests": [["transfer_request": ["source_root": "/in", "paths": [["source": "a"]]]]]]
      ).value
      let token = try XCTUnwrap(setup["transfer_specs"]?[0]?["transfer_spec"]?["token"])
      let received = try await client.post(
        "/ops/transfers",
        [
          "direction": "receive", "remote_host": "127.0.0.1", "ssh_port": .number(JSONNumber(cloud.transferPort)),
          "token": token, "source_root": "/in", "paths": [["source": "a"]], "destination_root_id": .string(target),
        ]
      ).value
      XCTAssertEqual(received["status"], "completed", "\(received)")
      let names = try await client.list(target)
      XCTAssertEqual(names, ["a"])
    }
  }

  func testNodeCopiesALimitedNumberOfFiles() async throws {
    try await withNode { cloud, client in
      let source = try await client.create("d0", in: "1")
      for number in 1...100 { _ = try await client.create("f\(number)", "file", in: source, "1") }
      let paths = (1...100).map { number -> JSONValue in ["source": "/d0", "destination": .string("/d\(number)")] }
      let copied = try await client.post(
        "/ops/transfers",
        [
          "direction": "send", "remote_host": "127.0.0.1", "ssh_port": .number(JSONNumber(cloud.transferPort)),
          "token": .string(basicAuthorization("test-id", "test-secret")), "paths": .array(paths),
          "source_root_id": "1", "destination_root_id": "1", "remote_access_key": "test-id",
        ]
      ).value
      XCTAssertEqual(copied["status"], "failed")
      XCTAssertEqual(copied["error_code"], 23)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, ["/d0"], "the files are counted before the first one is copied")
    }
  }

  func testPermissionEventsAreListedByIterationTokens() async throws {
    try await withNode { [self] cloud, client in
      let users = try await bearerClients(client)
      let id = try await client.permit("mia", on: "1", ["list"])
      _ = try await client.put("/permissions/1", ["access_levels": ["read"]])
      clock.advance(by: .seconds(1))
      _ = try await client.delete("/permissions/\(XCTUnwrap(id))")
      let list = try await client.get("/events?count=2")
      XCTAssertEqual(try list.value.array?.map { $0["types"]?[0] }, ["permission.created", "permission.modified"])
      XCTAssertEqual(try list.value[0]?["user_id"], "ASPERA_ACCESS_KEY_ADMIN")
      XCTAssertEqual(try list.value[0]?["data"]?["access_id"], "mia")
      XCTAssertEqual(list.header("Link"), "</events?count=2&iteration_token=2>; rel=\"next\"")
      let next = try await client.get("/events?iteration_token=2").value
      XCTAssertEqual(next.array?.map { $0["types"]?[0] }, ["permission.deleted"])
      let late = try await client.get("/events?after_time=2026-11-20T08:00:00Z").value.array?.count
      XCTAssertEqual(late, 1)
      let one = try await client.get("/events/1").value["types"]
      XCTAssertEqual(one, ["permission.created"])
      let unknown = try await client.get("/events/9").status
      XCTAssertEqual(unknown, 404)
      let foreign = try await users("mia", [], NodeScope.user).get("/events").value
      XCTAssertEqual(foreign, [])
      let node = try await NodeClient(cloud, basic: "node-user", "node-password").get("/events").value.array?.count
      XCTAssertEqual(node, 3)
    }
  }

  func testSpaceIsThatOfAnImaginaryVolume() async throws {
    try await withNode { _, client in
      _ = try await client.create("f", "file", in: "1", "12345")
      let space = try await client.post("/space", ["paths": [["path": "/"], ["path": "/no"]]]).value["paths"]
      XCTAssertEqual(
        space?[0],
        ["path": "/", "bytes_total": 1_099_511_627_776, "bytes_free": 1_099_511_627_771, "percent_free": 100])
      XCTAssertEqual(space?[1]?["error"]?["code"], 404)
    }
  }

  func testTimesBeyondTheLimitOfMicrosecondsSaturate() {
    for (seconds, expected) in [(Int64.max / 10, Int64.max), (.min / 10, .min), (2, 2_000_000), (-1, -1_000_000)] {
      let record = TransferRecord(
        .init(
          accessKey: nil, userID: "mia", direction: .send, login: "mia", tokenType: "none", paths: [],
          date: Timestamp(unixSeconds: seconds)))
      XCTAssertEqual(record.document["start_time_usec"], .integer(expected))
    }
  }

  func testAccessKeysAreCreatedByNodeUsersAndDeleted() async throws {
    try await withNode { cloud, client in
      let user = NodeClient(cloud, basic: "node-user", "node-password")
      let document: JSONValue = ["id": "new", "secret": "s", "storage": ["type": "local", "path": "/new"]]
      let byKey = try await client.post("/access_keys", document).status
      XCTAssertEqual(byKey, 403)
      let made = try await user.post("/access_keys", document)
      XCTAssertEqual(made.status, 200)
      let root = try XCTUnwrap(made.value["root_file_id"]?.string)
      let new = NodeClient(cloud, basic: "new", "s")
      let listed = try await new.get("/files/\(root)/files").status
      XCTAssertEqual(listed, 200)
      for (document, expected) in [
        (document, 409), (["id": "a:b", "storage": ["type": "local"]], 400), (["id": "x"], 400),
        (["id": "x", "storage": ["type": "local", "path": "/.."]], 400), (["storage": ["type": "aws_s3"]], 400),
      ] as [(JSONValue, Int)] {
        let status = try await user.post("/access_keys", document).status
        XCTAssertEqual(Int(status), expected, "\(document)")
      }
      let deleted = try await user.delete("/access_keys/new").status
      XCTAssertEqual(deleted, 204)
      let gone = try await new.get("/info").status
      XCTAssertEqual(gone, 401)
    }
  }
}
