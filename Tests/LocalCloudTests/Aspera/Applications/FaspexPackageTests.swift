// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import NIOHTTP1
internal import StorageAuth
internal import XCTest

/// Tests sending and receiving packages with the simulated Faspex 5.
final class FaspexPackageTests: GrantTestCase {
  private let draft: JSONValue = [
    "title": "Dailies", "note": "Day 3", "recipients": [["name": "noa@example.com", "recipient_type": "user"]],
  ]

  private func titles(_ cloud: LocalCloud, _ box: String, _ token: String) async throws -> [String] {
    let list = try await call("\(cloud.faspexURL)/api/v5/\(box)", token).value
    return list["packages"]?.array?.compactMap { $0["title"]?.string } ?? ["no list: \(list)"]
  }

  func testPackageIsReceivedOnceItsUploadHasEnded() async throws {
    try await withApplications { cloud in
      let api = "\(cloud.faspexURL)/api/v5"
      let mia = try await token(cloud, .faspex)
      let noa = try await token(cloud, .faspex, user: "noa@example.com")
      let created = try await call("\(api)/packages", mia, .POST, draft)
      XCTAssertEqual(created.status, 201, created.text)
      let id = try XCTUnwrap(try created.value["id"]?.string)
      var package = "\(api)/packages/\(id)"
      let upload = try await call(
        "\(package)/transfer_spec/upload?transfer_type=connect", mia, .POST, ["paths": ["/home/mia/a.bin"]])
      let specification = try upload.value
      XCTAssertEqual(specification["direction"], "send")
      let before = try await titles(cloud, "inbox/packages", noa)
      XCTAssertEqual(before, [])
      let hidden = try await call(package, noa).status
      XCTAssertEqual(hidden, 404, "the recipient does not see an unfinished package")

      let folder = try makeDirectory()
      let file = URL(fileURLWithPath: folder).appendingPathComponent("a.bin")
      try Data([1, 2, 3]).write(to: file)
      let environment = [
        "ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": try XCTUnwrap(specification["token"]?.string),
      ]
      let arguments = [
        "-q", "--host", "127.0.0.1", "--user", try XCTUnwrap(specification["remote_user"]?.string), "-P",
        "\(cloud.transferPort)", "-d",
      ]
      let sent = try await Simulator.run(
        arguments + ["--mode", "send", "--dest64", file.path, base64(specification["destination_root"]?.string ?? "")],
        environment)
      XCTAssertEqual(sent.status, 0, sent.errors)

      let status = try await call("\(package)/upload_details", mia).value["upload_status"]
      XCTAssertEqual(status, "completed")
      let inbox = try await titles(cloud, "inbox/packages", noa)
      XCTAssertEqual(inbox, ["Dailies"])
      let outbox = try await titles(cloud, "outbox/packages", noa)
      XCTAssertEqual(outbox, [])
      let own = try await titles(cloud, "packages", mia)
      XCTAssertEqual(own, ["Dailies"])

      package += "/transfer_spec/download?transfer_type=connect&type=received"
      let download = try await call(package, noa, .POST, [:]).value
      XCTAssertEqual(download["paths"], [["source": "a.bin"]])
      let root = try XCTUnwrap(download["source_root"]?.string)
      let got = try await Simulator.run(
        arguments + ["--mode", "recv", "--dest64", "\(root)/a.bin", base64("\(folder)/got")],
        ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": try XCTUnwrap(download["token"]?.string)])
      XCTAssertEqual(got.status, 0, got.errors)
      XCTAssertEqual(Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/got/a.bin"))), [1, 2, 3])
    }
  }

  func testPackageOfALaterServerHasNoFilesOfAnEarlierOne() async throws {
    var configuration = try configuration()
    configuration.root = try makeDirectory()
    func create(_ cloud: LocalCloud) async throws -> String? {
      let mia = try await token(cloud, .faspex)
      return try await call("\(cloud.faspexURL)/api/v5/packages", mia, .POST, draft).value["id"]?.string
    }
    try await withNode(configuration) { cloud, node in
      let id = try await create(cloud)
      XCTAssertEqual(id, "1")
      for path: JSONValue in [
        ["path": "/faspex-packages", "type": "directory"], ["path": "/faspex-packages/1", "type": "directory"],
        ["path": "/faspex-packages/1/a.bin", "type": "file"],
      ] {
        let made = try await node.post("/files/create", ["paths": [path]])
        XCTAssertEqual(made.status, 200, made.text)
      }
    }
    try await withNode(configuration) { cloud, _ in
      let ids = [try await create(cloud), try await create(cloud)]
      XCTAssertEqual(ids, ["2", "3"])
    }
  }

  func testInvalidRequestsAreRefused() async throws {
    try await withApplications { cloud in
      let api = "\(cloud.faspexURL)/api/v5"
      let mia = try await token(cloud, .faspex)
      let noa = try await token(cloud, .faspex, user: "noa@example.com")
      for (document, code) in [
        (["title": "a"] as JSONValue, "1003"), (["recipients": [["name": "noa@example.com"]]], "1003"),
        (["title": "a", "recipients": [["name": "eve@example.com"]]], "1151"), ("text", "1003"),
      ] {
        let reply = try await call("\(api)/packages", mia, .POST, document)
        XCTAssertEqual(try reply.value["code"]?.string, code, reply.text)
      }
      _ = try await call("\(api)/packages", mia, .POST, draft)
      let spec = "\(api)/packages/1/transfer_spec"
      for (url, token, code) in [
        ("\(spec)/upload", mia, "1150"), ("\(spec)/upload?transfer_type=connect", mia, "1003"),
        ("\(spec)/upload?transfer_type=connect", noa, "1151"),
        ("\(spec)/download?transfer_type=connect&type=x", mia, "1150"),
        ("\(spec)/download?transfer_type=connect&type=received", mia, "2014"),
        ("\(spec)/sideload?transfer_type=connect", mia, "1002"),
        ("\(api)/packages/2/transfer_spec/upload", mia, "1150"),
        ("\(api)/packages", "wrong", "2001"),
      ] {
        let reply = try await call(url, token, .POST, [:])
        XCTAssertEqual(try reply.value["code"]?.string, code, "\(url): \(reply.text)")
      }
      for query in ["offset=-1", "limit=99999999999999999999", "limit=x"] {
        let reply = try await call("\(api)/packages?\(query)", mia)
        XCTAssertEqual(try reply.value["code"]?.string, "1150", query)
      }
    }
  }
}
