// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests what S3 stores about an object besides its bytes: tags and attributes, but no versions.
final class S3DescriptionTests: CloudTestCase {
  private func document(_ tags: KeyValuePairs<String, String>) -> [UInt8] {
    let set = tags.map { "<Tag><Key>\($0.key)</Key><Value>\($0.value)</Value></Tag>" }.joined()
    return Array("<Tagging><TagSet>\(set)</TagSet></Tagging>".utf8)
  }

  private func tags(_ reply: Reply) throws -> [[String?]] {
    try XCTUnwrap(reply.document["TagSet"]).all("Tag").map { [$0["Key"]?.text, $0["Value"]?.text] }
  }

  func testTagsAreReadReplacedAndDeleted() async throws {
    try await withEachService(of: [.s3]) { client in
      let put = try await client.send(.put, "a", headers: ["x-amz-tagging": "a=1&b%20c=%E6%97%A5"], body: [1, 2])
      var read = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try tags(read), [["a", "1"], ["b c", "日"]])
      XCTAssertEqual(try read.document.name, "Tagging")
      let before = try await client.send(.head, "a")
      XCTAssertEqual(before.header("x-amz-tagging-count"), "2")

      clock.advance(by: .seconds(60))
      let changed = try await client.send(
        .put, "a", query: ["tagging": nil], body: document(["x": "", "y &amp; z": "&lt;"]))
      XCTAssertEqual(changed.status, 200, changed.text)
      read = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try tags(read), [["x", ""], ["y & z", "<"]])
      let after = try await client.send(.get, "a")
      XCTAssertEqual(after.body, [1, 2])
      XCTAssertEqual(after.header("last-modified"), before.header("last-modified"))
      XCTAssertEqual(after.header("etag"), put.header("etag"))

