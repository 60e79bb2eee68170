// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests the bodies and responses of a node's setup calls.
final class NodeSetupTests: XCTestCase {
  private func body(_ specifications: TransferSpec..., life: Duration? = nil) throws -> JSONValue {
    try JSONValue(parsing: NodeSetup.body(for: specifications, tokenLifetime: life))
  }

  func testRequestsOfTheVectorsAreEncoded() throws {
    let calls = try TokenVectors()["node_setup_calls"]
    XCTAssertEqual(
      try body(TransferSpec(.send, [TransferPath("/home/mia/cat.jpg")], destinationRoot: "/Upload")),
      calls["upload_request"]?["body"])
    XCTAssertEqual(NodeSetup.path(for: .send), calls["upload_request"]?["path"]?.string)
    XCTAssertEqual(
      try body(TransferSpec(.receive, [TransferPath("/a"), TransferPath("/b")], destinationRoot: "/home/mia")),
      calls["download_request"]?["body"])
    XCTAssertEqual(NodeSetup.path(for: .receive), calls["download_request"]?["path"]?.string)
    var rooted = TransferSpec(.receive, [TransferPath("test2.txt")])
    rooted.fields["source_root"] = "/test"
    XCTAssertEqual(try body(rooted, life: .seconds(43_200)), calls["with_life"])
  }

  func testUploadContainsDestinationsAndDownloadSources() throws {
    var upload = TransferSpec(
      .send, [TransferPath("/home/mia/a", to: "x/a"), TransferPath("/home/mia/b", to: "b")], destinationRoot: "/in")
    upload.fields["source_root"] = "/home/mia"
    XCTAssertEqual(
      try body(upload)["transfer_requests"]?[0]?["transfer_request"],
      ["destination_root": "/in", "paths": [["destination": "x/a"], ["destination": "b"]]])
    upload.destinationRoot = nil
    XCTAssertEqual(
      try body(upload)["transfer_requests"]?[0]?["transfer_request"],
      ["paths": [["destination": "x/a"], ["destination": "b"]]])
    XCTAssertEqual(
      try body(TransferSpec(.send, [TransferPath("/home/mia/a")]))["transfer_requests"]?[0]?["transfer_request"],
      ["paths": [["destination": "/"]]])
    let download = TransferSpec(.receive, [TransferPath("/out/a", to: "here")], destinationRoot: "/home/mia")
    XCTAssertEqual(
      try body(download)["transfer_requests"]?[0]?["transfer_request"], ["paths": [["source": "/out/a"]]])
  }

  // matrix: Aspera transfer (issuer): redaction
  func testSetupRequestContainsTagsButNoSecret() throws {
    var spec = TransferSpec(.send, [TransferPath("a")], destinationRoot: "/in")
    for name in [
      "remote_password", "ssh_private_key", "ssh_private_key_path", "ssh_private_key_passphrase", "token",
      "content_protection_password", "proxy", "EX_ascp_args", "remote_user", "sshfp",
    ] {
      spec.fields[name] = "c4nary0"
    }
    spec.fields["tags"] = ["aspera": ["cloud": 7], "mine": [1, .null]]
    spec.fields["public_keys"] = "ssh-ed25519 AAAA mia"
    spec.fields["target_rate_kbps"] = 10_000
    spec.fields["content_protection"] = "encrypt"
    spec.fields["cookie"] = .null
    let body = try body(spec)
    XCTAssertFalse(String(decoding: body.serialized, as: UTF8.self).contains("c4nary0"))
    XCTAssertEqual(
      body["transfer_requests"]?[0]?["transfer_request"],
      [
        "paths": [["destination": "/in"]], "target_rate_kbps": 10_000, "content_protection": "encrypt",
        "tags": ["aspera": ["cloud": 7], "mine": [1, .null]], "public_keys": "ssh-ed25519 AAAA mia",
      ])
  }

  func testLifetimeInCodeTakesPrecedenceOverTheSpecification() throws {
    var spec = TransferSpec(.receive, [TransferPath("a")])
    spec.fields["token_life_seconds"] = 60
    let request = { (body: JSONValue) in body["transfer_requests"]?[0]?["transfer_request"] }
    XCTAssertEqual(request(try body(spec))?["token_life_seconds"], 60)
    XCTAssertEqual(request(try body(spec, life: .seconds(5)))?["token_life_seconds"], 5)
    XCTAssertEqual(request(try body(spec, life: .seconds(90)))?["token_life_seconds"], 60, "a policy's limit")
  }

