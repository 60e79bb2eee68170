// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import XCTest

@testable import StorageClient

/// Tests multipart uploads: parts, checksums, failures and cancellation.
final class MultipartTests: XCTestCase {
  func testLargeFileIsUploadedInPartsWithOneChecksum() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(350_000)
    let file = try directory.write(bytes, to: "large.bin")
    let service = MultipartService()
    let transport = RecordingTransport(service.answer)
    let object = try await ossClient(transport).upload(file, to: "large.bin", metadata: ["a": "b"])
    XCTAssertEqual(service.object, bytes)
    XCTAssertEqual(object.checksum, crc(bytes))
    XCTAssertEqual(object.size, 350_000)
    XCTAssertEqual(transport.requests.map(\.method), [.post, .put, .put, .put, .put, .post])
    let begin = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(begin.parameter("uploads"), "")
    XCTAssertEqual(begin.headers[try XCTUnwrap(HTTPField.Name("x-oss-meta-a"))], "b")
    XCTAssertEqual(transport.requests.dropFirst().first?.headers[.contentType], nil)
  }

  func testStreamOfUnknownLengthIsUploadedInPartsAsItIsRead() async throws {
    let bytes = pattern(350_000)
    for (chunk, expected) in [(7_777, 6), (350_000, 6)] {
      let service = MultipartService()
      let transport = RecordingTransport(service.answer)
      let chunks = stride(from: 0, to: bytes.count, by: chunk).map { Array(bytes[$0..<min($0 + chunk, bytes.count)]) }
      try await ossClient(transport).upload(stream(of: chunks), to: "k")
      XCTAssertEqual(service.object, bytes)
      XCTAssertEqual(transport.requests.count, expected)
    }
  }

  func testStreamThatFitsIntoOnePartIsUploadedWithOneRequest() async throws {
    for count in [0, 1, 100 * 1024] {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
      let bytes = pattern(count)
      try await ossClient(transport).upload(stream(of: [[], bytes, []]), to: "k")
      XCTAssertEqual(transport.requests.map(\.method), [.put])
      XCTAssertEqual(transport.requests.first?.body, bytes)
    }
  }

  func testStreamOfAnotherLengthThanAnnouncedAbortsTheUpload() async throws {
    let service = MultipartService()
    let client = ossClient(RecordingTransport(service.answer))
    await assertThrows(StorageError.self, { try await client.upload(stream(of: [[1, 2]]), length: 3, to: "k") }) {
      XCTAssertEqual($0.code, .sourceChanged)
    }
    let large = stream(of: [pattern(350_000)])
    await assertThrows(StorageError.self) { try await client.upload(large, length: 350_001, to: "k") }
    XCTAssertTrue(service.isAborted)
  }

  func testFailingStreamAbortsTheUploadAndRethrowsItsError() async throws {
    struct Broken: Error {}
    let service = MultipartService()
    let transport = RecordingTransport(service.answer)
    let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
      continuation.yield(pattern(300_000))
      continuation.finish(throwing: Broken())
    }
    await assertThrows(Broken.self) { try await ossClient(transport).upload(stream, to: "k") }
    XCTAssertTrue(service.isAborted)
  }

  func testFailedPartAbortsTheUpload() async throws {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      request.parameter("partNumber") == "3"
        ? HTTPStreamingResponse(403, "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>")
        : try await service.answer(request)
    }
    await assertThrows(ServiceError.self, { try await ossClient(transport).upload(pattern(500_000), to: "k") }) {
      XCTAssertEqual($0.kind, .accessDenied)
    }
    XCTAssertTrue(service.isAborted)
    XCTAssertEqual(transport.requests.last?.method, .delete)
  }

  func testDamagedPartAbortsTheUpload() async throws {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      var reply = try await service.answer(request)
      if request.parameter("partNumber") == "2", let name = HTTPField.Name("x-oss-hash-crc64ecma") {
        reply.response.headerFields[name] = "5"
      }
      return reply
    }
    await assertThrows(StorageError.self, { try await ossClient(transport).upload(pattern(500_000), to: "k") }) {
      XCTAssertEqual($0.code, .checksumMismatch)
    }
    XCTAssertTrue(service.isAborted)
  }

  func testObjectChecksumIsComparedAfterAllParts() async throws {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      var reply = try await service.answer(request)
      if request.method == .post, let name = HTTPField.Name("x-oss-hash-crc64ecma") {
        reply.response.headerFields[name] = "5"
      }
      return reply
    }
    await assertThrows(StorageError.self, { try await ossClient(transport).upload(pattern(500_000), to: "k") }) {
      XCTAssertEqual($0.code, .checksumMismatch)
      XCTAssertTrue($0.message.contains("object k"))
    }
  }

  func testCancelledUploadIsAborted() async throws {
    let service = MultipartService()
    let (reached, signal) = AsyncStream<Void>.makeStream()
    let transport = RecordingTransport { request async throws(TransportError) in
      guard request.method == .put else { return try await service.answer(request) }
      signal.yield()
      try? await Task.sleep(for: .seconds(3600))
      throw TransportError(.cancelled, "Cancelled.", remedy: "None.")
    }
    let upload = Task { try await ossClient(transport).upload(pattern(500_000), to: "k") }
    for await _ in reached { break }
    upload.cancel()
    await assertThrows(CancellationError.self) { _ = try await upload.value }
    XCTAssertTrue(service.isAborted)
  }

  func testErrorInASuccessfulResponseIsAnError() async throws {
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      request.method == .post && request.parameter("uploadId") != nil
        ? HTTPStreamingResponse(200, "<Error><Code>InternalError</Code><Message>Sorry.</Message></Error>")
        : try await service.answer(request)
    }
    await assertThrows(ServiceError.self, { try await ossClient(transport).upload(pattern(300_000), to: "k") }) {
      XCTAssertEqual($0.kind, .serverFailure)
    }
    XCTAssertTrue(service.isAborted)
  }

  func testUploadHasAtMostTenThousandParts() throws {
    let tebibyte: Int64 = 1 << 40
    let sizes = try PartSizes(length: tebibyte, preferred: 8 << 20)
    XCTAssertLessThanOrEqual(sizes.ranges(of: tebibyte).count, 10_000)
    XCTAssertEqual(sizes.ranges(of: tebibyte).last?.upperBound, tebibyte)
    XCTAssertThrowsError(try PartSizes(length: 60 << 40, preferred: 8 << 20))
    let growing = try PartSizes(length: nil, preferred: 8 << 20)
    XCTAssertGreaterThan((1...10_000).reduce(0) { $0 + growing.size(ofPart: $1) }, 6 * 10_000 * (8 << 20))
  }

  func testCallbackAndForbidOverwriteAreSentWithTheCompletion() async throws {
    let service = MultipartService()
    let transport = RecordingTransport(service.answer)
    let callback = try XCTUnwrap(HTTPField.Name("x-oss-callback"))
    try await ossClient(transport).upload(
      pattern(300_000), to: "k", options: UploadOptions(forbidOverwrite: true, headers: [callback: "e30="]))
    XCTAssertNil(transport.requests.first?.headers[callback])
    XCTAssertEqual(transport.requests.last?.headers[callback], "e30=")
    let forbid = try XCTUnwrap(HTTPField.Name("x-oss-forbid-overwrite"))
    XCTAssertEqual(transport.requests.first?.headers[forbid], "true")
    XCTAssertEqual(transport.requests.last?.headers[forbid], "true")
  }
}