      let deleted = try await client.send(.delete, "a", query: ["tagging": nil])
      XCTAssertEqual(deleted.status, 204)
      read = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try tags(read), [])
      let rest = try await client.send(.get, "a")
      XCTAssertEqual(rest.body, [1, 2])
      XCTAssertNil(rest.header("x-amz-tagging-count"))
      XCTAssertEqual(client.cloud.writes(of: .s3, in: Self.bucket), ["a": 1])
    }
  }

  func testInvalidTagsAreRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", headers: ["x-amz-tagging": "kept=1"], body: [1])
      let many = (0...10).map { "<Tag><Key>\($0)</Key><Value/></Tag>" }.joined()
      let bodies: [(String, String)] = [
        ("<Tagging><TagSet><Tag><Key></Key><Value/></Tag></TagSet></Tagging>", "InvalidTag"),
        (String(decoding: document(["a": "1", "a": "2"]), as: UTF8.self), "InvalidTag"),
        (String(decoding: document([String(repeating: "é", count: 129): ""]), as: UTF8.self), "InvalidTag"),
        (String(decoding: document(["a": String(repeating: "é", count: 257)]), as: UTF8.self), "InvalidTag"),
        ("<Tagging><TagSet>\(many)</TagSet></Tagging>", "InvalidTag"),
        ("<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>", "MalformedXML"),
        ("<Tagging/>", "MalformedXML"), ("<TagSet/>", "MalformedXML"), ("", "MalformedXML"), ("<", "MalformedXML"),
      ]
      for (body, code) in bodies {
        let reply = try await client.send(.put, "a", query: ["tagging": nil], body: Array(body.utf8))
        XCTAssertEqual(reply.status, 400, body)
        XCTAssertEqual(try reply.errorCode, code, body)
      }
      let wrong = try await client.send(
        .put, "a", query: ["tagging": nil], headers: ["x-amz-checksum-crc32": "AAAAAA=="], body: document(["x": "1"]))
      XCTAssertEqual(try wrong.errorCode, "BadDigest")
      for method in [HTTPRequest.Method.get, .put, .delete] {
        let missing = try await client.send(
          method, "no", query: ["tagging": nil], body: method == .put ? document([:]) : nil)
        XCTAssertEqual(missing.status, 404, missing.text)
        XCTAssertEqual(try missing.errorCode, "NoSuchKey")
      }
      let read = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try tags(read), [["kept", "1"]])
    }
  }

  func testTagsPersistAcrossRestarts() async throws {
    var kept = configuration
    kept.root = try makeDirectory()
    try await withEachService(kept, of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      _ = try await client.send(.put, "a", query: ["tagging": nil], body: document(["x": "1"]))
    }
    try await withEachService(kept, of: [.s3]) { client in
      let read = try await client.send(.get, "a", query: ["tagging": nil])
      XCTAssertEqual(try tags(read), [["x", "1"]])
    }
  }

  func testOnlyRequestedAttributesAreReturned() async throws {
    try await withEachService(of: [.s3]) { client in
      func attributes(_ key: String, _ names: String, headers: [String: String] = [:]) async throws -> Reply {
        try await client.send(
          .get, key, query: ["attributes": nil],
          headers: ["x-amz-object-attributes": names].merging(headers) { $1 })
      }
      let put = try await client.send(
        .put, "a", headers: ["x-amz-checksum-crc32": "NhCmhg==", "x-amz-storage-class": "GLACIER_IR"],
        body: Array("hello".utf8))
      XCTAssertEqual(put.status, 200, put.text)
      let all = try await attributes("a", "ObjectSize,ETag, Checksum,ObjectParts,StorageClass")
      let document = try all.document
      XCTAssertEqual(document.name, "GetObjectAttributesResponse")
      XCTAssertEqual(document.children.map(\.name), ["ETag", "Checksum", "StorageClass", "ObjectSize"])
      XCTAssertEqual(document["ETag"]?.text, put.header("etag")?.replacing("\"", with: ""))
      XCTAssertEqual(document["Checksum"]?["ChecksumCRC32"]?.text, "NhCmhg==")
      XCTAssertEqual(document["Checksum"]?["ChecksumType"]?.text, "FULL_OBJECT")
      XCTAssertEqual(document["StorageClass"]?.text, "GLACIER_IR")
      XCTAssertEqual(document["ObjectSize"]?.text, "5")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(all.header("last-modified"), head.header("last-modified"))
      let size = try await attributes("a", "ObjectSize")
      XCTAssertEqual(try size.document.children.map(\.name), ["ObjectSize"])

      let started = try await client.send(.post, "big", query: ["uploads": nil])
      let id = try XCTUnwrap(try started.document["UploadId"]?.text)
      var list = ""
      for number in 1...2 {
        let part = try await client.send(
          .put, "big", query: ["partNumber": "\(number)", "uploadId": id], body: [UInt8](repeating: 1, count: number))
        list += "<Part><PartNumber>\(number)</PartNumber><ETag>\(part.header("etag") ?? "")</ETag></Part>"
      }
      _ = try await client.send(
        .post, "big", query: ["uploadId": id],
        body: Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8))
      let parts = try await attributes("big", "ObjectParts,ObjectSize")
      XCTAssertEqual(try parts.document["ObjectParts"]?["PartsCount"]?.text, "2")
      XCTAssertEqual(try parts.document["ObjectSize"]?.text, "3")

      for (key, names, status, code) in [
        ("a", "", 400, "InvalidRequest"), ("a", "ETag,Owner", 400, "InvalidArgument"),
        ("a", "etag", 400, "InvalidArgument"), ("no", "ETag", 404, "NoSuchKey"),
      ] {
        let reply = try await attributes(key, names)
        XCTAssertEqual(reply.status, status, names)
        XCTAssertEqual(try reply.errorCode, code, names)
      }
    }
  }

  func testPartsAreListedWithTheirChecksumsIfTheUploadNamedAnAlgorithm() async throws {
    try await withEachService(of: [.s3]) { client in
      func parts(_ key: String, _ headers: [String: String] = [:]) async throws -> Reply {
        try await client.send(
          .get, key, query: ["attributes": nil],
          headers: ["x-amz-object-attributes": "ObjectParts"].merging(headers) { $1 })
      }
      let bodies = (1...3).map { [UInt8](repeating: 1, count: $0) }
      for (key, algorithm) in [("plain", nil), ("summed", "CRC32")] {
        let begun = try await client.send(
          .post, key, query: ["uploads": nil], headers: algorithm.map { ["x-amz-checksum-algorithm": $0] } ?? [:])
        let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
        var list = ""
        for (index, body) in bodies.enumerated() {
          let sum = TestClient.sum(body, .crc32)
          let part = try await client.send(
            .put, key, query: ["partNumber": "\(index + 1)", "uploadId": id],
            headers: algorithm == nil ? [:] : ["x-amz-checksum-crc32": sum], body: body)
          list += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(part.header("etag") ?? "")</ETag>"
          list += algorithm == nil ? "</Part>" : "<ChecksumCRC32>\(sum)</ChecksumCRC32></Part>"
        }
        let done = try await client.send(
          .post, key, query: ["uploadId": id],
          body: Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8))
        XCTAssertEqual(done.status, 200, done.text)
      }
      let plain = try await parts("plain").document["ObjectParts"]
      XCTAssertEqual(plain?.children.map(\.name), ["PartsCount"])
      let all = try await parts("summed").document["ObjectParts"]
      XCTAssertEqual(all?.all("Part").map { $0["ChecksumCRC32"]?.text }, bodies.map { TestClient.sum($0, .crc32) })
      XCTAssertEqual(all?.all("Part").map { $0["Size"]?.text }, ["1", "2", "3"])
      XCTAssertEqual(all?["IsTruncated"]?.text, "false")
      let page = try await parts("summed", ["x-amz-max-parts": "1", "x-amz-part-number-marker": "1"])
        .document["ObjectParts"]
      XCTAssertEqual(page?.all("Part").map { $0["PartNumber"]?.text }, ["2"])
      let values = ["PartsCount", "PartNumberMarker", "NextPartNumberMarker", "MaxParts", "IsTruncated"].map {
        page?[$0]?.text
      }
      XCTAssertEqual(values, ["3", "1", "2", "1", "true"])
      let second = try await client.send(
        .get, "summed", query: ["partNumber": "2"], headers: ["x-amz-checksum-mode": "ENABLED"])
      XCTAssertEqual(second.header("x-amz-checksum-crc32"), TestClient.sum(bodies[1], .crc32))
      XCTAssertEqual(second.header("x-amz-checksum-type"), "COMPOSITE")
      let wrong = try await parts("summed", ["x-amz-max-parts": "x"])
      XCTAssertEqual(try wrong.errorCode, "InvalidArgument")
    }
  }

  func testUnknownVersionIsReportedByEveryOperation() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      let version = "3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY"
      let cases: [(HTTPRequest.Method, KeyValuePairs<String, String?>, Int)] = [
        (.get, ["versionId": version], 404), (.head, ["versionId": version], 404),
        (.get, ["tagging": nil, "versionId": version], 404), (.delete, ["tagging": nil, "versionId": version], 404),
        (.get, ["acl": nil, "versionId": version], 404), (.delete, ["versionId": version], 204),
        (.put, ["versionId": version], 501), (.get, ["versionId": nil], 400),
      ]
      for (method, query, status) in cases {
        let reply = try await client.send(method, "a", query: query, body: method == .put ? [] : nil)
        XCTAssertEqual(reply.status, status, "\(method) \(query) \(reply.text)")
        guard status == 404, method != .head else { continue }
        let error = try reply.document
        XCTAssertEqual(error["Code"]?.text, "NoSuchVersion")
        XCTAssertEqual(error["VersionId"]?.text, version)
        XCTAssertEqual(error["RequestId"]?.text, reply.header("x-amz-request-id"))
      }
      let same = try await client.send(.get, "a", query: ["versionId": "null"])
      XCTAssertEqual(same.body, [1])
    }
  }

  // matrix: S3 V4: bad input
  func testLongestKeyHas1024Bytes() async throws {
    let longest = String(repeating: "é", count: 512)
    try await withEachService(of: [.s3]) { client in
      let put = try await client.send(.put, longest, body: [1])
      XCTAssertEqual(put.status, 200, put.text)
      var endpoint = client.cloud.s3Endpoint
      endpoint.keyByteLimit = 2000
      let request = try endpoint.request(.put, bucket: Self.bucket, key: longest + "a")
      let longer = try await client.send(client.signed(request), body: [1])
      XCTAssertEqual(try longer.errorCode, "KeyTooLongError")
    }
    try await withEachService(of: [.oss, .cos]) { client in
      var endpoint = client.cloud.endpoint(of: client.provider)
      XCTAssertThrowsError(try endpoint.request(.put, bucket: Self.bucket, key: longest))
      endpoint.keyByteLimit = 2000
      let refused = try await client.send(
        client.signed(endpoint.request(.put, bucket: Self.bucket, key: longest)), body: [1])
      XCTAssertEqual(refused.status, 400, refused.text)
      let put = try await client.send(.put, String(longest.dropLast()) + "a", body: [1])
      XCTAssertEqual(put.status, 200, put.text)
    }
  }
}
