// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsyncHTTPClient
internal import HTTPTypes
internal import LocalCloud
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests the responses of OSS that its SDKs and their test suites rely on.
final class OSSAnswerTests: CloudTestCase {
  func testMissingBucketIsReportedBeforeAnUnknownKey() async throws {
    try await withEachService(of: [.oss]) { client in
      var stranger = client
      stranger.key = AccessKey(id: "nobody", secret: "x")
      let queries: [KeyValuePairs<String, String?>] = [["lifecycle": nil], ["website": nil]]
      for query in queries {
        let reply = try await stranger.send(.put, bucket: "missing-1250000000", query: query, body: [])
        XCTAssertEqual(reply.status, 404, "\(query)")
        XCTAssertEqual(try reply.errorCode, "NoSuchBucket")
      }
      for query in [[:], ["acl": nil]] as [KeyValuePairs<String, String?>] {
        let creation = try await stranger.send(
          .put, bucket: "missing-1250000000", query: query, headers: ["x-oss-acl": "private"])
        XCTAssertEqual(try creation.errorCode, "InvalidAccessKeyId", "\(query)")
      }
      let access = try await client.send(
        .put, bucket: "missing-1250000000", query: ["acl": nil], headers: ["x-oss-acl": "private"])
      XCTAssertEqual(try access.errorCode, "NoSuchBucket")
    }
  }

  /// Sends what an SDK that encrypts sends, and expects what it resumes from.
  func testUploadOfAnEncryptingClientIsDescribedInTheListOfItsParts() async throws {
    try await withEachService(of: [.oss]) { client in
      let values = [
        "key": "a2V5", "start": "c3RhcnQ=", "cek-alg": "AES/CTR/NoPadding", "wrap-alg": "RSA/NONE/PKCS1Padding",
        "data-size": "300000", "part-size": "102400",
      ]
      let headers = Dictionary(
        uniqueKeysWithValues: values.map { ("x-oss-meta-client-side-encryption-\($0.key)", $0.value) })
      let begun = try await client.send(.post, "a", query: ["uploads": nil], headers: headers)
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let parts = try await client.send(.get, "a", query: ["uploadId": id]).document
      for (element, name) in [
        "Key": "key", "Start": "start", "CekAlg": "cek-alg", "WrapAlg": "wrap-alg", "DataSize": "data-size",
        "PartSize": "part-size",
      ] {
        XCTAssertEqual(parts["ClientEncryption\(element)"]?.text, values[name])
      }
      let plain = try await client.send(.post, "b", query: ["uploads": nil])
      let other = try XCTUnwrap(try plain.document["UploadId"]?.text)
      let none = try await client.send(.get, "b", query: ["uploadId": other])
      XCTAssertFalse(none.text.contains("ClientEncryption"), none.text)
    }
  }

