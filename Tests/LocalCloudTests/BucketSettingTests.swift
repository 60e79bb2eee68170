// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests what a request that creates a bucket says about it, access controls by name, and the expected owner.
final class BucketSettingTests: CloudTestCase {
  private let other = "other-1250000000"

  private func creation(_ elements: KeyValuePairs<String, String>) -> [UInt8] {
    XMLNode("CreateBucketConfiguration", children: elements.map { XMLNode($0.key, $0.value) }).serialized()
  }

  func testStorageClassAndRedundancyOfABucketAreKept() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    try await withEachService(configuration, of: [.oss]) { client in
      let made = try await client.send(
        .put, bucket: other, headers: ["x-oss-acl": "public-read-write"],
        body: creation(["StorageClass": "IA", "DataRedundancyType": "ZRS"]))
      XCTAssertEqual(made.status, 200, made.text)
      _ = try await client.send(.put, "a", bucket: other, body: [1])
      _ = try await client.send(.put, "b", bucket: other, headers: ["x-oss-storage-class": "Standard"], body: [1])
      for (element, text) in [("StorageClass", "Cheap"), ("DataRedundancyType", "XRS")] {
        let refused = try await client.send(.put, bucket: "new-1250000000", body: creation([element: text]))
        XCTAssertEqual(refused.status, 400, element)
      }
    }
    try await withEachService(configuration, of: [.oss]) { client in
      let info = try await client.send(.get, bucket: other, query: ["bucketInfo": nil]).document["Bucket"]
      XCTAssertEqual(info?["StorageClass"]?.text, "IA")
      XCTAssertEqual(info?["DataRedundancyType"]?.text, "ZRS")
      XCTAssertEqual(info?["AccessControlList"]?["Grant"]?.text, "public-read-write")
      let list = try await client.send(.get, bucket: nil).document
      XCTAssertEqual(list["Buckets"]?.all("Bucket").map { $0["StorageClass"]?.text }, ["IA", "Standard"])
      let classes = [
        try await client.send(.head, "a", bucket: other).header("x-oss-storage-class"),
        try await client.send(.head, "b", bucket: other).header("x-oss-storage-class"),
      ]
      XCTAssertEqual(classes, ["IA", "Standard"])
    }
  }

  func testAccessControlsAreNamedAsTheServicesNameThem() async throws {
    try await withEachService { client in
      let names: [(name: String, permissions: [String])] =
        switch client.provider {
        case .oss: [("private", []), ("public-read", []), ("public-read-write", [])]
        case .cos:
          [
            ("private", ["FULL_CONTROL"]), ("public-read", ["FULL_CONTROL", "READ"]),
            ("public-read-write", ["FULL_CONTROL", "READ", "WRITE"]), ("authenticated-read", ["FULL_CONTROL", "READ"]),
          ]
        case .s3:
          [
            ("public-read-write", ["FULL_CONTROL", "READ", "WRITE"]), ("authenticated-read", ["FULL_CONTROL", "READ"]),
            ("bucket-owner-full-control", ["FULL_CONTROL"]), ("private", ["FULL_CONTROL"]),
          ]
        }
      _ = try await client.send(.put, "a", body: [1])
      for (name, permissions) in names {
        let put = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": name])
        XCTAssertEqual(put.status, 200, put.text)
        let list = try await client.send(.get, query: ["acl": nil]).document["AccessControlList"]
        if client.provider == .oss {
          XCTAssertEqual(list?["Grant"]?.text, name)
        } else {
          XCTAssertEqual(list?.all("Grant").map { $0["Permission"]?.text }, permissions, name)
        }
      }
      let wrong = try await client.send(.put, query: ["acl": nil], headers: ["\(client.prefix)acl": "everybody"])
      XCTAssertEqual(wrong.status, 400)
    }
  }

  func testRequestForAnotherOwnersBucketIsDenied() async throws {
    try await withEachService(of: [.s3]) { client in
      for (owner, status) in [("125000000000", 200), ("111122223333", 403)] {
        let put = try await client.send(.put, "a", headers: ["x-amz-expected-bucket-owner": owner], body: [1])
        XCTAssertEqual(put.status, status, owner)
        let copy = try await client.send(
          .put, "b",
          headers: ["x-amz-copy-source": client.copySource("a"), "x-amz-source-expected-bucket-owner": owner])
        XCTAssertEqual(copy.status, status, owner)
        let list = try await client.send(.get, headers: ["x-amz-expected-bucket-owner": owner])
        XCTAssertEqual(list.status, status, owner)
      }
    }
  }

  func testBucketEncryptionWithoutAKeyUsesTheKeyOfTheService() async throws {
    let elements = [XMLNode("SSEAlgorithm", "KMS"), XMLNode("KMSDataEncryption", "SM4")]
    let rule = XMLNode(
      "ServerSideEncryptionRule", children: [XMLNode("ApplyServerSideEncryptionByDefault", children: elements)])
    try await withEachService(of: [.oss]) { client in
      let change = try await client.send(.put, query: ["encryption": nil], body: rule.serialized())
      XCTAssertEqual(change.status, 200, change.text)
      let put = try await client.send(.put, "a", body: [1])
      XCTAssertEqual(put.header("x-oss-server-side-encryption"), "KMS")
      XCTAssertEqual(put.header("x-oss-server-side-data-encryption"), "SM4")
      XCTAssertNotNil(put.header("x-oss-server-side-encryption-key-id"))
    }
  }

  func testTagsOfObjectsAreReadChangedAndDeleted() async throws {
    func document(_ names: [String]) -> [UInt8] {
      let tags = names.map { XMLNode("Tag", children: [XMLNode("Key", $0), XMLNode("Value", "v \($0)")]) }
      return XMLNode("Tagging", children: [XMLNode("TagSet", children: tags)]).serialized()
    }
    try await withEachService { client in
      _ = try await client.send(.put, "a", headers: ["\(client.prefix)tagging": "x=1&first=v%20first"], body: [1])
      func names() async throws -> [String] {
        try await client.send(.get, "a", query: ["tagging": nil]).document["TagSet"]?.all("Tag")
          .map { "\($0["Key"]?.text ?? "")=\($0["Value"]?.text ?? "")" } ?? []
      }
      let stored = try await names()
      XCTAssertEqual(stored, ["first=v first", "x=1"], "Tags are in the order of their names.")
      let put = try await client.send(.put, "a", query: ["tagging": nil], body: document(["x", "日本"]))
      XCTAssertEqual(put.status, 200, put.text)
      let changed = try await names()
      XCTAssertEqual(changed, ["x=v x", "日本=v 日本"])
      let many = try await client.send(.put, "a", query: ["tagging": nil], body: document((0..<11).map { "k\($0)" }))
      XCTAssertEqual(try many.errorCode, "InvalidTag")
      let missing = try await client.send(.get, "missing", query: ["tagging": nil])
      XCTAssertEqual(try missing.errorCode, "NoSuchKey")
      let deleted = try await client.send(.delete, "a", query: ["tagging": nil])
      XCTAssertEqual(deleted.status, 204)
      let head = try await client.send(.head, "a")
      XCTAssertNil(head.header("\(client.prefix)tagging-count"))
      XCTAssertEqual(head.status, 200)
    }
  }

  func testPartsOfAnObjectAreReadByNumber() async throws {
    var configuration = configuration
    configuration.root = try makeDirectory()
    let sizes = [5 << 20, 777]
    try await withEachService(configuration, of: [.s3]) { client in
      let begun = try await client.send(.post, "big", query: ["uploads": nil])
      let id = try begun.document["UploadId"]?.text ?? ""
      var parts = ""
      for (number, size) in zip(1..., sizes) {
        let part = try await client.send(
          .put, "big", query: ["partNumber": "\(number)", "uploadId": id],
          body: [UInt8](repeating: UInt8(number), count: size))
        parts += "<Part><PartNumber>\(number)</PartNumber><ETag>\(part.header("etag") ?? "")</ETag></Part>"
      }
      let done = try await client.send(
        .post, "big", query: ["uploadId": id],
        body: Array("<CompleteMultipartUpload>\(parts)</CompleteMultipartUpload>".utf8))
      XCTAssertEqual(done.status, 200, done.text)
      _ = try await client.send(.put, "small", body: [7, 8])
    }
    try await withEachService(configuration, of: [.s3]) { client in
      let second = try await client.send(.get, "big", query: ["partNumber": "2"])
      XCTAssertEqual(second.status, 206)
      XCTAssertEqual(second.body, [UInt8](repeating: 2, count: 777))
      XCTAssertEqual(second.header("x-amz-mp-parts-count"), "2")
      XCTAssertEqual(second.header("content-range"), "bytes 5242880-5243656/5243657")
      let head = try await client.send(.head, "big", query: ["partNumber": "1"])
      XCTAssertEqual(head.header("content-length"), "\(5 << 20)")
      XCTAssertEqual(head.header("x-amz-mp-parts-count"), "2")
      let small = try await client.send(.get, "small", query: ["partNumber": "1"])
      XCTAssertEqual(small.body, [7, 8])
      XCTAssertNil(small.header("x-amz-mp-parts-count"))
      for key in ["big", "small"] {
        let beyond = try await client.send(.get, key, query: ["partNumber": "3"])
        XCTAssertEqual(beyond.status, 416)
        XCTAssertEqual(try beyond.errorCode, "InvalidPartNumber")
      }
      let both = try await client.send(.get, "big", query: ["partNumber": "1"], headers: ["Range": "bytes=0-1"])
      XCTAssertEqual(both.status, 400)
    }
  }
}
