// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests that an object encrypted with a customer-provided key (SSE-C) is read only with that key.
final class CustomerKeyTests: CloudTestCase {
  private let text = Array("123456789".utf8)
  private let first = [UInt8](repeating: 1, count: 32)
  private let second = [UInt8](repeating: 2, count: 32)

  private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  private func headers(_ key: [UInt8], _ place: String = "") -> [String: String] {
    let name = "x-cos-\(place)server-side-encryption-customer-"
    return [
      "\(name)algorithm": "AES256", "\(name)key": base64(key), "\(name)key-MD5": base64(MD5.hash(key).bytes),
    ]
  }

  private func withCOS(_ body: (TestClient) async throws -> Void) async throws {
    try await withEachService { client in
      if client.provider == .cos { try await body(client) }
    }
  }

  func testObjectIsReadOnlyWithItsKey() async throws {
    try await withCOS { client in
      let put = try await client.send(.put, "a", headers: headers(first), body: text)
      XCTAssertEqual(put.status, 200, put.text)
      XCTAssertEqual(put.header("x-cos-server-side-encryption-customer-algorithm"), "AES256")
      for method in [.get, .head] as [HTTPRequest.Method] {
        let right = try await client.send(method, "a", headers: headers(first))
        XCTAssertEqual(right.status, 200)
        XCTAssertEqual(
          right.header("x-cos-server-side-encryption-customer-key-md5"), base64(MD5.hash(first).bytes))
        let missing = try await client.send(method, "a")
        XCTAssertEqual(missing.status, 400)
        XCTAssertEqual(missing.body == text, false)
        let wrong = try await client.send(method, "a", headers: headers(second))
        XCTAssertEqual(wrong.status, 403)
      }
      let get = try await client.send(.get, "a", headers: headers(first))
      XCTAssertEqual(get.body, text)
    }
  }

  func testUnencryptedObjectIsNotReadWithAKey() async throws {
    try await withCOS { client in
      _ = try await client.send(.put, "a", body: text)
      let get = try await client.send(.get, "a", headers: headers(first))
      XCTAssertEqual(try get.errorCode, "InvalidRequest")
    }
  }

  func testIncompleteKeyIsRejected() async throws {
    try await withCOS { client in
      for name in headers(first).keys {
        var partial = headers(first)
        partial[name] = nil
        let put = try await client.send(.put, "a", headers: partial, body: text)
        XCTAssertEqual(try put.errorCode, "InvalidArgument", name)
      }
      var mixed = headers(first)
      mixed["x-cos-server-side-encryption-customer-key"] = base64(second)
      let put = try await client.send(.put, "a", headers: mixed, body: text)
      XCTAssertEqual(put.status, 400)
      XCTAssertFalse(put.text.contains(base64(second)), "the error response contains the key")
      let short = try await client.send(.put, "a", headers: headers([1, 2, 3]), body: text)
      XCTAssertEqual(short.status, 400)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.status, 404)
    }
  }

  func testPartsRequireTheKeyOfTheirUpload() async throws {
    try await withCOS { client in
      let begun = try await client.send(.post, "a", query: ["uploads": nil], headers: headers(first))
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let query: KeyValuePairs<String, String?> = ["partNumber": "1", "uploadId": id]
      let missing = try await client.send(.put, "a", query: query, body: text)
      XCTAssertEqual(missing.status, 400)
      let wrong = try await client.send(.put, "a", query: query, headers: headers(second), body: text)
      XCTAssertEqual(wrong.status, 403)
      let part = try await client.send(.put, "a", query: query, headers: headers(first), body: text)
      XCTAssertEqual(part.status, 200, part.text)
      let document = XMLNode(
        "CompleteMultipartUpload",
        children: [
          XMLNode(
            "Part", children: [XMLNode("PartNumber", "1"), XMLNode("ETag", part.header("etag") ?? "")])
        ])
      let completed = try await client.send(.post, "a", query: ["uploadId": id], body: document.serialized())
      XCTAssertEqual(completed.status, 200, completed.text)
      let plain = try await client.send(.get, "a")
      XCTAssertEqual(plain.status, 400)
      let get = try await client.send(.get, "a", headers: headers(first))
      XCTAssertEqual(get.body, text)
    }
  }

  func testCopyRequiresTheKeyOfItsSource() async throws {
    try await withCOS { client in
      _ = try await client.send(.put, "a", headers: headers(first), body: text)
      let source = ["x-cos-copy-source": client.copySource("a")]
      let missing = try await client.send(.put, "copy", headers: source)
      XCTAssertEqual(missing.status, 400)
      let wrong = try await client.send(
        .put, "copy", headers: source.merging(headers(second, "copy-source-")) { $1 })
      XCTAssertEqual(wrong.status, 403)
      let both = source.merging(headers(first, "copy-source-")) { $1 }.merging(headers(second)) { $1 }
      let right = try await client.send(.put, "copy", headers: both)
      XCTAssertEqual(right.status, 200, right.text)
      let old = try await client.send(.get, "copy", headers: headers(first))
      XCTAssertEqual(old.status, 403)
      let get = try await client.send(.get, "copy", headers: headers(second))
      XCTAssertEqual(get.body, text)
    }
  }

  func testNoFileOfTheServerContainsTheKey() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration) { client in
      guard client.provider == .cos else { return }
      _ = try await client.send(.put, "a", headers: headers(first), body: text)
    }
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".json") {
      let record = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      XCTAssertFalse(record.contains(base64(first)), path)
    }
    try await withEachService(configuration) { client in
      guard client.provider == .cos else { return }
      let plain = try await client.send(.get, "a")
      XCTAssertEqual(plain.status, 400)
      let get = try await client.send(.get, "a", headers: headers(first))
      XCTAssertEqual(get.body, text)
    }
  }
}