private func stream(of chunks: [[UInt8]]) -> AsyncStream<[UInt8]> {
  AsyncStream { continuation in
    for chunk in chunks { continuation.yield(chunk) }
    continuation.finish()
  }
}

/// A service that supports only multipart uploads.
final class MultipartService: Sendable {
  private struct State {
    var parts: [Int: [UInt8]] = [:]
    var object: [UInt8]?
    var isAborted = false
  }

  private let state = Lock(State())

  var object: [UInt8]? { state.withLock { $0.object } }
  var isAborted: Bool { state.withLock { $0.isAborted } }

  @Sendable func answer(_ request: RecordingTransport.Recorded) async throws(TransportError) -> HTTPStreamingResponse {
    if request.parameter("uploads") != nil {
      return HTTPStreamingResponse(200, initiateAnswer(request.key, id: "U", bucket: request.bucket))
    }
    guard request.parameter("uploadId") == "U" else { return HTTPStreamingResponse(404) }
    if request.method == .delete {
      state.withLock { $0.isAborted = true }
      return HTTPStreamingResponse(204)
    }
    if let number = request.parameter("partNumber").flatMap({ Int($0) }) {
      state.withLock { $0.parts[number] = request.body }
      return HTTPStreamingResponse(
        200, "", ["ETag": "\"part\(number)\"", "x-oss-hash-crc64ecma": "\(crc(request.body).value)"])
    }
    guard let list = try? XMLNode.parse(request.body) else { return HTTPStreamingResponse(400) }
    let object = state.withLock { state in
      let object = list.all("Part").flatMap { part in
        part["PartNumber"].flatMap { Int($0.text) }.flatMap { state.parts[$0] } ?? []
      }
      state.object = object
      return object
    }
    return HTTPStreamingResponse(
      200, completeAnswer(request.key, bucket: request.bucket), ["x-oss-hash-crc64ecma": "\(crc(object).value)"])
  }
}
