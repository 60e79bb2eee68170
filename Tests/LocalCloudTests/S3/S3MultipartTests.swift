// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests the checksums of objects that are uploaded in parts.
final class S3MultipartTests: CloudTestCase {
  private let first = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
  private let second = (0..<777).map { UInt8(truncatingIfNeeded: $0 &* 5) }

  private func begin(_ client: TestClient, _ headers: [String: String] = [:]) async throws -> (Reply, String) {
    let reply = try await client.send(.post, "big", query: ["uploads": nil], headers: headers)
    return (reply, try reply.document["UploadId"]?.text ?? "")
  }

  /// Uploads two parts and returns the elements that name them.
  private func parts(
    _ client: TestClient, _ id: String, _ algorithm: S3Checksum.Algorithm?, stating: Bool = true
  ) async throws -> [String] {
    var elements: [String] = []
    for (number, bytes) in [(1, first), (2, second)] {
      let sum = algorithm.map { TestClient.sum(bytes, $0) }
      var headers: [String: String] = [:]
      if let algorithm, stating { headers[algorithm.fieldName] = sum }
      let reply = try await client.send(
        .put, "big", query: ["partNumber": "\(number)", "uploadId": id], headers: headers, body: bytes)
      XCTAssertEqual(reply.status, 200, reply.text)
      let name = "Checksum\(algorithm?.rawValue.uppercased() ?? "")"
      let stated = sum.map { "<\(name)>\($0)</\(name)>" } ?? ""
      elements.append(
        "<Part><PartNumber>\(number)</PartNumber><ETag>\(reply.header("etag") ?? "")</ETag>\(stated)</Part>")
    }
    return elements
  }

  private func complete(
    _ client: TestClient, _ id: String, _ parts: [String], _ headers: [String: String] = [:]
  ) async throws -> Reply {
    let document = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
    return try await client.send(
      .post, "big", query: ["uploadId": id], headers: headers, body: Array(document.utf8))
  }

  func testFullObjectAndCompositeChecksumsMatchTheBytes() async throws {
    try await withEachService(of: [.s3]) { client in
      let types: [(S3Checksum.Algorithm, String?, String)] = [
        (.crc32, nil, "COMPOSITE"), (.crc32c, "COMPOSITE", "COMPOSITE"), (.sha1, nil, "COMPOSITE"),
        (.sha256, "COMPOSITE", "COMPOSITE"), (.crc32, "FULL_OBJECT", "FULL_OBJECT"),
        (.crc32c, "FULL_OBJECT", "FULL_OBJECT"), (.crc64nvme, nil, "FULL_OBJECT"),
      ]
      for (algorithm, asked, type) in types {
        var headers = ["x-amz-checksum-algorithm": algorithm.rawValue.uppercased()]
        headers["x-amz-checksum-type"] = asked
        let (begun, id) = try await begin(client, headers)
        XCTAssertEqual(begun.header("x-amz-checksum-type"), type)
        let parts = try await parts(client, id, algorithm)
        let listed = try await client.send(.get, "big", query: ["uploadId": id]).document
        XCTAssertEqual(listed["ChecksumType"]?.text, type)
        let done = try await complete(client, id, parts)
        XCTAssertEqual(done.status, 200, done.text)
        var expected = TestClient.sum(first + second, algorithm)
        if type == "COMPOSITE" {
          let sums = [first, second].map { bytes in
            var sum = S3Checksum(algorithm)
            sum.update(bytes)
            return sum.bytes
          }
          expected = "\(TestClient.sum(sums[0] + sums[1], algorithm))-2"
        }
        let head = try await client.send(.head, "big", headers: ["x-amz-checksum-mode": "ENABLED"])
        XCTAssertEqual(head.header(algorithm.fieldName), expected, "\(algorithm) \(type)")
        XCTAssertEqual(head.header("x-amz-checksum-type"), type)
        XCTAssertEqual(try done.document["Checksum\(algorithm.rawValue.uppercased())"]?.text, expected)
      }
      let (_, id) = try await begin(client)
      let plain = try await parts(client, id, nil)
      let done = try await complete(client, id, plain)
      XCTAssertEqual(try done.document["ChecksumCRC64NVME"]?.text, TestClient.sum(first + second, .crc64nvme))
    }
  }

  func testPartWithoutAChecksumIsRejectedInACompositeUpload() async throws {
    try await withEachService(of: [.s3]) { client in
      let uploads: [(headers: [String: String], status: Int)] = [
        (["x-amz-checksum-algorithm": "SHA256"], 400),
        (["x-amz-checksum-algorithm": "CRC32", "x-amz-checksum-type": "COMPOSITE"], 400),
        (["x-amz-checksum-algorithm": "CRC32", "x-amz-checksum-type": "FULL_OBJECT"], 200),
        (["x-amz-checksum-algorithm": "CRC64NVME"], 200), ([:], 200),
      ]
      _ = try await client.send(.put, "a", body: first)
      for (headers, status) in uploads {
        let (_, id) = try await begin(client, headers)
        let query: KeyValuePairs<String, String?> = ["partNumber": "1", "uploadId": id]
        let part = try await client.send(.put, "big", query: query, body: first)
        XCTAssertEqual(part.status, status, "\(headers)")
        if status == 400, let algorithm = headers["x-amz-checksum-algorithm"]?.lowercased() {
          XCTAssertEqual(try part.errorCode, "InvalidRequest")
          XCTAssertEqual(
            try part.document["Message"]?.text,
            "Checksum Type mismatch occurred, expected checksum Type: \(algorithm), actual checksum Type: null")
        }
        let copied = try await client.send(
          .put, "big", query: query, headers: ["x-amz-copy-source": client.copySource("a")])
        XCTAssertEqual(copied.status, 200, "\(headers) \(copied.text)")
      }
    }
  }

