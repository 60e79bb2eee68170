// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import StorageCrypto
import XCTest

/// Tests the client's S3-specific behaviour: checksums, payload hashes, conditions and regions.
final class S3ProviderTests: XCTestCase {
  private func client(
    _ transport: RecordingTransport, endpoint: String? = endpoint, integrity: S3Integrity = S3Integrity()
  ) -> StorageClient<S3Provider> {
    SecretWatch.install()
    return StorageClient(
      .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint, integrity: integrity), credentials: key,
      configuration: .test, transport: transport)
  }

  private func header(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }

  private var defaultEndpoint: String { endpoint }

  /// The bytes "123456789", whose checksums the catalogue of CRCs lists.
  private let digits = Array("123456789".utf8)
  private let digitsNVME = "rosUhgp5mIg="
  private let digitsCRC32 = "y/Q5Jg=="
  private let digitsSHA256 = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"

  // MARK: Bodies

  func testUploadSendsItsChecksumAndOverHTTPItsPayloadHash() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200, "", ["ETag": "\"E\""])])
    let uploaded = try await client(transport).upload(digits, to: "a")
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.headers[header("x-amz-checksum-crc64nvme")], digitsNVME)
    XCTAssertEqual(request.headers[header("x-amz-content-sha256")], digitsSHA256)
    XCTAssertEqual(uploaded.checksum, ObjectChecksum(.crc64NVME, 0xAE8B_1486_0A79_9888))
    XCTAssertTrue(
      try XCTUnwrap(request.headers[.authorization]).contains("x-amz-checksum-crc64nvme;x-amz-content-sha256"))
  }

  func testPayloadHashIsOmittedOverHTTPSOrOnRequest() async throws {
    for (endpoint, signing, expected) in [
      ("https://s3.example.com", S3Integrity.BodySigning.automatic, "UNSIGNED-PAYLOAD"),
      ("https://s3.example.com", .always, digitsSHA256), (defaultEndpoint, .never, "UNSIGNED-PAYLOAD"),
    ] {
      let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
      let client = client(transport, endpoint: endpoint, integrity: S3Integrity(bodySigning: signing))
      try await client.upload(digits, to: "a")
      XCTAssertEqual(transport.requests.first?.headers[header("x-amz-content-sha256")], expected, endpoint)
    }
  }

  func testChecksumAlgorithmIsConfigurable() async throws {
    var transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    try await client(transport, integrity: S3Integrity(checksum: .crc32))
      .upload(digits, to: "a")
    XCTAssertEqual(transport.requests.first?.headers[header("x-amz-checksum-crc32")], digitsCRC32)
    transport = RecordingTransport(replies: [
      HTTPStreamingResponse(200, "", ["x-amz-checksum-crc64nvme": "AAAAAAAAAAA="])
    ])
    await assertThrows(
      StorageError.self,
      {
        try await client(transport, integrity: S3Integrity(checksum: nil))
          .upload(digits, to: "a")
      }, { XCTAssertEqual($0.code, .checksumMismatch) })
    let names = try XCTUnwrap(transport.requests.first).headers.map(\.name.canonicalName)
    XCTAssertFalse(names.contains { $0.hasPrefix("x-amz-checksum-") }, "\(names)")
  }

  func testCallersChecksumTakesPrecedence() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    let options = UploadOptions(headers: [header("x-amz-checksum-sha256"): "AAAA"])
    try await client(transport).upload(.bytes(digits), to: "a", options: options, progress: nil)
    let headers = try XCTUnwrap(transport.requests.first).headers
    XCTAssertEqual(headers[header("x-amz-checksum-sha256")], "AAAA")
    XCTAssertNil(headers[header("x-amz-checksum-crc64nvme")])
  }

  func testHeaderSetByTheClientIsRejected() async throws {
    let transport = RecordingTransport(replies: [])
    for name in ["x-amz-content-sha256", "x-amz-trailer", "x-amz-checksum-algorithm", "x-amz-security-token"] {
      let options = UploadOptions(headers: [header(name): "x"])
      await assertThrows(
        StorageError.self,
        { try await client(transport).upload(.bytes(digits), to: "a", options: options, progress: nil) },
        { XCTAssertEqual($0.code, .invalidOption, name) })
    }
  }

  // MARK: Parts

  func testMultipartUploadSendsTheChecksumsOfPartsAndObject() async throws {
    let bytes = pattern(250_000)
    let service = MultipartService()
    let transport = RecordingTransport(service.answer)
    let object = try await client(transport).upload(bytes, to: "big")
    XCTAssertEqual(service.object, bytes)
    let requests = transport.requests.sorted {
      ($0.parameter("partNumber") ?? "0") < ($1.parameter("partNumber") ?? "0")
    }
    .sorted {
      ($0.method == .put ? 1 : $0.parameter("uploads") != nil ? 0 : 2)
        < ($1.method == .put ? 1 : $1.parameter("uploads") != nil ? 0 : 2)
    }
    XCTAssertEqual(requests.map(\.method), [.post, .put, .put, .put, .post])
    XCTAssertEqual(requests[0].headers[header("x-amz-checksum-algorithm")], "CRC64NVME")
    XCTAssertEqual(requests[0].headers[header("x-amz-checksum-type")], "FULL_OBJECT")
    for part in requests[1...3] {
      XCTAssertEqual(
        part.headers[header("x-amz-checksum-crc64nvme")], ObjectChecksum(.crc64NVME, of: part.body).base64)
    }
    let whole = ObjectChecksum(.crc64NVME, of: bytes)
    XCTAssertEqual(requests[4].headers[header("x-amz-checksum-crc64nvme")], whole.base64)
    XCTAssertEqual(requests[4].headers[header("x-amz-checksum-type")], "FULL_OBJECT")
    XCTAssertEqual(object.checksum, whole)
  }

  func testLostCompletionWithoutAChecksumIsConfirmedByTheEntityTag() async throws {
    let bytes = pattern(250_000)
    let parts = [bytes[..<102_400], bytes[102_400..<204_800], bytes[204_800...]].map { MD5.hash(Array($0)) }
    let tag = "\"\(MD5.hash(parts.flatMap(\.bytes)).hex)-3\""
    for (found, isStored) in [(tag, true), ("\"\(parts[0].hex)-3\"", false)] {
      let service = MultipartService()
      let transport = RecordingTransport { request async throws(TransportError) in
        if request.method == .head {
          return HTTPStreamingResponse(200, "", ["Content-Length": "250000", "ETag": found])
        }
        if request.method == .put {
          _ = try await service.answer(request)
          return HTTPStreamingResponse(200, "", ["ETag": "\"\(MD5.hash(request.body).hex)\""])
        }
        guard request.parameter("uploadId") != nil else { return try await service.answer(request) }
        guard service.object == nil else {
          return HTTPStreamingResponse(404, "<Error><Code>NoSuchUpload</Code></Error>")
        }
        _ = try await service.answer(request)
        throw TransportError(.connectionLost, "Lost.", remedy: "None.")
      }
      do {
        let object = try await client(transport).upload(bytes, to: "big")
        XCTAssertTrue(isStored)
        XCTAssertEqual(object.size, 250_000)
      } catch let error as ServiceError {
        XCTAssertFalse(isStored, "\(error)")
        XCTAssertEqual(error.kind, .noSuchUpload)
      }
    }
  }

  // MARK: Conditions

  func testForbidOverwriteIsACondition() async throws {
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(412, "<Error><Code>PreconditionFailed</Code><Message>No.</Message></Error>")
    ])
    await assertThrows(
      ServiceError.self,
      {
        try await client(transport).upload(
          .bytes(digits), to: "a", options: UploadOptions(forbidOverwrite: true), progress: nil)
      }, { XCTAssertEqual($0.kind, .alreadyExists) })
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.headers[.ifNoneMatch], "*")
    XCTAssertTrue(try XCTUnwrap(request.headers[.authorization]).contains(";if-none-match;"))
  }

  func testUploadCanBeConditionalOnTheReplacedObject() async throws {
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(412, "<Error><Code>PreconditionFailed</Code><Message>No.</Message></Error>")
    ])
    await assertThrows(
      ServiceError.self,
      {
        try await client(transport).upload(
          .bytes(digits), to: "a", options: UploadOptions(ifMatch: "\"E\""), progress: nil)
      }, { XCTAssertEqual($0.kind, .preconditionFailed) })
    XCTAssertEqual(transport.requests.first?.headers[.ifMatch], "\"E\"")
    let other = RecordingTransport(replies: [])
    await assertThrows(
      StorageError.self,
      {
        try await ossClient(other).upload(
          .bytes(digits), to: "a", options: UploadOptions(ifMatch: "\"E\""), progress: nil)
      }, { XCTAssertEqual($0.code, .invalidOption) })
  }

  // MARK: Downloads

  func testDownloadRequestsTheChecksumFirstAndComparesIt() async throws {
    let bytes = pattern(450_000)
    for checksum in [ObjectChecksum(.crc32, of: bytes), ObjectChecksum(.crc32, 1)] {
      let transport = RecordingTransport { request throws(TransportError) in
        let headers = ["ETag": "\"E\""]
        guard let range = request.headers[.range] else {
          return HTTPStreamingResponse(
            200, request.method == .head ? [] : bytes,
            headers.merging([
              "x-amz-checksum-crc32": checksum.base64, "Content-Length": "\(bytes.count)",
            ]) { $1 })
        }
        let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        let part = Array(bytes[ends[0]...min(ends[1], bytes.count - 1)])
        return HTTPStreamingResponse(
          206, part,
          headers.merging(["Content-Range": "bytes \(ends[0])-\(ends[0] + part.count - 1)/\(bytes.count)"]) { $1 })
      }
      let file = try TemporaryDirectory(self).path("file")
      let client = client(transport)
      if checksum.value == 1 {
        await assertThrows(
          StorageError.self, { try await client.download("big", to: file) },
          { XCTAssertEqual($0.code, .checksumMismatch) })
        continue
      }
      let info = try await client.download("big", to: file)
      XCTAssertEqual(info.checksum, checksum)
      let requests = transport.requests
      XCTAssertEqual(requests.first?.method, .head)
      XCTAssertEqual(requests.first?.headers[header("x-amz-checksum-mode")], "ENABLED")
      XCTAssertEqual(requests.dropFirst().count, 4)
      for request in requests.dropFirst() {
        XCTAssertNil(request.headers[header("x-amz-checksum-mode")], "a range may return the checksum of a part")
        XCTAssertEqual(request.headers[.ifMatch], "\"E\"")
      }
    }
  }

  func testAmbiguousHeadErrorIsReplacedByTheDownloadsError() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      request.method == .head
        ? HTTPStreamingResponse(404)
        : HTTPStreamingResponse(404, "<Error><Code>NoSuchBucket</Code><Message>No.</Message></Error>")
    }
    let file = try TemporaryDirectory(self).path("file")
    await assertThrows(
      ServiceError.self, { try await client(transport).download("a", to: file) },
      { XCTAssertEqual($0.kind, .noSuchBucket) })
  }

  func testCompositeChecksumIsNotCompared() async throws {
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(200, digits, ["x-amz-checksum-crc32": "AAAAAA==-3"])
    ])
    let object = try await client(transport).open("a", options: DownloadOptions())
    XCTAssertNil(object.info.checksum)
    for try await _ in object.body {}
  }

  // MARK: Regions

  private func redirect(_ status: Int, _ code: String, region: String, inBody: Bool) -> HTTPStreamingResponse {
    HTTPStreamingResponse(
      status, "<Error><Code>\(code)</Code><Message>m</Message>\(inBody ? "<Region>\(region)</Region>" : "")</Error>",
      inBody ? [:] : ["x-amz-bucket-region": region])
  }

  func testRegionOfAnErrorIsLearntOnce() async throws {
    for (status, code, inBody) in [
      (400, "AuthorizationHeaderMalformed", true), (301, "PermanentRedirect", false),
      (307, "TemporaryRedirect", false), (400, "IllegalLocationConstraintException", false),
    ] {
      let transport = RecordingTransport(replies: [
        redirect(status, code, region: "us-west-2", inBody: inBody), HTTPStreamingResponse(204),
        HTTPStreamingResponse(204),
      ])
      let client = client(transport, endpoint: nil)
      try await client.delete("a")
      try await client.delete("b")
      XCTAssertEqual(
        transport.requests.map(\.url),
        [
          "https://photos.s3.eu-central-1.amazonaws.com/a", "https://photos.s3.us-west-2.amazonaws.com/a",
          "https://photos.s3.us-west-2.amazonaws.com/b",
        ], code)
      for request in transport.requests.dropFirst() {
        XCTAssertTrue(try XCTUnwrap(request.headers[.authorization]).contains("/us-west-2/s3/aws4_request"))
      }
      XCTAssertEqual(client.provider.region, "us-west-2")
    }
  }

  func testCustomEndpointIsKept() async throws {
    let transport = RecordingTransport(replies: [
      redirect(400, "AuthorizationHeaderMalformed", region: "us-west-2", inBody: true), HTTPStreamingResponse(204),
    ])
    try await client(transport).delete("a")
    XCTAssertEqual(transport.requests.map(\.url), ["\(endpoint)/photos/a", "\(endpoint)/photos/a"])
  }

  func testErrorWithTheSameOrNoRegionIsNotFollowed() async throws {
    for region in ["eu-central-1", "x.evil.test/#", "", "aws-global", "US-WEST-2"] {
      let transport = RecordingTransport(replies: [redirect(301, "PermanentRedirect", region: region, inBody: false)])
      await assertThrows(
        ServiceError.self, { try await client(transport, endpoint: nil).delete("a") },
        { XCTAssertEqual($0.kind, .wrongEndpoint, region) })
      XCTAssertEqual(transport.requests.count, 1, region)
    }
  }

  func testRepeatedRedirectsAreFollowedOnce() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      let other = request.url.contains("us-west-2") ? "eu-west-1" : "us-west-2"
      return HTTPStreamingResponse(301, "", ["x-amz-bucket-region": other])
    }
    await assertThrows(
      ServiceError.self, { try await client(transport, endpoint: nil).delete("a") },
      { XCTAssertEqual($0.kind, .wrongEndpoint) })
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testRedirectedHeadIsExplainedByAGet() async throws {
    let transport = RecordingTransport { request throws(TransportError) in
      if request.url.contains("us-west-2") { return HTTPStreamingResponse(200) }
      return request.method == .head
        ? HTTPStreamingResponse(400)
        : HTTPStreamingResponse(
          400, "<Error><Code>AuthorizationHeaderMalformed</Code><Message>m</Message><Region>us-west-2</Region></Error>")
    }
    _ = try await client(transport, endpoint: nil).head("a")
    XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head])
  }

  // MARK: Buckets

  func testBucketIsCreatedInItsRegion() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200, "", ["Location": "/photos"])])
    try await client(transport).createBucket()
    XCTAssertEqual(
      String(decoding: try XCTUnwrap(transport.requests.first).body, as: UTF8.self).suffix(101),
      "<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint></CreateBucketConfiguration>"
        .suffix(101))
  }

  func testURLsOfBucketsRegionsAndNetworks() throws {
    for (provider, url) in [
      (S3Provider(bucket: "photos", region: "eu-central-1"), "https://photos.s3.eu-central-1.amazonaws.com/k"),
      (S3Provider(bucket: "a.b", region: "eu-central-1"), "https://s3.eu-central-1.amazonaws.com/a.b/k"),
      (
        S3Provider(bucket: "photos", region: "us-east-1", network: [.dualStack, .fips]),
        "https://photos.s3-fips.dualstack.us-east-1.amazonaws.com/k"
      ),
      (
        S3Provider(bucket: "photos", region: "us-east-1", endpoint: "https://minio.example.com:9000"),
        "https://minio.example.com:9000/photos/k"
      ),
      (
        S3Provider(
          bucket: "photos", region: "cn-hangzhou", endpoint: "https://s3.oss-cn-hangzhou.aliyuncs.com",
          style: .virtualHosted), "https://photos.s3.oss-cn-hangzhou.aliyuncs.com/k"
      ),
      (
        S3Provider(
          bucket: "img.example.com", region: "us-east-1", endpoint: "https://img.example.com", style: .customDomain),
        "https://img.example.com/k"
      ),
      (
        S3Provider(bucket: "photos", region: "cn-north-1", endpoint: "https://s3.cn-north-1.amazonaws.com.cn:443"),
        "https://photos.s3.cn-north-1.amazonaws.com.cn:443/k"
      ),
      (
        S3Provider(bucket: "photos", region: "us-west-2", endpoint: "https://s3.us-west-2.amazonaws.com"),
        "https://photos.s3.us-west-2.amazonaws.com/k"
      ),
    ] {
      let request = try provider.endpoint.request(.get, bucket: provider.bucket, key: "k")
      XCTAssertEqual("https://\(request.authority ?? "")\(request.path ?? "")", url)
    }
  }
}
