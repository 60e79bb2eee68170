// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests server-side copies of objects.
final class CopyTests: CloudTestCase {
  private let text = Array("0123456789".utf8)

  private func sources(_ client: TestClient, _ path: String) -> [String] {
    switch client.provider {
    case .oss: ["/\(Self.bucket)/\(path)", "\(Self.bucket)/\(path)"]
    case .s3: ["/\(Self.bucket)/\(path)", "\(Self.bucket)/\(path)"]
    case .cos:
      [
        "\(Self.bucket).cos.ap-guangzhou.myqcloud.com/\(path)",
        "\(client.cloud.cosEndpoint.authority)/\(Self.bucket)/\(path)",
      ]
    }
  }

  func testCopyHasTheBytesAndMetadataOfItsSource() async throws {
    try await withEachService { client in
      _ = try await client.send(
        .put, "a b+c/é", headers: ["Content-Type": "text/a", "\(client.prefix)meta-x": "1"], body: text)
      for source in sources(client, "a%20b%2Bc/%C3%A9") {
        let reply = try await client.send(.put, "copy", headers: ["\(client.prefix)copy-source": source])
        XCTAssertEqual(reply.status, 200, reply.text)
        XCTAssertEqual(try reply.document.name, "CopyObjectResult")
        XCTAssertEqual(try reply.document["ETag"]?.text, client.tag("781e5e245d69b566979b86e28d23f2c7"))
        let get = try await client.send(.get, "copy")
        XCTAssertEqual(get.body, text)
        XCTAssertEqual(get.header("content-type"), "text/a")
        XCTAssertEqual(get.header("\(client.prefix)meta-x"), "1")
      }
      let gone = try await client.send(.delete, "a b+c/é")
      XCTAssertEqual(gone.status, 204)
      let get = try await client.send(.get, "copy")
      XCTAssertEqual(get.body, text)
    }
  }

  func testCopyCanReplaceTheMetadata() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(
        .put, "a", headers: ["Content-Type": "text/a", "\(client.prefix)meta-x": "1"], body: text)
      let directive = client.provider == .oss ? "REPLACE" : "Replaced"
      let reply = try await client.send(
        .put, "a",
        headers: [
          "\(client.prefix)copy-source": sources(client, "a")[0], "\(client.prefix)metadata-directive": directive,
          "Content-Type": "text/b", "\(client.prefix)meta-y": "2",
        ])
      XCTAssertEqual(reply.status, 200, reply.text)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("content-type"), "text/b")
      XCTAssertNil(head.header("\(client.prefix)meta-x"))
      XCTAssertEqual(head.header("\(client.prefix)meta-y"), "2")
    }
  }

  func testCopyOfAMissingOrUnexpectedSourceIsRejected() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let source = sources(client, "a")[0]
      let cases: [([String: String], Int)] = [
        (["copy-source": sources(client, "b")[0]], 404), (["copy-source": "x"], 400), (["copy-source": "/%zz/a"], 400),
        (["copy-source": source, "copy-source-if-match": "\"x\""], 412),
        (["copy-source": source + "?versionId=1"], 404),
      ]
      for (headers, status) in cases {
        let own = Dictionary(uniqueKeysWithValues: headers.map { (client.prefix + $0.key, $0.value) })
        let reply = try await client.send(.put, "copy", headers: own)
        XCTAssertEqual(reply.status, status, "\(headers)")
      }
      let head = try await client.send(.head, "copy")
      XCTAssertEqual(head.status, 404)
    }
  }
}