  func testCopyOfAnObjectInPartsIsOneWholeObject() async throws {
    try await withEachService(of: [.s3]) { client in
      for algorithm in [nil, .sha256, .crc64nvme] as [S3Checksum.Algorithm?] {
        let (_, id) = try await begin(client, algorithm.map { ["x-amz-checksum-algorithm": $0.rawValue] } ?? [:])
        let done = try await complete(client, id, parts(client, id, algorithm))
        XCTAssertEqual(done.status, 200, done.text)
        let copy = try await client.send(
          .put, "copy", headers: ["x-amz-copy-source": client.copySource("big")])
        let tag = client.tag(MD5.hash(first + second).hex)
        XCTAssertEqual(try copy.document["ETag"]?.text, tag)
        let head = try await client.send(.head, "copy", headers: ["x-amz-checksum-mode": "ENABLED"])
        XCTAssertEqual(head.header("etag"), tag)
        let stored = algorithm ?? .crc64nvme
        XCTAssertEqual(head.header(stored.fieldName), TestClient.sum(first + second, stored))
        XCTAssertEqual(head.header("x-amz-checksum-type"), "FULL_OBJECT")
        let whole = try await client.send(.head, "copy", query: ["partNumber": "1"])
        XCTAssertEqual(whole.header("content-length"), "\(first.count + second.count)")
        XCTAssertNil(whole.header("x-amz-mp-parts-count"))
        let beyond = try await client.send(.head, "copy", query: ["partNumber": "2"])
        XCTAssertEqual(beyond.status, 416)
        let read = try await client.send(.get, "copy")
        XCTAssertEqual(read.body, first + second)
      }
    }
  }

  func testUnsupportedChecksumTypesAreRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      for (algorithm, type) in [
        ("CRC64NVME", "COMPOSITE"), ("SHA1", "FULL_OBJECT"), ("SHA256", "FULL_OBJECT"), ("CRC32", "HALF"),
      ] {
        let (reply, _) = try await begin(
          client, ["x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type])
        XCTAssertEqual(try reply.errorCode, "InvalidRequest", "\(algorithm) \(type)")
      }
      let (unknown, _) = try await begin(client, ["x-amz-checksum-algorithm": "MD4"])
      XCTAssertEqual(try unknown.errorCode, "InvalidRequest")
      let (alone, _) = try await begin(client, ["x-amz-checksum-type": "COMPOSITE"])
      XCTAssertEqual(try alone.errorCode, "InvalidRequest")
    }
  }

  // matrix: S3 V4: bad input
  func testChecksumThatDiffersFromTheUploadsIsRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      let (_, id) = try await begin(client, ["x-amz-checksum-algorithm": "CRC32"])
      let other = try await client.send(
        .put, "big", query: ["partNumber": "1", "uploadId": id],
        headers: ["x-amz-checksum-sha1": TestClient.sum(first, .sha1)], body: first)
      XCTAssertEqual(try other.errorCode, "InvalidRequest")
      let wrong = try await client.send(
        .put, "big", query: ["partNumber": "1", "uploadId": id],
        headers: ["x-amz-checksum-crc32": TestClient.sum(second, .crc32)], body: first)
      XCTAssertEqual(try wrong.errorCode, "BadDigest")
      let parts = try await parts(client, id, .crc32)
      let bare = parts.map { $0.replacing(/<ChecksumCRC32>.*<\/ChecksumCRC32>/, with: "") }
      let missing = try await complete(client, id, bare)
      XCTAssertEqual(try missing.errorCode, "InvalidRequest")
      XCTAssertTrue(missing.text.contains("It was missing for part 1"), missing.text)
      let swapped = parts.map { $0.replacing(/<ChecksumCRC32>[^<]*</, with: "<ChecksumCRC32>AAAAAA==<") }
      let invalid = try await complete(client, id, swapped)
      XCTAssertEqual(try invalid.errorCode, "InvalidPart")
      for headers in [
        ["x-amz-checksum-crc32": "AAAAAA=="], ["x-amz-checksum-type": "FULL_OBJECT"], ["x-amz-mp-object-size": "1"],
        ["If-Match": "\"0\""],
      ] {
        let refused = try await complete(client, id, parts, headers)
        XCTAssertTrue((400...412).contains(refused.status), "\(headers) \(refused.text)")
      }
      let head = try await client.send(.head, "big")
      XCTAssertEqual(head.status, 404)
      let size = "\(first.count + second.count)"
      let done = try await complete(
        client, id, parts, ["x-amz-mp-object-size": size, "If-None-Match": "*", "x-amz-checksum-type": "COMPOSITE"])
      XCTAssertEqual(done.status, 200, done.text)
    }
  }
}
