// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests the responses of S3 that its SDKs and the test suites of compatible servers rely on.
final class S3ClientHabitTests: CloudTestCase {
  /// Uploads parts and returns the upload and the document that completes it.
  private func upload(
    _ client: TestClient, _ parts: [[UInt8]], headers: [String: String] = [:], sum: S3Checksum.Algorithm? = nil
  ) async throws -> (id: String, document: [UInt8]) {
    let begun = try await client.send(.post, "big", query: ["uploads": nil], headers: headers)
    let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
    var elements = ""
    for (index, bytes) in parts.enumerated() {
      let part = try await client.send(
        .put, "big", query: ["partNumber": "\(index + 1)", "uploadId": id],
        headers: sum.map { [$0.fieldName: TestClient.sum(bytes, $0)] } ?? [:], body: bytes)
      XCTAssertEqual(part.status, 200, part.text)
      let stated = sum.map { algorithm in
        let name = "Checksum\(algorithm.rawValue.uppercased())"
        return "<\(name)>\(TestClient.sum(bytes, algorithm))</\(name)>"
      }
      let tag = part.header("etag") ?? ""
      elements += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag>\(stated ?? "")</Part>"
    }
    return (id, Array("<CompleteMultipartUpload>\(elements)</CompleteMultipartUpload>".utf8))
  }

  private func complete(
    _ client: TestClient, _ upload: (id: String, document: [UInt8]), _ headers: [String: String] = [:]
  ) async throws -> Reply {
    try await client.send(.post, "big", query: ["uploadId": upload.id], headers: headers, body: upload.document)
  }

  /// Sends what the AWS SDK for C++, and all that is built with it, sends with each request.
  func testAPIVersionIsAccepted() async throws {
    try await withEachService(of: [.s3]) { client in
      let reply = try await client.send(.put, "a", headers: ["x-amz-api-version": "2006-03-01"], body: [1])
      XCTAssertEqual(reply.status, 200, reply.text)
    }
  }