  func testInvalidTransfersAreRejected() throws {
    let download = TransferSpec(.receive, [TransferPath("a")])
    assertRefused(.invalidSpecification, "no transfer") { try NodeSetup.body(for: []) }
    assertRefused(.invalidSpecification, "no paths") { try body(TransferSpec(.send, [])) }
    assertRefused(.invalidSpecification, "not all the same") { try body(download, TransferSpec(.send, download.paths)) }
    var undirected = download
    undirected.fields["direction"] = "sideways"
    assertRefused(.invalidSpecification, "no direction") { try body(undirected) }
    assertRefused(.invalidSpecification, "others have none") {
      try body(TransferSpec(.send, [TransferPath("a", to: "b"), TransferPath("c")]))
    }
    XCTAssertEqual(try body(download, download)["transfer_requests"]?.array?.count, 2)
  }

  func testResponsesOfTheVectorsAreParsed() throws {
    let calls = try TokenVectors()["node_setup_calls"]
    let good = try NodeSetup.results(of: try XCTUnwrap(calls["response_ok"]).serialized, count: 1)
    let spec = try XCTUnwrap(good.first).get()
    XCTAssertEqual(spec.remoteUser, "test")
    XCTAssertEqual(spec.remoteHost, "192.168.200.240")
    XCTAssertEqual(spec.sshPort, 33001)
    XCTAssertNil(spec.sshfp)
    XCTAssertEqual(
      JSONValue.object(spec.fields), calls["response_ok"]?["transfer_specs"]?[0]?["transfer_spec"])
    for name in ["response_error_inside_200", "response_error_inside_200_alt"] {
      let results = try NodeSetup.results(of: try XCTUnwrap(calls[name]).serialized, count: 1)
      XCTAssertThrowsError(try XCTUnwrap(results.first).get(), name) {
        XCTAssertEqual(($0 as? NodeRefusal)?.text, "404 Not Found No such path", name)
        XCTAssertEqual(($0 as? NodeRefusal)?.status, 404, name)
      }
    }
    let refusal = try XCTUnwrap(NodeRefusal(of: try XCTUnwrap(calls["response_error_http"])))
    XCTAssertEqual(refusal.status, 401)
    XCTAssertEqual(refusal.reason, "Unauthorized")
  }

  func testEachElementHasItsOwnErrorAndNullIsIgnored() throws {
    let answer = #"""
      {"transfer_specs":[
        {"transfer_spec":{"token":"a","error":null},"error":null},
        {"transfer_spec":null,"error":{"code":403}},
        {"transfer_spec":{"token":"b"}},
        {"error":"broken"}, {"error":{}}]}
      """#
    let results = try NodeSetup.results(of: Array(answer.utf8), count: 5)
    XCTAssertEqual(results.map { try? $0.get().token?.reveal() }, ["a", nil, "b", nil, nil])
    let texts = results.map { result -> String? in
      if case .failure(let refusal) = result { refusal.text } else { nil }
    }
    XCTAssertEqual(texts, [nil, "403", nil, "broken", "an error without a code"])
  }

  // matrix: Aspera transfer (issuer): bad input
  func testOtherResponsesAreRejected() {
    let cases: [(answer: String, says: String)] = [
      ("", "not JSON"), ("<html>", "not JSON"), (#"{"transfer_specs":["#, "not JSON"), ("[]", "no array"),
      ("{}", "no array"), (#"{"transfer_specs":null}"#, "no array"), (#"{"transfer_specs":{}}"#, "no array"),
      (#"{"transfer_specs":[]}"#, "0 elements"), (#"{"transfer_specs":[{},{}]}"#, "2 elements"),
      (#"{"transfer_specs":[{}]}"#, "element 0"), (#"{"transfer_specs":[null]}"#, "element 0"),
      (#"{"transfer_specs":["a"]}"#, "element 0"), (#"{"transfer_specs":[{"transfer_spec":[]}]}"#, "element 0"),
    ]
    for (answer, says) in cases {
      assertRefused(.invalidAnswer, says) { try NodeSetup.results(of: Array(answer.utf8), count: 1) }
    }
  }
}
