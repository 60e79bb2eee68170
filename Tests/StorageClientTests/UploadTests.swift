// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient
import XCTest

/// Tests uploads: attributes, keys, media types, checksums and progress.
final class UploadTests: XCTestCase {
  func testUploadSendsItsAttributes() async throws {
    let bytes = Array("meow".utf8)
    let transport = RecordingTransport { request throws(TransportError) in
      HTTPStreamingResponse(
        200, "", ["ETag": "\"abc\"", "x-oss-hash-crc64ecma": "\(crc(request.body).value)", "x-oss-request-id": "R1"])
    }
    let options = UploadOptions(
      cacheControl: "no-cache", contentDisposition: "inline", contentEncoding: "identity", forbidOverwrite: true,
      storageClass: "IA")
    let object = try await ossClient(transport).upload(
      bytes, to: "a/cat.jpg", metadata: ["author": "Mia", "Camera": "x"], options: options)
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.method, .put)
    XCTAssertEqual(request.url, "http://127.0.0.1:9/photos/a/cat.jpg")
    XCTAssertEqual(request.body, bytes)
    let expected = [
      "content-type": "image/jpeg", "content-length": "4", "cache-control": "no-cache",
      "content-disposition": "inline", "content-encoding": "identity", "x-oss-forbid-overwrite": "true",
      "x-oss-storage-class": "IA", "x-oss-meta-author": "Mia", "x-oss-meta-camera": "x",
    ]
    for (name, value) in expected {
      XCTAssertEqual(request.headers[try XCTUnwrap(HTTPField.Name(name))], value, name)
    }
    XCTAssertNotNil(request.headers[.authorization])
    XCTAssertEqual(object.etag, "\"abc\"")
    XCTAssertEqual(object.checksum, crc(bytes))
    XCTAssertEqual(object.requestID, "R1")
    XCTAssertEqual(object.size, 4)
  }

  func testCOSUsesItsOwnHeaderNames() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    try await cosClient(transport).upload(
      [], to: "k", metadata: ["a": "b"], options: UploadOptions(forbidOverwrite: true))
    let headers = try XCTUnwrap(transport.requests.first).headers
    XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("x-cos-meta-a"))], "b")
    XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("x-cos-forbid-overwrite"))], "true")
    XCTAssertEqual(headers[.contentLength], "0")
  }

  func testMediaTypeIsDerivedFromTheNameUnlessGiven() async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    let client = ossClient(transport)
    try await client.upload([1], to: "a/b.PNG")
    try await client.upload([1], to: "a.b/c")
    try await client.upload([1], to: "a.png", contentType: "text/plain")
    try await client.upload(try directory.write([1], to: "x.html"), to: "key.png")
    try await client.upload(try directory.write([1], to: "x"), to: "key.png")
    XCTAssertEqual(
      transport.requests.map { $0.headers[.contentType] },
      ["image/png", "application/octet-stream", "text/plain", "text/html", "image/png"])
  }

  func testInvalidMetadataIsRejectedBeforeSending() async throws {
    let transport = RecordingTransport(replies: [])
    let client = ossClient(transport)
    let bad = [["a b": "x"], ["": "x"], ["a": "x\r\ny"], ["a": " x"], ["a": "1", "A": "2"]]
    for metadata in bad {
      await assertThrows(StorageError.self, { try await client.upload([1], to: "k", metadata: metadata) }) {
        XCTAssertEqual($0.code, .invalidOption)
      }
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  func testKeysAreSentByteForByte() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    let client = ossClient(transport)
    let keys = ["a//b", "a/../b", "./a", "a%2Fb", "a+b c", "猫/🐈", "a?b#c&d=e", String(repeating: "k", count: 1023)]
    for key in keys { try await client.upload([1], to: key) }
    XCTAssertEqual(
      transport.requests.map { String($0.path.dropFirst("/photos/".count)) },
      [
        "a//b", "a/../b", "./a", "a%252Fb", "a%2Bb%20c", "%E7%8C%AB/%F0%9F%90%88", "a%3Fb%23c%26d%3De",
        String(repeating: "k", count: 1023),
      ])
  }

  func testLongestKeyDependsOnTheService() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    func s3(_ endpoint: ServiceEndpoint) -> any ObjectStore {
      StorageClient(
        .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint), credentials: key, configuration: .test,
        transport: transport)
    }
    let stores: [(any ObjectStore, Int)] = [
      (ossClient(transport), 1023), (cosClient(transport), 1023), (s3(try ServiceEndpoint(endpoint)), 1024),
      (s3(try .s3(region: "eu-central-1")), 1024),
      (
        StorageClient(
          .s3(bucket: "photos", region: "eu-central-1", endpoint: endpoint), credentials: key, configuration: .test,
          transport: transport), 1024
      ),
    ]
    for (store, limit) in stores {
      try await store.upload([1], to: String(repeating: "k", count: limit))
      await assertThrows(
        SigningError.self, { try await store.upload([1], to: String(repeating: "k", count: limit + 1)) }
      ) {
        XCTAssertEqual($0.remedy, "Use at most \(limit) bytes.")
      }
    }
    XCTAssertEqual(transport.requests.count, stores.count)
  }

  func testInvalidKeysAreRejectedBeforeSending() async throws {
    let transport = RecordingTransport(replies: [])
    let client = ossClient(transport)
    for key in ["", "a\0b", String(repeating: "k", count: 1024), String(repeating: "猫", count: 342)] {
      await assertThrows(SigningError.self) { try await client.upload([1], to: key) }
      await assertThrows(SigningError.self) { try await client.delete([key]) }
      await assertThrows(SigningError.self) { try await client.copy(from: key, to: "k") }
    }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  func testDamagedUploadIsReported() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in
      HTTPStreamingResponse(200, "", ["x-oss-hash-crc64ecma": "1"])
    }
    await assertThrows(StorageError.self, { try await ossClient(transport).upload([1, 2], to: "k") }) {
      XCTAssertEqual($0.code, .checksumMismatch)
    }
  }

  func testProgressIsMonotonicAcrossRetries() async throws {
    let bytes = pattern(150_000)
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(503), HTTPStreamingResponse(200)])
    let seen = Collected<TransferProgress>()
    let configuration = StorageClientConfiguration(multipartThreshold: 1 << 20, partSize: 1 << 20, retryDelay: .zero)
    try await ossClient(transport, configuration: configuration).upload(bytes, to: "k") { seen.append($0) }
    XCTAssertEqual(transport.requests.count, 2)
    XCTAssertEqual(seen.values.last?.fractionCompleted, 1)
    XCTAssertEqual(seen.values.map(\.completed), seen.values.map(\.completed).sorted())
    XCTAssertEqual(seen.values.last?.completed, 150_000)
  }

  func testMissingFileAndDirectoryAreRejected() async throws {
    let directory = try TemporaryDirectory(self)
    let client = ossClient(RecordingTransport(replies: []))
    for name in ["", "missing"] {
      await assertThrows(StorageError.self, { try await client.upload(directory.path(name), to: "k") }) {
        XCTAssertEqual($0.code, .unusableFile)
      }
    }
  }

  func testFailedCallbackHasItsOwnErrorKind() async throws {
    let body = "<Error><Code>CallbackFailed</Code><Message>Error status : 502.</Message></Error>"
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(203, body)])
    await assertThrows(ServiceError.self, { try await ossClient(transport).upload([1], to: "k") }) { error in
      XCTAssertEqual(error.kind, .callbackFailed)
      XCTAssertTrue(error.isStored)
      XCTAssertFalse(error.isRetryable)
      XCTAssertEqual(error.message, "Error status : 502.")
    }
    XCTAssertEqual(transport.requests.count, 1)
  }
}
