// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import StorageClient

/// Tests uploads and downloads with presigned URLs.
final class PresignedTransferTests: XCTestCase {
  private let fast = StorageClientConfiguration(retryDelay: .zero)
  private let put = PresignedRequest(
    method: .put, url: "https://photos.example.com/a/cat.jpg?Signature=abc%2B", headers: [.contentType: "image/jpeg"],
    expiration: Timestamp(unixSeconds: 1_795_161_600))
  private let get = PresignedRequest(
    method: .get, url: "https://photos.example.com/a/cat.jpg?Signature=abc%2B", headers: [:],
    expiration: Timestamp(unixSeconds: 1_795_161_600))

  func testRoundTripThroughEveryService() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(700_000)
    let file = try directory.write(bytes, to: "cat.jpg")
    for (name, upload, download) in [
      (
        "OSS V4", try await cloud.oss().presign(.put, "a/4.jpg", contentType: "image/jpeg", validFor: .seconds(600)),
        try await cloud.oss().presign(.get, "a/4.jpg", validFor: .seconds(600))
      ),
      (
        "OSS V1", try await cloud.oss(.v1).presign(.put, "a/1.jpg", contentType: "image/jpeg", validFor: .seconds(600)),
        try await cloud.oss(.v1).presign(.get, "a/1.jpg", validFor: .seconds(600))
      ),
      (
        "COS", try await cloud.cos().presign(.put, "a/5.jpg", contentType: "image/jpeg", validFor: .seconds(600)),
        try await cloud.cos().presign(.get, "a/5.jpg", validFor: .seconds(600))
      ),
      (
        "S3", try await cloud.s3().presign(.put, "a/3.jpg", contentType: "image/jpeg", validFor: .seconds(600)),
        try await cloud.s3().presign(.get, "a/3.jpg", validFor: .seconds(600))
      ),
    ] {
      let sent = Lock<[Int64]>([])
      let object = try await upload.upload(.file(file), transport: NetworkTransport.shared) { progress in
        sent.withLock { $0.append(progress.completed) }
      }
      XCTAssertEqual(object.size, 700_000, name)
      XCTAssertEqual(object.checksum, ObjectChecksum(name == "S3" ? .crc64NVME : .crc64, of: bytes), name)
      XCTAssertEqual(sent.withLock { $0.last }, 700_000, name)
      let copy = directory.path("copy \(name)")
      let info = try await download.download(to: copy, transport: NetworkTransport.shared)
      XCTAssertEqual(try directory.read("copy \(name)"), bytes, name)
      XCTAssertEqual(info.contentType, "image/jpeg", name)
      let known = try PresignedRequest(.get, url: download.url)
      XCTAssertEqual(known.expiration, download.expiration, name)
    }
  }

  func testRequestIsSentAsItWasPresigned() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(200)])
    try await put.upload(.bytes([1, 2, 3]), transport: transport)
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.url, put.url)
    XCTAssertEqual(request.body, [1, 2, 3])
    XCTAssertEqual(
      request.headers.map { "\($0.name.canonicalName): \($0.value)" }.sorted(),
      ["content-length: 3", "content-type: image/jpeg"])
  }

  func testStatus203AndFrom300AreErrors() async throws {
    for (status, kind) in [
      (203, ServiceError.Kind.callbackFailed), (301, .wrongEndpoint), (304, .notModified), (307, .wrongEndpoint),
      (403, .accessDenied), (404, .noSuchKey), (412, .preconditionFailed), (501, .invalidRequest),
    ] {
      for request in [put, get] {
        let transport = RecordingTransport(replies: [HTTPStreamingResponse(status, "", ["Location": "https://e.com/"])])
        await assertThrows(
          ServiceError.self,
          {
            if request.method == .put {
              try await request.upload(.bytes([1]), transport: transport)
            } else {
              _ = try await request.open(transport: transport)
            }
          }
        ) {
          XCTAssertEqual($0.kind, kind, "\(status)")
          XCTAssertEqual($0.isStored, status == 203)
          XCTAssertFalse("\($0)".contains("Signature"), "the query is a secret")
        }
        XCTAssertEqual(transport.requests.count, 1, "\(status)")
      }
    }
  }

  func testErrorDocumentIsRead() async throws {
    let document = """
      <Error><Code>AccessDenied</Code><Message>Request has expired.</Message><RequestId>R1</RequestId></Error>
      """
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(403, document, ["x-oss-request-id": "R1"])])
    await assertThrows(ServiceError.self, { try await put.upload(.bytes([1]), transport: transport) }) {
      XCTAssertEqual($0.kind, .requestExpired)
      XCTAssertEqual($0.requestID, "R1")
    }
  }

  func testFailuresOfTheServiceAndTheNetworkAreRetried() async throws {
    let attempts = Lock(0)
    let transport = RecordingTransport { _ throws(TransportError) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      switch attempt {
      case 1: return HTTPStreamingResponse(503)
      case 2: throw TransportError(.connectionLost, "The connection was lost.", remedy: "Try again.")
      default: return HTTPStreamingResponse(200)
      }
    }
    try await put.upload(.bytes([7]), configuration: fast, transport: transport)
    XCTAssertEqual(transport.requests.map(\.body), [[7], [7], [7]])
  }

  func testConditionalUploadIsNotRepeatedAfterALostResponse() async throws {
    for (name, value) in [("If-Match", "\"E\""), ("If-None-Match", "*"), ("x-oss-forbid-overwrite", "true")] {
      let isStored = Lock(false)
      let transport = RecordingTransport { _ throws(TransportError) in
        guard isStored.withLock({ $0 }) else {
          isStored.withLock { $0 = true }
          throw TransportError(.connectionLost, "The connection was lost.", remedy: "Try again.")
        }
        return HTTPStreamingResponse(412)
      }
      let headers = [try XCTUnwrap(HTTPField.Name(name)): value] as HTTPFields
      let request = PresignedRequest(method: .put, url: put.url, headers: headers, expiration: put.expiration)
      await assertThrows(
        TransportError.self, { try await request.upload(.bytes([1]), configuration: fast, transport: transport) }
      ) { XCTAssertEqual($0.code, .connectionLost, name) }
      XCTAssertEqual(transport.requests.count, 1, name)
    }
  }

  func testStreamIsSentOnce() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(429), HTTPStreamingResponse(200)])
    let stream = UploadSource.stream(ByteStream([1, 2]), length: 2)
    await assertThrows(
      ServiceError.self, { try await put.upload(stream, configuration: fast, transport: transport) }
    ) { XCTAssertEqual($0.kind, .throttled) }
    XCTAssertEqual(transport.requests.map(\.body), [[1, 2]])
    await assertThrows(
      StorageError.self, { try await put.upload(.stream(ByteStream([1, 2])), transport: transport) }
    ) { XCTAssertEqual($0.code, .invalidOption) }
  }

  func testOtherBytesThanTheServiceReceivedAreNoticed() async throws {
    let other = ObjectChecksum(.crc64, of: [9]).value
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(200, "", ["x-cos-request-id": "R", "x-cos-hash-crc64ecma": "\(other)"])
    ])
    await assertThrows(StorageError.self, { try await put.upload(.bytes([1]), transport: transport) }) {
      XCTAssertEqual($0.code, .checksumMismatch)
    }
  }

  func testOtherBytesThanS3ReceivedAreNoticed() async throws {
    let url =
      "https://photos.s3.eu-central-1.amazonaws.com/k?X-Amz-Date=20261120T080000Z&X-Amz-Expires=60&X-Amz-Signature=0"
    for (stored, isDamaged) in [([1], false), ([9], true)] as [([UInt8], Bool)] {
      let checksum = ObjectChecksum(.crc64NVME, of: stored).base64
      let transport = RecordingTransport(replies: [
        HTTPStreamingResponse(
          200, "", ["x-amz-request-id": "R", "ETag": "\"E\"", "x-amz-checksum-crc64nvme": checksum])
      ])
      let upload = try PresignedRequest(.put, url: url)
      if isDamaged {
        await assertThrows(StorageError.self, { try await upload.upload(.bytes([1]), transport: transport) }) {
          XCTAssertEqual($0.code, .checksumMismatch)
        }
      } else {
        let object = try await upload.upload(.bytes([1]), transport: transport)
        XCTAssertEqual(object.checksum?.base64, checksum)
      }
    }
  }

  func testDamagedDownloadLeavesTheFileAlone() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([5], to: "cat.jpg")
    let stored = ObjectChecksum(.crc64, of: [1, 2, 3]).value
    func reply() -> HTTPStreamingResponse {
      HTTPStreamingResponse(
        200, [1, 2, 4],
        ["x-oss-request-id": "R", "x-oss-hash-crc64ecma": "\(stored)", "Content-Length": "3"])
    }
    await assertThrows(
      StorageError.self, { try await get.download(to: file, transport: RecordingTransport(replies: [reply()])) }
    ) { XCTAssertEqual($0.code, .checksumMismatch) }
    XCTAssertEqual(try directory.read("cat.jpg"), [5])
    XCTAssertEqual(try directory.names, ["cat.jpg"])

    let converted = PresignedRequest(
      method: .get, url: "\(get.url)&x-oss-process=image", headers: [:], expiration: get.expiration)
    try await converted.download(to: file, transport: RecordingTransport(replies: [reply()]))
    XCTAssertEqual(try directory.read("cat.jpg"), [1, 2, 4], "the checksum of the object is not that of the picture")
  }

  func testURLForAnotherMethodIsRefused() async throws {
    let transport = RecordingTransport(replies: [])
    await assertThrows(StorageError.self, { try await get.upload(.bytes([1]), transport: transport) }) {
      XCTAssertEqual($0.code, .invalidOption)
      XCTAssertTrue($0.message.contains("GET"))
    }
    await assertThrows(StorageError.self, { _ = try await put.open(transport: transport) }) {
      XCTAssertEqual($0.code, .invalidOption)
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testUnusableURLIsRefused() async throws {
    for url in ["", "cat.jpg", "ftp://a.example.com/k?x", "https:///k", "https://a.example.com/k?x#y", "https://a b/"] {
      let request = PresignedRequest(method: .put, url: url, headers: [:], expiration: put.expiration)
      await assertThrows(StorageError.self, { try await request.upload(.bytes([1])) }) {
        XCTAssertEqual($0.code, .invalidOption, url)
        XCTAssertFalse($0.message.contains("?x"), url)
      }
    }
  }

  func testExpirationIsReadFromTheURL() throws {
    let base = "https://photos.example.com/k?"
    for (query, expected) in [
      ("Expires=1795161600&OSSAccessKeyId=a&Signature=b", 1_795_161_600 as Int64?),
      ("x-oss-date=20261120T040000Z&x-oss-expires=60&x-oss-signature=b", 1_795_147_260),
      ("X-Amz-Date=20261120T040000Z&X-Amz-Expires=60&X-Amz-Signature=b", 1_795_147_260),
      ("q-sign-time=1795161000;1795161600&q-signature=b", 1_795_161_600),
      ("q-sign-time=1795161000%3B1795161600&q-signature=b", 1_795_161_600),
      ("x-oss-date=20261120&x-oss-expires=60", nil), ("x-oss-date=20261120T040000Z", nil),
      ("x-oss-date=20261120T040000Z&x-oss-expires=-1", nil), ("Expires=soon", nil),
      ("Expires=99999999999999999999", nil), ("", nil), ("=&&=;", nil),
    ] {
      let read = try? PresignedRequest(.get, url: base + query).expiration
      XCTAssertEqual(read, expected.map { Timestamp(unixSeconds: $0) }, query)
    }
    XCTAssertThrowsError(try PresignedRequest(.get, url: "https://photos.example.com/k")) {
      XCTAssertEqual(($0 as? StorageError)?.code, .invalidOption)
    }
  }

  @MainActor
  func testMainActorIsNotBlocked() async throws {
    let wasOnMainThread = Lock<[Bool]>([])
    let stream = ByteStream { () -> ByteStream.Reader in
      var isDone = false
      return {
        defer { isDone = true }
        wasOnMainThread.withLock { $0.append(isOnMainThread()) }
        return isDone ? nil : [1]
      }
    }
    let head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"E\""])
    let replies = [HTTPStreamingResponse(200), HTTPStreamingResponse(response: head, body: stream)]
    let transport = RecordingTransport(replies: replies)
    try await put.upload(.stream(stream, length: 1), transport: transport) { _ in
      wasOnMainThread.withLock { $0.append(isOnMainThread()) }
    }
    try await get.download(to: TemporaryDirectory(self).path("k"), transport: transport)
    XCTAssertEqual(wasOnMainThread.withLock { $0 }, [false, false, false, false, false])
  }

  func testMediaTypesAreFoundByExtension() {
    XCTAssertEqual(MediaType.ofFile(named: "2026/cat.JPG"), "image/jpeg")
    XCTAssertEqual(MediaType.ofFile(named: "film.mov"), "video/quicktime")
    for name in ["cat", "", ".", "cat.", "a.b/c"] {
      XCTAssertEqual(MediaType.ofFile(named: name), MediaType.unknown, name)
    }
    XCTAssertEqual(MediaType.byExtension["heic"], "image/heic")
  }
}

/// Foundation makes the property unavailable in asynchronous code, in which its value may change at each `await`.
private func isOnMainThread() -> Bool { Thread.isMainThread }
