// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import ClientTestSupport
import NIOCore
import NIOHTTP1
import StorageClient
import XCTest

/// Tests the client's errors, aborted uploads and presigned URLs against LocalCloud.
final class RefusalTests: XCTestCase {
  func testWrongSecretIsTheServicesOwnError() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores(key: AccessKey(id: key.id, secret: "wrong")) {
      await assertThrows(ServiceError.self, { try await store.upload([1], to: "k") }) { error in
        XCTAssertEqual(error.kind, .signatureMismatch, name)
        XCTAssertEqual(error.code, "SignatureDoesNotMatch", name)
        XCTAssertEqual(error.status.code, 403, name)
        XCTAssertNotNil(error.requestID, name)
        XCTAssertNotNil(error.serverStringToSign, name)
      }
    }
  }

  func testWrongSecretOfATemporaryKeyShowsNoToken() async throws {
    let cloud = try await Cloud(self)
    let wrong = AccessKey(id: temporaryKey.id, secret: "wrong", sessionToken: temporaryKey.sessionToken?.reveal())
    for (name, store) in cloud.stores(key: wrong) {
      await assertThrows(ServiceError.self, { try await store.upload([1], to: "k") }) { error in
        let shown = [error.serverStringToSign, error.serverCanonicalRequest, "\(error)"].compactMap(\.self).joined()
        XCTAssertEqual(error.kind, .signatureMismatch, name)
        XCTAssertFalse(shown.contains("token+"), name)
        XCTAssertFalse(shown.contains("token%2B"), name)
        XCTAssertFalse(shown.contains("token%252B"), name)
      }
    }
  }

  func testMissingObjectsAndBucketsHaveTheirErrorKind() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    for (name, store) in cloud.stores() {
      await assertThrows(ServiceError.self, { _ = try await store.head("missing") }) {
        XCTAssertEqual($0.kind, .noSuchKey, name)
      }
      await assertThrows(ServiceError.self, { try await store.download("missing", to: directory.path("k")) }) {
        XCTAssertEqual($0.kind, .noSuchKey, name)
        XCTAssertEqual($0.code, "NoSuchKey", name)
      }
    }
    XCTAssertEqual(try directory.names, [])
    for (name, store) in cloud.stores(bucket: "nobody-1250000000") {
      await assertThrows(ServiceError.self, { try await store.upload([1], to: "k") }) {
        XCTAssertEqual($0.kind, .noSuchBucket, name)
      }
    }
    for (name, store) in cloud.stores(key: AccessKey(id: "nobody", secret: "s")) {
      await assertThrows(ServiceError.self, { try await store.upload([1], to: "k") }) {
        XCTAssertEqual($0.kind, .unknownAccessKey, name)
      }
    }
  }

  func testAbortedUploadLeavesNoObject() async throws {
    struct Broken: Error {}
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() {
      let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
        continuation.yield(pattern(300_000))
        continuation.finish(throwing: Broken())
      }
      await assertThrows(Broken.self) { try await store.upload(stream, to: "broken-\(name)") }
      await assertThrows(ServiceError.self) { _ = try await store.head("broken-\(name)") }
    }
  }

  func testAnyHTTPClientCanUseAPresignedURL() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    let v4 = cloud.oss(.v4)
    let v1 = cloud.oss(.v1, key: temporaryKey)
    let cos = cloud.cos(key: temporaryKey)
    let key = "a b/+/猫.txt"
    for presign in [v4.presign, v1.presign, cos.presign] {
      let upload = try await presign(.put, key, "text/plain", nil, [:], [], .seconds(600))
      let stored = try await send(upload, body: "meow")
      XCTAssertEqual(stored.status.code, 200)
      let download = try await presign(
        .get, key, nil, nil, [:], [.init(name: "response-content-disposition", value: "attachment; filename=\"a+b\"")],
        .seconds(600))
      let answer = try await send(download)
      XCTAssertEqual(answer.status.code, 200)
      XCTAssertEqual(answer.headers.first(name: "Content-Disposition"), "attachment; filename=\"a+b\"")
      let body = try await answer.body.collect(upTo: 100)
      XCTAssertEqual(String(buffer: body), "meow")
    }
  }

  private func send(_ request: PresignedRequest, body: String? = nil) async throws -> HTTPClientResponse {
    var outgoing = HTTPClientRequest(url: request.url)
    outgoing.method = .init(rawValue: request.method.rawValue)
    for field in request.headers { outgoing.headers.add(name: field.name.rawName, value: field.value) }
    if let body { outgoing.body = .bytes(ByteBuffer(string: body)) }
    return try await HTTPClient.shared.execute(outgoing, timeout: .seconds(60))
  }
}
