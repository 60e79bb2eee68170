// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the setup of uploads and downloads with the local Node API.
final class NodeSetupTests: AsperaTestCase {
  func testUploadSetupReturnsASpecificationWithAToken() async throws {
    try await withNode { cloud, client in
      let answer = try await client.setup(
        "upload_setup",
        [
          "destination_root": "/up", "paths": [["source": "/here/a.bin", "destination": "x/a.bin"]],
          "tags": ["mine": 1], "cookie": "c",
        ])
      let token = try XCTUnwrap(answer?["token"]?.string)
      XCTAssertTrue(token.hasPrefix("ATM2_") && token.hasSuffix("_2MTA"), token)
      XCTAssertEqual(answer?["paths"], [["destination": "x/a.bin"]], "the paths of an upload contain only destinations")
      XCTAssertEqual(answer?["destination_root"]?.string, "/up")
      XCTAssertEqual(answer?["direction"]?.string, "send")
      XCTAssertEqual(answer?["remote_host"]?.string, "127.0.0.1")
      XCTAssertEqual(answer?["remote_user"]?.string, "xfer")
      XCTAssertEqual(answer?["ssh_port"]?.integer, cloud.transferPort)
      XCTAssertEqual(answer?["fasp_port"]?.integer, cloud.transferPort)
      XCTAssertEqual(answer?["sshfp"]?.string, cloud.transferHostKey.description)
      XCTAssertEqual(answer?["tags"], ["mine": 1])
      XCTAssertEqual(answer?["cookie"]?.string, "c")
      XCTAssertEqual(cloud.statistics[.node].issued, 1)
      XCTAssertEqual(cloud.statistics.transfers.setups, 1)
    }
  }

  func testSingleDestinationWithoutARootBecomesTheRoot() async throws {
    try await withNode { _, client in
      let answer = try await client.setup("upload_setup", ["paths": [["destination": "/Upload"]]])
      XCTAssertEqual(answer?["destination_root"]?.string, "/Upload")
    }
  }

  func testEachTransferRequestHasItsOwnError() async throws {
    try await withNode { cloud, client in
      _ = try await client.post("/files/create", ["paths": [["path": "/there"]]])
      let reply = try await client.post(
        "/files/download_setup",
        [
          "transfer_requests": [
            ["transfer_request": ["paths": [["source": "/there"]]]],
            ["transfer_request": ["paths": [["source": "/there"], ["source": "/missing"]]]],
            ["transfer_request": ["source_root": "/", "paths": [["source": "../x"]]]],
            ["transfer_request": ["paths": []]], [:],
            ["transfer_request": ["paths": [["source": "/there"]], "token_life_seconds": 0]],
            ["transfer_request": ["paths": [["source": "/there"]], "public_keys": "no key"]],
          ]
        ])
      XCTAssertEqual(reply.status, 200)
      let elements = try XCTUnwrap(reply.value["transfer_specs"]?.array)
      XCTAssertEqual(elements.map { $0["error"]?["code"]?.integer }, [nil, 404, 400, 400, 400, 400, 400])
      XCTAssertEqual(elements[0]["transfer_spec"]?["paths"], [["source": "/there"]])
      XCTAssertEqual(elements[0]["transfer_spec"]?["direction"]?.string, "receive")
      XCTAssertTrue(elements.dropFirst().allSatisfy { $0["transfer_spec"] == nil })
      XCTAssertEqual(cloud.statistics[.node].issued, 1)
    }
  }

  func testUploadSetupRequiresADestination() async throws {
    try await withNode { _, client in
      let reply = try await client.post(
        "/files/upload_setup",
        [
          "transfer_requests": [
            ["transfer_request": ["paths": [["source": "/a"]]]], ["transfer_request": [:]],
            ["transfer_request": ["destination_root": "/"]],
          ]
        ])
      let codes = try reply.value["transfer_specs"]?.array?.map { $0["error"]?["code"]?.integer }
      XCTAssertEqual(codes, [400, 400, nil])
    }
  }

  func testDocumentedBodiesAndAsterisksStandForTheWholeRoot() async throws {
    try await withNode { _, client in
      _ = try await client.create("there", in: "1")
      let upload = try await client.setup("upload_setup", ["paths": [[:]], "destination_root": "/"])
      XCTAssertEqual(upload?["paths"], [[:]])
      XCTAssertEqual(upload?["destination_root"], "/")
      XCTAssertNotNil(upload?["token"]?.string)
      for (name, request) in [
        ("upload_setup", ["paths": [["destination": "*"]], "destination_root": "/there"]),
        ("upload_setup", ["paths": [["source": "*"]], "destination_root": "/there"]),
        ("download_setup", ["paths": [["source": "*"]], "source_root": "/there"]),
        ("download_setup", ["paths": [[:]], "source_root": "/"]), ("download_setup", ["paths": [["source": "/"]]]),
      ] as [(String, JSONValue)] {
        let answer = try await client.setup(name, request)
        XCTAssertNotNil(answer?["token"]?.string, "\(name) \(request)")
      }
      for (name, request) in [
        ("download_setup", ["paths": [[:]]]), ("upload_setup", ["paths": [[:]]]),
        ("download_setup", ["paths": [["source": "*"]], "source_root": "/missing"]),
      ] as [(String, JSONValue)] {
        let answer = try await client.setup(name, request)
        XCTAssertNil(answer, "\(name) \(request)")
      }
    }
  }
}
