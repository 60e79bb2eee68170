// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests which failures are retried, how often, and after which delay.
final class RetryTests: XCTestCase {
  private let time = RushingTime()
  private let log = EventLog()

  private func client(
    _ transport: any HTTPTransport, _ configuration: StorageClientConfiguration = StorageClientConfiguration()
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key,
      configuration: configuration, transport: transport, events: log.events, time: time)
  }

  private func lost(_ code: TransportError.Code = .connectionLost) -> TransportError {
    TransportError(code, "The network said no.", remedy: "None.")
  }

  func testDelayGrowsWithJitterAndIsLimited() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(500) }
    let configuration = StorageClientConfiguration(
      attempts: 6, retryDelay: .seconds(1), longestRetryDelay: .seconds(5))
    await assertThrows(ServiceError.self, { _ = try await client(transport, configuration).head("k") }) {
      XCTAssertEqual($0.attempts, 6)
      XCTAssertTrue("\($0)".contains("6 times"))
    }
    XCTAssertEqual(time.naps.count, 5)
    for (nap, full) in zip(time.naps, [1, 2, 4, 5, 5]) {
      XCTAssertLessThanOrEqual(nap, .seconds(full))
      XCTAssertGreaterThanOrEqual(nap, .seconds(full) / 2)
    }
    XCTAssertEqual(log.retries.map(\.delay), time.naps)
    XCTAssertEqual(log.retries.map(\.attempt), [2, 3, 4, 5, 6])
    XCTAssertGreaterThan(Set(time.naps.map { $0 / .seconds(1) }).count, 3)
  }

  func testRetryAfterIsRespected() async throws {
    let now = time.now
    for (header, expected) in [("7", Duration.seconds(7)), (now.advanced(by: .seconds(9)).httpDate, .seconds(9))] {
      let throttled = HTTPStreamingResponse(429, "", ["Retry-After": header, "Date": now.httpDate])
      _ = try await client(RecordingTransport(replies: [throttled, HTTPStreamingResponse(200)])).head("k")
      XCTAssertEqual(time.naps.last, expected)
    }
  }

  func testLongRetryAfterIsNotWaitedFor() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in
      HTTPStreamingResponse(503, "", ["Retry-After": "3600"])
    }
    await assertThrows(ServiceError.self, { _ = try await client(transport).head("k") }) {
      XCTAssertEqual($0.retryAfter, .seconds(3600))
    }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testOnlyTransientFailuresAreRetried() async throws {
    for status in [408, 429, 500, 502, 503, 504] {
      let transport = RecordingTransport(replies: [HTTPStreamingResponse(status), HTTPStreamingResponse(200)])
      _ = try await client(transport).upload([1], to: "k")
      XCTAssertEqual(transport.requests.count, 2, "\(status)")
    }
    for status in [301, 400, 401, 403, 404, 409, 411, 412, 416, 501] {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(status) }
      await assertThrows(ServiceError.self) { _ = try await client(transport).upload([1], to: "k") }
      XCTAssertEqual(transport.requests.count, 1, "\(status)")
    }
    for (code, count) in [
      (TransportError.Code.timeout, 3), (.connectionLost, 3), (.connectionFailed, 3), (.invalidRequest, 1),
    ] {
      let error = lost(code)
      let transport = RecordingTransport { _ throws(TransportError) in throw error }
      await assertThrows(TransportError.self) { _ = try await client(transport).upload([1], to: "k") }
      XCTAssertEqual(transport.requests.count, count, "\(code)")
    }
  }

  func testOperationThatMustHappenOnceIsNotRetriedIfItMayHaveHappened() async throws {
    let once = UploadOptions(forbidOverwrite: true)
    let gone = lost()
    let lost = RecordingTransport { _ throws(TransportError) in throw gone }
    await assertThrows(TransportError.self) { try await client(lost).upload([1], to: "k", options: once) }
    XCTAssertEqual(lost.requests.count, 1)
    let failed = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(500) }
    await assertThrows(ServiceError.self) { try await client(failed).upload([1], to: "k", options: once) }
    XCTAssertEqual(failed.requests.count, 1)
    let throttled = RecordingTransport(replies: [HTTPStreamingResponse(429), HTTPStreamingResponse(200)])
    try await client(throttled).upload([1], to: "k", options: once)
    XCTAssertEqual(throttled.requests.count, 2)
  }

  func testUploadWithAConditionInAHeaderIsNotRetriedIfItMayHaveHappened() async throws {
    let gone = lost()
    let lost = RecordingTransport { _ throws(TransportError) in throw gone }
    let once = UploadOptions(headers: [try XCTUnwrap(HTTPField.Name("x-oss-forbid-overwrite")): "true"])
    await assertThrows(TransportError.self) { try await client(lost).upload([1], to: "k", options: once) }
    XCTAssertEqual(lost.requests.count, 1)
  }

  func testInterruptedResponseIsRequestedAgain() async throws {
    let gone = lost()
    let transport = RecordingTransport { [log] _ throws(TransportError) in
      var reply = HTTPStreamingResponse(200, listAnswer(listed("a")))
      if log.retries.isEmpty { reply.body = ByteStream { { throw gone } } }
      return reply
    }
    var names: [String] = []
    for try await entry in client(transport).list() { names.append("\(entry)") }
    XCTAssertEqual(names.count, 1)
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testInterruptedErrorResponseIsRequestedAgain() async throws {
    let gone = lost()
    let denied = "<Error><Code>AccessDenied</Code><Message>No right.</Message></Error>"
    let transport = RecordingTransport { [log] _ throws(TransportError) in
      var reply = HTTPStreamingResponse(403, denied)
      if log.retries.isEmpty { reply.body = ByteStream { { throw gone } } }
      return reply
    }
    let once = UploadOptions(forbidOverwrite: true)
    await assertThrows(ServiceError.self, { try await client(transport).upload([1], to: "k", options: once) }) {
      XCTAssertEqual($0.message, "No right.")
    }
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testStreamIsSentAgainFromTheBuffer() async throws {
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(500), HTTPStreamingResponse(200)])
    let chunks = AsyncStream<[UInt8]> { continuation in
      for chunk in [[1], [2, 3]] as [[UInt8]] { continuation.yield(chunk) }
      continuation.finish()
    }
    try await client(transport).upload(chunks, to: "k")
    XCTAssertEqual(transport.requests.map(\.body), [[1, 2, 3], [1, 2, 3]])
  }

  func testErrorInASuccessfulResponseIsRetried() async throws {
    let failed = HTTPStreamingResponse(200, "<Error><Code>InternalError</Code><Message>Sorry.</Message></Error>")
    let transport = RecordingTransport(replies: [failed, HTTPStreamingResponse(200, copyAnswer)])
    let copy = try await client(transport).copy(from: "a", to: "b")
    XCTAssertEqual(copy.etag, "\"E\"")
    XCTAssertEqual(log.retries.count, 1)
  }

  func testRetryStopsWhenTheTaskIsCancelled() async throws {
    let client = client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(500) })
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.head("k")
    }
    await assertThrows(CancellationError.self) { try await task.value }
  }
}
