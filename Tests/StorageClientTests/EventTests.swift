// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import Logging
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the events and log lines of the client.
final class EventTests: XCTestCase {
  private let time = ManualClock()
  private let log = EventLog()

  private func client(
    _ transport: any HTTPTransport, key: AccessKey = temporaryKey
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key, configuration: .test,
      transport: transport, events: log.events, time: time)
  }

  func testSignatureIsReported() async throws {
    let client = client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) })
    _ = try await client.head("a/b")
    let signature = try XCTUnwrap(log.signatures.first)
    XCTAssertEqual(signature.subject, "HEAD oss://photos/a/b")
    XCTAssertEqual(signature.identity, temporaryKey.id.string)
    XCTAssertEqual(signature.date, time.now)
    XCTAssertEqual(signature.generation, client.credentials.current()?.generation)
  }

  func testAnonymousSignatureHasNoIdentity() async throws {
    let client = client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }, key: .anonymous)
    _ = try await client.head("k")
    XCTAssertEqual(log.signatures.map(\.identity), [nil])
  }

  func testTransferIsReportedOnceWithItsBytesAndDuration() async throws {
    let time = time
    let service = MultipartService()
    let transport = RecordingTransport { request async throws(TransportError) in
      time.advance(by: .seconds(1))
      return request.method == .put && request.parameter("partNumber") == nil
        ? HTTPStreamingResponse(200) : try await service.answer(request)
    }
    try await client(transport).upload([1, 2, 3], to: "small")
    try await client(transport).upload(pattern(300_000), to: "large")
    XCTAssertEqual(
      log.transfers,
      [
        .init(subject: "upload oss://photos/small", bytes: 3, duration: .seconds(1), failure: nil),
        .init(subject: "upload oss://photos/large", bytes: 300_000, duration: .seconds(5), failure: nil),
      ])
  }

  func testDownloadsAndCopiesAreReported() async throws {
    let directory = try TemporaryDirectory(self)
    let client = client(RecordingTransport(ObjectService(pattern(1000)).answer))
    try await client.download("k", to: directory.path("k"))
    _ = try await client.download("k", upTo: 1000)
    XCTAssertEqual(log.transfers.map(\.subject), Array(repeating: "download oss://photos/k", count: 2))
    XCTAssertEqual(log.transfers.map(\.bytes), [1000, 1000])
    try await self.client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, copyAnswer) })
      .copy(from: "a", to: "b")
    XCTAssertEqual(log.transfers.last?.subject, "copy oss://photos/b")
  }

  func testFailedOrAbandonedTransferIsReportedWithItsFailure() async throws {
    let refused = client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(404) })
    await assertThrows(ServiceError.self) { try await refused.upload([1], to: "k") }
    await assertThrows(ServiceError.self) { _ = try await refused.open("k") }
    XCTAssertEqual(log.transfers.count, 2)
    XCTAssertTrue(log.transfers.allSatisfy { $0.failure?.contains("404") == true })
    var object: DownloadedObject? = try await client(RecordingTransport(ObjectService([1]).answer)).open("k")
    XCTAssertNotNil(object)
    object = nil
    XCTAssertEqual(log.transfers.count, 3)
    XCTAssertNotNil(log.transfers.last?.failure)
  }

  func testErrorOfTheCallersSourceIsNotQuoted() async throws {
    struct Private: Error { let password = "hunter2" }
    let chunks = AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: Private()) }
    let client = client(RecordingTransport(replies: []))
    await assertThrows(Private.self) { try await client.upload(chunks, to: "k") }
    XCTAssertEqual(log.transfers.map(\.failure), ["Private"])
  }

  func testNoEventOrLogLineContainsASecret() async throws {
    let lines = Collected<String>()
    var logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
    logger.logLevel = .trace
    let logging = AuthEventLogger(log.events, to: logger)
    let service = GuardedService(time: OffsetTime(base: time, offset: .seconds(1200)), accepting: [])
    let client = client(RecordingTransport(service.answer))
    await assertThrows(ServiceError.self) { try await client.upload([1], to: "k?x-oss-security-token=y") }
    _ = try? await client.copy(from: "a", to: "b")
    logging.stop()
    let texts = lines.values + log.all.map { String(reflecting: $0) }
    XCTAssertTrue(lines.values.contains { $0.hasPrefix("trace request signed") })
    XCTAssertTrue(lines.values.contains { $0.hasPrefix("notice clock skew updated") })
    XCTAssertTrue(lines.values.contains { $0.hasPrefix("notice request sent again") })
    XCTAssertTrue(lines.values.contains { $0.hasPrefix("warning transfer ended") })
    XCTAssertTrue(lines.values.contains { $0.hasPrefix("warning refresh failed") })
    for text in texts {
      XCTAssertFalse(text.contains("token+/="), text)
      XCTAssertFalse(text.contains("not-a-secret"), text)
      XCTAssertFalse(text.contains("OSS4-HMAC"), text)
    }
  }

  func testReleasedLoggerLogsNoEvents() async throws {
    let lines = Collected<String>()
    var logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
    logger.logLevel = .trace
    var logging: AuthEventLogger? = AuthEventLogger(log.events, to: logger)
    XCTAssertNotNil(logging)
    logging = nil
    _ = try await client(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }).head("k")
    XCTAssertEqual(lines.values, [])
  }
}

/// Records what is logged.
private struct RecordingHandler: LogHandler {
  let lines: Collected<String>
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  init(lines: Collected<String>) {
    self.lines = lines
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.append("\(event.level) \(event.message) \(event.metadata ?? [:])")
  }
}
