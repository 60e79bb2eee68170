// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageClient
import XCTest

/// Tests multipart uploads whose completion's response is lost.
final class CompletionTests: XCTestCase {
  /// Returns a service that completes an upload, loses the response, and does not know the upload afterwards.
  private func losingTheCompletion(storing other: [UInt8]? = nil) -> (RecordingTransport, MultipartService) {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      if request.method == .head {
        let object = other ?? service.object ?? []
        return HTTPStreamingResponse(
          200, "",
          ["Content-Length": "\(object.count)", "ETag": "\"E\"", "x-oss-hash-crc64ecma": "\(crc(object).value)"])
      }
      guard request.method == .post, request.parameter("uploadId") != nil else {
        return try await service.answer(request)
      }
      guard service.object == nil else {
        return HTTPStreamingResponse(404, "<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>")
      }
      _ = try await service.answer(request)
      throw TransportError(.connectionLost, "Lost.", remedy: "None.")
    }
    return (transport, service)
  }

  func testCompletionWithALostResponseIsRecognised() async throws {
    let bytes = pattern(300_000)
    let (transport, service) = losingTheCompletion()
    let object = try await ossClient(transport).upload(bytes, to: "k")
    XCTAssertEqual(service.object, bytes)
    XCTAssertEqual(object.size, 300_000)
    XCTAssertEqual(object.checksum, crc(bytes))
    XCTAssertEqual(object.etag, "\"E\"")
    XCTAssertFalse(service.isAborted)
  }

  func testConditionsOfAnUploadDoNotHideItsLostCompletion() async throws {
    let cloud = try await Cloud(self)
    let old = try await cloud.s3().upload([1], to: "old")
    for (key, options) in [
      ("new", UploadOptions(forbidOverwrite: true)), ("old", UploadOptions(ifMatch: try XCTUnwrap(old.etag))),
    ] {
      let transport = ForgetfulTransport()
      let object = try await cloud.s3(over: transport).upload(pattern(300_000), to: key, options: options)
      XCTAssertEqual(object.size, 300_000, key)
      XCTAssertEqual(transport.completionCount.withLock { $0 }, 2)
      let stored = try await cloud.s3().download(key, upTo: 300_000)
      XCTAssertEqual(stored, pattern(300_000))
    }
  }

  func testDifferentObjectIsNotMistakenForALostCompletion() async throws {
    let (transport, _) = losingTheCompletion(storing: pattern(300_000, seed: 2))
    await assertThrows(ServiceError.self, { try await ossClient(transport).upload(pattern(300_000), to: "k") }) {
      XCTAssertEqual($0.kind, .noSuchUpload)
    }
  }

  func testMissingUploadAtTheFirstCompletionIsAnError() async throws {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      request.method == .post && request.parameter("uploadId") != nil
        ? HTTPStreamingResponse(404, "<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>")
        : try await service.answer(request)
    }
    await assertThrows(ServiceError.self) { try await ossClient(transport).upload(pattern(300_000), to: "k") }
    XCTAssertFalse(transport.requests.contains { $0.method == .head })
  }
}

/// A transport that loses the response to the first completion of an upload, which the service does not know afterwards.
private final class ForgetfulTransport: HTTPTransport {
  let completionCount = Lock(0)

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    guard request.method == .post, request.path?.contains("uploadId=") == true else {
      return try await NetworkTransport.shared.send(request, body: body)
    }
    let number = completionCount.withLock { count in
      count += 1
      return count
    }
    guard number == 1 else {
      return HTTPStreamingResponse(404, "<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>")
    }
    _ = try await NetworkTransport.shared.send(request, body: body)
    throw TransportError(.connectionLost, "Lost.", remedy: "None.")
  }
}
