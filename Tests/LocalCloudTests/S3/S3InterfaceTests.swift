// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests the S3-compatible interfaces of OSS and COS, which clients such as rclone and Hadoop use.
final class S3InterfaceTests: CloudTestCase {
  /// Runs a server, and passes on a client of OSS and one of COS.
  private func withEachInterface(_ body: (TestClient) async throws -> Void) async throws {
    try await withEachService(of: [.oss, .cos], body)
  }

  /// Signs a request as S3 clients do, for any region, and sends it.
  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ key: String? = nil,
    query: KeyValuePairs<String, String?> = [:], headers: [String: String] = [:], body: [UInt8] = [],
    region: String = "us-east-1", at offset: Duration = .zero
  ) async throws -> Reply {
    let request = try client.request(method, key, query: query, headers: headers)
    let signer = S3Signer(region: region, payload: .bytes(body))
    let date = clock.now.advanced(by: offset)
    return try await client.send(signer.signed(request, with: client.key, in: .at(date)), body: body)
  }

  // matrix: S3 V4 at OSS and COS: header, verify
  func testObjectsAreSharedWithTheServicesOwnInterface() async throws {
    try await withEachInterface { client in
      let put = try await send(
        client, .put, "dir/a b", headers: ["x-amz-meta-a": "1", "x-amz-storage-class": "STANDARD_IA"], body: [1, 2])
      XCTAssertEqual(put.status, 200, put.text)
      XCTAssertNotNil(put.header("x-amz-request-id"))
      let own = try await client.send(.get, "dir/a b")
      XCTAssertEqual(own.body, [1, 2])
      XCTAssertEqual(own.header("\(client.prefix)meta-a"), "1")
      XCTAssertEqual(own.header("\(client.prefix)storage-class"), client.provider == .oss ? "IA" : "STANDARD_IA")
      _ = try await client.send(.put, "own", headers: ["\(client.prefix)meta-b": "2"], body: [3])
      let got = try await send(client, .get, "own", region: "cn-hangzhou")
      XCTAssertEqual(got.body, [3])
      XCTAssertEqual(got.header("x-amz-meta-b"), "2")
      XCTAssertEqual(got.header("etag"), client.tag(MD5.hash([3]).hex))
      let head = try await send(client, .head, "dir/a b", region: "auto")
      XCTAssertEqual(head.header("x-amz-storage-class"), "STANDARD_IA")
      let list = try await send(client, .get, query: ["list-type": "2", "prefix": "dir/"])
      XCTAssertEqual(try list.document["Contents"]?["StorageClass"]?.text, "STANDARD_IA")
      XCTAssertTrue(list.text.contains("xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""), list.text)
      XCTAssertEqual(client.cloud.statistics.verified[.s3V4], client.provider == .oss ? 4 : 8)
    }
  }

  func testUploadInPartsIsCompleted() async throws {
    try await withEachInterface { client in
      let begun = try await send(client, .post, "big", query: ["uploads": nil])
      let id = try XCTUnwrap(try begun.document["UploadId"]?.text)
      let part = try await send(client, .put, "big", query: ["partNumber": "1", "uploadId": id], body: [7])
      let tag = try XCTUnwrap(part.header("etag"))
      let document = Array(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(tag)</ETag></Part></CompleteMultipartUpload>"
          .utf8)
      let done = try await send(client, .post, "big", query: ["uploadId": id], body: document)
      XCTAssertEqual(done.status, 200, done.text)
      let own = try await client.send(.get, "big")
      XCTAssertEqual(own.body, [7])
    }
  }

  // matrix: S3 V4 at OSS and COS: presign, expiry
  func testURLIsVerifiedUntilItExpires() async throws {
    try await withEachInterface { client in
      _ = try await client.send(.put, "a", body: [1])
      let plain = try client.request(.get, "a")
      let link = try S3Signer(region: "us-east-1").presign(
        plain, with: client.key, validFor: .seconds(60), in: .at(clock.now))
      var request = plain
      request.path = String(link.url.dropFirst("http://\(plain.authority ?? "")".count))
      let open = try await client.send(request)
      XCTAssertEqual(open.body, [1])
      clock.advance(by: .seconds(61))
      let expired = try await client.send(request)
      clock.advance(by: .seconds(-61))
      XCTAssertEqual(expired.status, 403)
      XCTAssertEqual(try expired.document["Message"]?.text, "Request has expired")
    }
  }

  // matrix: S3 V4 at OSS and COS: verify, skew, bad input
  func testRequestsThatTheServicesRejectAreRejected() async throws {
    try await withEachInterface { client in
      var stranger = client
      stranger.key = AccessKey(id: Self.key.id, secret: "other")
      let mismatch = try await send(stranger, .put, "a", body: [1])
      XCTAssertEqual(try mismatch.errorCode, "SignatureDoesNotMatch")
      stranger.key = AccessKey(id: "nobody", secret: "other")
      let unknown = try await send(stranger, .put, "a", body: [1])
      XCTAssertEqual(try unknown.errorCode, "InvalidAccessKeyId")
      let late = try await send(client, .put, "a", body: [1], at: .seconds(-901))
      XCTAssertEqual(try late.errorCode, "RequestTimeTooSkewed")
      var changed = try S3Signer(region: "us-east-1", payload: .bytes([1])).signed(
        client.request(.put, "a"), with: client.key, in: .at(clock.now))
      let other = try await client.send(changed, body: [2])
      XCTAssertEqual(try other.errorCode, "XAmzContentSHA256Mismatch")
      changed.headerFields[.authorization] = "AWS \(Self.key.id):AAAA"
      let version2 = try await client.send(changed, body: [1])
      XCTAssertEqual(try version2.errorCode, "InvalidRequest")
      var trailed = try client.request(
        .put, "a", headers: ["x-amz-decoded-content-length": "1", "x-amz-trailer": "x-amz-checksum-crc32"])
      trailed = try S3Signer(region: "us-east-1", payload: .unsignedChunksWithTrailer).signed(
        trailed, with: client.key, in: .at(clock.now))
      let body = "1\r\na\r\n0\r\nx-amz-checksum-crc32:6Le+Qw==\r\n\r\n"
      let refused = try await client.send(trailed, body: Array(body.utf8))
      XCTAssertEqual(refused.status, 400, refused.text)
      XCTAssertEqual(try refused.errorCode, "NotImplemented")
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.status, 404)
    }
  }

  func testDeletionOfSeveralObjectsNeedsADigest() async throws {
    try await withEachInterface { client in
      _ = try await client.send(.put, "a", body: [1])
      let document = Array("<Delete><Object><Key>a</Key></Object></Delete>".utf8)
      let sum = ["x-amz-checksum-crc32": TestClient.sum(document, .crc32)]
      let refused = try await send(client, .post, query: ["delete": nil], headers: sum, body: document)
      XCTAssertEqual(try refused.errorCode, "InvalidRequest")
      let digest = ["Content-MD5": MD5.hash(document).base64]
      let deleted = try await send(client, .post, query: ["delete": nil], headers: digest, body: document)
      XCTAssertEqual(deleted.status, 200, deleted.text)
    }
  }

  func testBucketIsReadFromTheHostsOfTheServices() async throws {
    try await withEachInterface { client in
      _ = try await client.send(.put, "a", body: [7])
      let (hosts, service) =
        client.provider == .oss
        ? (["s3.oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou.aliyuncs.com"], "s3.oss-cn-hangzhou.aliyuncs.com")
        : (["cos.ap-guangzhou.myqcloud.com"], "cos.ap-guangzhou.myqcloud.com")
      let cases =
        hosts.map { ("\(Self.bucket).\($0)", "/a", "HTTP/1.1 200") } + [
          (service, "/\(Self.bucket)/a", "HTTP/1.1 403"), (service, "/", "HTTP/1.1 200"),
        ]
      for (host, path, start) in cases {
        let request = try S3Signer(region: "us-east-1").signed(
          HTTPRequest(method: .get, scheme: "http", authority: host, path: path), with: client.key, in: .at(clock.now))
        let lines = ["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: close"]
        let answer = try await RawConnection.exchange(
          RawConnection.head(lines + request.headerFields.map { "\($0.name.rawName): \($0.value)" }),
          with: client.cloud.endpoint(of: client.provider), until: { _ in false })
        XCTAssertTrue(answer.hasPrefix(start), "\(host)\(path): \(answer)")
      }
    }
  }
}
