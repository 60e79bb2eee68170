// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests responses that once hid an error from clients or could not be parsed by them.
final class ServiceAnswerTests: CloudTestCase {
  private let text = Array("123456789".utf8)

  func testCopyToAMissingBucketIsNoSuchBucket() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let reply = try await client.send(
        .put, "copy", bucket: "missing-1250000000", headers: ["\(client.prefix)copy-source": client.copySource("a")])
      XCTAssertEqual(reply.status, 404)
      XCTAssertEqual(try reply.errorCode, "NoSuchBucket")
      if client.provider == .oss { XCTAssertEqual(reply.header("x-oss-ec"), "0015-00000101") }
    }
  }

  func testErrorsContainNoFilePathOfTheServer() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration) { client in
      _ = try await client.send(.put, "a", body: text)
      try FileManager.default.removeItem(atPath: "\(root)/\(client.provider.rawValue)")
      let source = ["\(client.prefix)copy-source": client.copySource("a")]
      let replies = [
        try await client.send(.put, "b", body: text), try await client.send(.put, "c", headers: source),
      ]
      for reply in replies {
        XCTAssertEqual(reply.status, 500, reply.text)
        XCTAssertFalse(reply.text.contains(root), reply.text)
        XCTAssertFalse(reply.text.contains("localcloud-test"), reply.text)
        XCTAssertEqual(try reply.errorCode, "InternalError")
      }
    }
  }

  func testEmptyContinuationTokenMeansTheFirstPage() async throws {
    try await withEachService { client in
      for key in ["a", "b", "c"] { _ = try await client.send(.put, key, body: text) }
      let list = try await client.send(
        .get, query: ["list-type": "2", "start-after": "a", "continuation-token": ""]
      ).document
      XCTAssertEqual(list.all("Contents").compactMap { $0["Key"]?.text }, ["b", "c"])
      XCTAssertEqual(list["ContinuationToken"]?.text, "")
    }
  }

  func testEmptyHeaderIsIgnored() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: text)
      let begun = try await client.send(.post, "b", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let part = try await client.send(
        .put, "b", query: ["partNumber": "1", "uploadId": id],
        headers: [
          "\(client.prefix)copy-source": client.copySource("a"), "\(client.prefix)copy-source-range": "",
          "\(client.prefix)copy-source-if-match": "",
        ])
      XCTAssertEqual(part.status, 200, part.text)
      let put = try await client.send(
        .put, "c", headers: ["\(client.prefix)storage-class": "", "\(client.prefix)tagging": ""], body: text)
      XCTAssertEqual(put.status, 200, put.text)
      let digest = try await client.send(.put, "c", headers: ["Content-MD5": ""], body: text)
      XCTAssertEqual(digest.status, client.provider == .s3 ? 400 : 200, digest.text)
      if client.provider == .s3 { XCTAssertEqual(try digest.errorCode, "InvalidDigest") }
    }
  }

  /// Expects the MD5 of the parts' entity tags: for OSS of their hexadecimal text, as in the vendor's `test-vector`
  /// (here of two empty parts: `printf 'D41D8CD98F00B204E9800998ECF8427E%.0s' 1 2 | md5sum`), for the other services of
  /// the sixteen bytes of each.
  func testMultipartEntityTagIsDerivedAsByTheService() async throws {
    try await withEachService { client in
      let begun = try await client.send(.post, "a", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      var parts: [XMLNode] = []
      for number in 1...2 {
        let part = try await client.send(.put, "a", query: ["partNumber": "\(number)", "uploadId": id], body: [])
        parts.append(
          XMLNode(
            "Part",
            children: [XMLNode("PartNumber", "\(number)"), XMLNode("ETag", part.header("etag") ?? "")]))
      }
      let done = try await client.send(
        .post, "a", query: ["uploadId": id],
        body: XMLNode("CompleteMultipartUpload", children: parts).serialized())
      let tag = client.provider == .oss ? "00D4C36433BC4719D88AB49FB1726E36-2" : "5873dd45edd01f09c1ef2e7819369e8e-2"
      XCTAssertEqual(try done.document["ETag"]?.text, "\"\(tag)\"")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("etag"), "\"\(tag)\"")
    }
  }

  func testBucketIsCheckedBeforeTheAccessKey() async throws {
    try await withEachService { client in
      var stranger = client
      stranger.key = AccessKey(id: "nobody", secret: "x")
      for key in [nil, "a"] as [String?] {
        let missing = try await stranger.send(.get, key, bucket: "missing-1250000000")
        XCTAssertEqual(missing.status, 404)
        XCTAssertEqual(try missing.errorCode, "NoSuchBucket")
      }
      let known = try await stranger.send(.get, "a")
      XCTAssertEqual(try known.errorCode, "InvalidAccessKeyId")
      let made = try await stranger.send(.put, bucket: "missing-1250000000")
      XCTAssertEqual(try made.errorCode, "InvalidAccessKeyId")
    }
  }

  func testRequestIDsHaveTheFormOfTheService() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      var seen: Set<String> = []
      for _ in 0..<8 {
        let reply = try await client.send(.get, "missing")
        let id = try XCTUnwrap(reply.header("\(client.prefix)request-id"))
        XCTAssertEqual(try reply.document["RequestId"]?.text, id)
        XCTAssertTrue(seen.insert(id).inserted)
        switch client.provider {
        case .oss:
          XCTAssertEqual(id.utf8.count, 24)
          XCTAssertTrue(id.allSatisfy { $0.isHexDigit && !$0.isLowercase }, id)
        case .cos, .s3:
          let bytes = try XCTUnwrap(Data(base64Encoded: id))
          XCTAssertEqual(String(decoding: bytes, as: UTF8.self).split(separator: "_").count, 4, id)
        }
      }
    }
  }

  func testDetailedOSSErrorCodes() async throws {
    try await withEachService { client in
      guard client.provider == .oss else { return }
      let part = try await client.send(.put, "a", query: ["partNumber": "1", "uploadId": "x"], body: text)
      let abort = try await client.send(.delete, "a", query: ["uploadId": "x"])
      let key = try await client.send(.get, "a")
      let begun = try await client.send(.post, "a", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let all = try await client.send(
        .post, "a", query: ["uploadId": id], headers: ["x-oss-complete-all": "yes"], body: text)
      let bucket = try await client.send(.get, "a", bucket: "missing-1250000000")
      let codes = [
        (part, "0042-00000104"), (abort, "0042-00000002"), (key, "0026-00000001"), (all, "0042-00000216"),
        (bucket, "0015-00000101"),
      ]
      for (reply, code) in codes {
        XCTAssertEqual(try reply.document["EC"]?.text, code, reply.text)
        XCTAssertEqual(reply.header("x-oss-ec"), code)
      }
    }
  }

  func testBucketInfoEndpointsContainNoBucket() async throws {
    try await withEachService { client in
      guard client.provider == .oss else { return }
      let request = try client.signed(
        HTTPRequest(
          method: .get, scheme: "http", authority: "\(Self.bucket).oss-cn-hangzhou.aliyuncs.com", path: "/?bucketInfo"))
      let fields = request.headerFields.map { "\($0.name.rawName): \($0.value)" }
      let answer = try await RawConnection.exchange(
        RawConnection.head(
          ["GET /?bucketInfo HTTP/1.1", "Host: \(request.authority ?? "")", "Connection: close"] + fields),
        with: client.cloud.ossEndpoint, until: { _ in false })
      XCTAssertTrue(answer.contains("<ExtranetEndpoint>oss-cn-hangzhou.aliyuncs.com</ExtranetEndpoint>"), answer)
      XCTAssertTrue(
        answer.contains("<IntranetEndpoint>oss-cn-hangzhou-internal.aliyuncs.com</IntranetEndpoint>"), answer)
    }
  }

  func testKeyIDsAreComparedExactly() async throws {
    var configuration = configuration
    let key = AccessKey(id: "AKID", secret: "secret")
    configuration.accounts.append(.init(key))
    try await withEachService(configuration) { client in
      var respelt = client
      respelt.key = AccessKey(id: "A\u{212A}ID", secret: "secret")
      let query = client.provider == .oss ? "x" : "y"
      do {
        let reply = try await respelt.send(.get, query: [query: "1"])
        XCTAssertTrue((400...403).contains(reply.status), reply.text)
      } catch is SigningError {
        // No signer writes such an identifier.
      }
    }
  }
}