  /// Expects what `test_copy_crypto_object_with_replace_meta` of the vendor's Python SDK expects.
  func testCopyWithNewMetadataKeepsTheTypeAndTheCipher() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let meta = "\(client.prefix)meta-"
      _ = try await client.send(
        .put, "a",
        headers: [
          "Content-Type": "application/javascript", "\(meta)client-side-encryption-key": "a2V5", "\(meta)old": "1",
        ], body: [1])
      func copy(_ headers: [String: String]) async throws -> Reply {
        let source = [
          "\(client.prefix)copy-source": client.copySource("a"), "\(client.prefix)metadata-directive": "REPLACE",
        ]
        let copied = try await client.send(.put, "b", headers: source.merging(headers) { $1 })
        XCTAssertEqual(copied.status, 200, copied.text)
        return try await client.send(.head, "b")
      }
      let isKept = client.provider == .oss
      let head = try await copy(["\(meta)new": "2"])
      XCTAssertEqual(head.header("content-type"), isKept ? "application/javascript" : "application/octet-stream")
      XCTAssertEqual(head.header("\(meta)client-side-encryption-key"), isKept ? "a2V5" : nil)
      XCTAssertEqual(head.header("\(meta)new"), "2")
      XCTAssertNil(head.header("\(meta)old"))
      let typed = try await copy(["Content-Type": "text/css"])
      XCTAssertEqual(typed.header("content-type"), "text/css")
    }
  }

  func testBucketInThePathOfTheVendorsHostIsForbidden() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let isOSS = client.provider == .oss
      _ = try await client.send(.put, "a", body: [1])
      for (path, start) in [
        ("/\(Self.bucket)/a", "HTTP/1.1 403"), ("/\(Self.bucket)/?acl", "HTTP/1.1 403"), ("/", "HTTP/1.1 200"),
      ] {
        let host = isOSS ? "oss-cn-hangzhou.aliyuncs.com" : "cos.ap-guangzhou.myqcloud.com"
        var request = HTTPRequest(method: .get, scheme: "http", authority: host, path: path)
        if path == "/" { request = try client.signed(request) }
        let lines = ["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: close"]
        let answer = try await RawConnection.exchange(
          RawConnection.head(lines + request.headerFields.map { "\($0.name.rawName): \($0.value)" }),
          with: client.cloud.endpoint(of: client.provider), until: { _ in false })
        XCTAssertTrue(answer.hasPrefix(start), answer)
        let code = isOSS ? "SecondLevelDomainForbidden" : "PathStyleDomainForbidden"
        XCTAssertEqual(answer.contains("<Code>\(code)</Code>"), path != "/", answer)
        XCTAssertTrue(answer.contains("\r\nConnection: close\r\n"), answer)
      }
    }
  }

  func testKeyWithALeadingBackslashIsInvalid() async throws {
    try await withEachService { client in
      let reply = try await client.send(.put, "\\a", body: [1])
      XCTAssertEqual(reply.status, client.provider == .oss ? 400 : 200, reply.text)
      if client.provider == .oss { XCTAssertEqual(try reply.errorCode, "InvalidObjectName") }
      let inside = try await client.send(.put, "a\\b", body: [1])
      XCTAssertEqual(inside.status, 200, inside.text)
    }
  }

  func testURLForAnotherRegionHasItsOwnMessage() async throws {
    var configuration = configuration
    configuration.region = "cn-hangzhou"
    try await withEachService(configuration, of: [.oss]) { client in
      let signer = OSSSigner(region: "cn-beijing")
      let request = try client.request(.get, "a")
      var url = request
      let link = try signer.presign(request, with: client.key, validFor: .seconds(60), in: .at(clock.now))
      url.path = String(link.url.dropFirst("http://\(request.authority ?? "")".count))
      let presigned = try await client.send(url)
      XCTAssertEqual(try presigned.document["Message"]?.text, "The signing region in credential is invalid.")
      let header = try await client.send(signer.signed(request, with: client.key, in: .at(clock.now)))
      XCTAssertEqual(try header.document["Message"]?.text, "Invalid signing region in Authorization header.")
    }
  }

  func testBucketInfoHasTheElementsThatSDKsRead() async throws {
    try await withEachService(of: [.oss]) { client in
      let bucket = try await client.send(.get, query: ["bucketInfo": nil]).document["Bucket"]
      XCTAssertEqual(bucket?["AccessMonitor"]?.text, "Disabled")
      XCTAssertEqual(bucket?["ResourceGroupId"]?.text.isEmpty, false)
      XCTAssertEqual(bucket?["ServerSideEncryptionRule"]?["SSEAlgorithm"]?.text, "None")
    }
  }

  func testTextIsCompressedForAReaderThatAcceptsIt() async throws {
    let http = HTTPClient()
    addTeardownBlock { try await http.shutdown() }
    try await withEachService(of: [.oss, .cos]) { client in
      let text = [UInt8]((0..<300).flatMap { Array("line \($0)\n".utf8) })
      let binary = ["Content-Type": "application/octet-stream"]
      _ = try await client.send(.put, "text", headers: ["Content-Type": "text/plain; charset=utf-8"], body: text)
      _ = try await client.send(.put, "binary", headers: binary, body: text)
      _ = try await client.send(.put, "small", headers: ["Content-Type": "text/plain"], body: Array(text.prefix(1023)))
      func get(_ key: String, _ headers: [String: String]) async throws -> Reply {
        try await client.send(client.signed(client.request(.get, key, headers: headers)), over: http)
      }
      let accepting = ["Accept-Encoding": "deflate, gzip;q=0.5"]
      let packed = try await get("text", accepting)
      guard client.provider == .oss else { return XCTAssertEqual(packed.body, text) }
      XCTAssertEqual(packed.header("content-encoding"), "gzip")
      XCTAssertNil(packed.header("content-length"))
      XCTAssertEqual(packed.header("transfer-encoding"), "chunked")
      XCTAssertNil(packed.header("etag"))
      XCTAssertEqual(packed.body.prefix(3), [0x1f, 0x8b, 8])
      XCTAssertLessThan(packed.body.count, text.count / 2)
      // Between its head of 10 bytes and its end of 8, the gzip format has what the zlib format has after 2 bytes.
      let packing = try XCTUnwrap(Zlib.compress(text))
      XCTAssertEqual(packed.body.dropFirst(10).dropLast(8), packing.dropFirst(2).dropLast(4))
      var sum = CRC(.crc32)
      sum.update(text)
      let number = packed.body.suffix(8).prefix(4).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      XCTAssertEqual(number, sum.checksum)
      for (key, headers) in [
        ("text", [:]), ("text", ["Accept-Encoding": "identity"]), ("binary", accepting), ("small", accepting),
      ] as [(String, [String: String])] {
        let plain = try await get(key, headers)
        XCTAssertNil(plain.header("content-encoding"), key)
        XCTAssertEqual(plain.body, key == "small" ? Array(text.prefix(1023)) : text)
      }
      let range = try await get("text", accepting.merging(["Range": "bytes=0-1999"]) { $1 })
      XCTAssertEqual(range.body, Array(text.prefix(2000)))
    }
  }

  func testRequestsForPartsMayHaveTheHeadersOfTheUpload() async throws {
    try await withEachService(of: [.oss]) { client in
      let headers = ["x-oss-tagging": "a=1", "x-oss-object-acl": "private", "x-oss-traffic-limit": "838860800"]
      let begun = try await client.send(.post, "big", query: ["uploads": nil], headers: headers)
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let part = try await client.send(
        .put, "big", query: ["partNumber": "1", "uploadId": id],
        headers: ["x-oss-object-acl": "private", "x-oss-complete-all": "yes"], body: [1])
      XCTAssertEqual(part.status, 200, part.text)
      let list = try await client.send(.get, "big", query: ["uploadId": id], headers: headers)
      XCTAssertEqual(list.status, 200, list.text)
      let copied = try await client.send(
        .put, "big", query: ["partNumber": "2", "uploadId": id], headers: ["x-oss-tagging": "a=1"], body: [1])
      XCTAssertEqual(copied.status, 501, "No part has tags.")
    }
  }

  func testVersionOfASourceIsNamedInFull() async throws {
    try await withEachService(of: [.oss]) { client in
      let enabled = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
      _ = try await client.send(.put, query: ["versioning": nil], body: Array(enabled.utf8))
      let first = try await client.send(.put, "a", body: [1])
      let version = try XCTUnwrap(first.header("x-oss-version-id"))
      _ = try await client.send(.put, "a", body: [2, 3])
      let empty = try await client.send(.put, "b", headers: ["x-oss-copy-source": client.copySource("a?versionId=")])
      XCTAssertEqual(try empty.errorCode, "InvalidArgument")
      let begun = try await client.send(.post, "b", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let part = try await client.send(
        .put, "b", query: ["partNumber": "1", "uploadId": id, "versionId": version],
        headers: ["x-oss-copy-source": client.copySource("a?versionId=\(version)")])
      XCTAssertEqual(part.status, 200, part.text)
      let meta = try await client.send(.head, "a", query: ["objectMeta": nil, "versionId": version])
      XCTAssertEqual(meta.header("x-oss-version-id"), version)
      XCTAssertEqual(meta.header("content-length"), "1")
    }
  }

  func testStandardStorageClassIsSilentInCOS() async throws {
    try await withEachService(of: [.cos]) { client in
      _ = try await client.send(.put, "a", headers: ["x-cos-storage-class": "STANDARD"], body: [1])
      let head = try await client.send(.head, "a")
      XCTAssertNil(head.header("x-cos-storage-class"))
    }
  }
}