  func testAccessChangeWithAChecksumIsAccepted() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      for key in [nil, "a"] {
        var headers = ["x-amz-acl": "public-read", "x-amz-checksum-crc32": "AAAAAA=="]
        headers["x-amz-sdk-checksum-algorithm"] = "CRC32"
        let changed = try await client.send(.put, key, query: ["acl": nil], headers: headers, body: [])
        XCTAssertEqual(changed.status, 200, changed.text)
        headers["x-amz-checksum-crc32"] = "NhCmhg=="
        let wrong = try await client.send(.put, key, query: ["acl": nil], headers: headers, body: [])
        XCTAssertEqual(try wrong.errorCode, "BadDigest")
      }
      let open = try await client.send(client.request(.get, "a"))
      XCTAssertEqual(open.status, 200)
    }
  }

  func testRepeatedCompletionHasTheFirstResponse() async throws {
    try await withEachService(of: [.s3]) { client in
      let upload = try await upload(client, [[1], [2]])
      let first = try await complete(client, upload)
      XCTAssertEqual(first.status, 200, first.text)
      let again = try await complete(client, upload)
      XCTAssertEqual(again.status, 200, again.text)
      XCTAssertEqual(again.body, first.body)
      XCTAssertEqual(client.cloud.writes(of: .s3, in: Self.bucket), ["big": 1])
      let other = String(decoding: upload.document, as: UTF8.self).replacing(/<Part><PartNumber>2.*?<\/Part>/, with: "")
      let changed = try await complete(client, (upload.id, Array(other.utf8)))
      XCTAssertEqual(try changed.errorCode, "NoSuchUpload")
    }
  }

  func testCompositeChecksumOfACompletionIsCompared() async throws {
    try await withEachService(of: [.s3]) { client in
      for isRight in [false, true] {
        let upload = try await upload(
          client, [[1], [2]], headers: ["x-amz-checksum-algorithm": "SHA256"], sum: .sha256)
        var sum = S3Checksum(.sha256)
        for byte in [1, 2] as [UInt8] {
          var part = S3Checksum(.sha256)
          part.update([isRight ? byte : 3])
          sum.update(part.bytes)
        }
        let reply = try await complete(client, upload, ["x-amz-checksum-sha256": "\(sum.base64)-2"])
        XCTAssertEqual(reply.status, isRight ? 200 : 400, reply.text)
        if !isRight { XCTAssertEqual(try reply.errorCode, "BadDigest") }
      }
    }
  }

  func testSmallPartsAreRejectedExceptTheLast() async throws {
    var configuration = configuration
    configuration.allowsSmallParts = false
    try await withEachService(configuration, of: [.s3]) { client in
      let smallest = 5 << 20
      let small = try await upload(client, [[UInt8](repeating: 0, count: smallest - 1), [1]])
      let refused = try await complete(client, small)
      XCTAssertEqual(refused.status, 400)
      XCTAssertEqual(try refused.errorCode, "EntityTooSmall")
      XCTAssertEqual(try refused.document["MinSizeAllowed"]?.text, "\(smallest)")
      let enough = try await upload(client, [[UInt8](repeating: 0, count: smallest), [1]])
      let done = try await complete(client, enough)
      XCTAssertEqual(done.status, 200, done.text)
    }
  }

  func testMalformedRangeOfACopyIsRejected() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1, 2, 3, 4, 5])
      let begun = try await client.send(.post, "big", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let ranges = [
        "0-2": "InvalidArgument", "bytes=0": "InvalidArgument", "bytes=hello-world": "InvalidArgument",
        "bytes=0-2,3-5": "InvalidArgument", "bytes=0-21": "InvalidRange",
      ]
      for (range, code) in ranges {
        let reply = try await client.send(
          .put, "big", query: ["partNumber": "1", "uploadId": id],
          headers: ["x-amz-copy-source": "/\(Self.bucket)/a", "x-amz-copy-source-range": range])
        XCTAssertEqual(try reply.errorCode, code, range)
        XCTAssertEqual(reply.status, code == "InvalidRange" ? 416 : 400, range)
      }
    }
  }

  func testContentEncodingIsReturnedAsItWasSent() async throws {
    let http = HTTPClient()
    addTeardownBlock { try await http.shutdown() }
    try await withEachService(of: [.s3]) { client in
      let encodings = ["deflate, gzip": "deflate, gzip", "gzip,aws-chunked": "gzip", "aws-chunked": nil]
      for (sent, stored) in encodings {
        _ = try await client.send(.put, "a", headers: ["Content-Encoding": sent], body: [1])
        let head = try await client.send(client.signed(client.request(.head, "a")), over: http)
        XCTAssertEqual(head.header("content-encoding"), stored)
      }
    }
  }

  func testEncryptionWithoutAKeyNamesTheDefaultKey() async throws {
    try await withEachService(of: [.s3]) { client in
      let name = "x-amz-server-side-encryption"
      let put = try await client.send(.put, "a", headers: [name: "aws:kms"], body: [1])
      let key = try XCTUnwrap(put.header("\(name)-aws-kms-key-id"))
      XCTAssertTrue(key.hasPrefix("arn:aws:kms:us-east-1:"), key)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("\(name)-aws-kms-key-id"), key)
      let named = try await client.send(
        .put, "a", headers: [name: "aws:kms", "\(name)-aws-kms-key-id": "key-1"], body: [1])
      XCTAssertEqual(named.header("\(name)-aws-kms-key-id"), "key-1")
    }
  }

  func testEncryptionHeadersOfReadsAreInvalid() async throws {
    try await withEachService(of: [.s3]) { client in
      _ = try await client.send(.put, "a", body: [1])
      for method in [.get, .head] as [HTTPRequest.Method] {
        let read = try await client.send(method, "a", headers: ["x-amz-server-side-encryption": "aws:kms"])
        XCTAssertEqual(read.status, 400, "\(method)")
      }
    }
  }

  /// Sends what boto3 and version 1 of the AWS CLI presign by default in the oldest regions, and expects a remedy.
  func testSignatureVersion2IsRejectedWithWhatToSet() async throws {
    try await withEachService(of: [.s3]) { client in
      var url = try client.request(.get, "a")
      url.path? += "?AWSAccessKeyId=\(Self.key.id)&Expires=1895161600&Signature=AAAA"
      let header = try client.request(.get, "a", headers: ["Authorization": "AWS \(Self.key.id):AAAA"])
      var form = FormBody(
        try client.form(client.formSigners[0], client.policy()), adding: [], file: [1])
      form.fields = [
        FormField("key", "a"), FormField("AWSAccessKeyId", Self.key.id.string), FormField("policy", "e30="),
        FormField("signature", "AAAA"),
      ]
      let replies = [try await client.send(url), try await client.send(header), try await client.post(form)]
      for reply in replies {
        XCTAssertEqual(reply.status, 400, reply.text)
        XCTAssertEqual(try reply.errorCode, "InvalidRequest")
        let message = try reply.document["Message"]?.text ?? ""
        for word in ["Please use AWS4-HMAC-SHA256.", "signature_version", "s3v4", "eu-central-1"] {
          XCTAssertTrue(message.contains(word), message)
        }
      }
    }
  }

  func testOwnerHasACanonicalUserID() async throws {
    try await withEachService(of: [.s3]) { client in
      let list = try await client.send(.get, bucket: nil).document
      let id = try XCTUnwrap(list["Owner"]?["ID"]?.text)
      XCTAssertEqual(id.count, 64)
      XCTAssertTrue(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
      let access = try await client.send(.get, query: ["acl": nil]).document
      XCTAssertEqual(access["Owner"]?["ID"]?.text, id)
    }
  }
}
