// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageClient
import XCTest

/// Tests how interrupted downloads are resumed.
final class ResumeTests: XCTestCase {
  private let log = EventLog()

  private func client(_ transport: any HTTPTransport) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key, configuration: .test,
      transport: transport, events: log.events, time: RushingTime())
  }

  /// Returns a service whose responses break off after the given numbers of bytes, one number per response.
  private func breaking(
    _ service: ObjectService, after limits: [Int], silently: Bool = false
  ) -> RecordingTransport {
    let sent = Collected<Int>()
    return RecordingTransport { request async throws(TransportError) in
      var reply = try await service.answer(request)
      sent.append(1)
      guard sent.values.count <= limits.count, reply.response.status.kind == .successful else { return reply }
      let body = reply.body
      let limit = limits[sent.values.count - 1]
      reply.body = ByteStream {
        var isSent = false
        return {
          if !isSent {
            isSent = true
            return try await body.collectPrefix(upTo: limit)
          }
          if silently { return nil }
          throw TransportError(.connectionLost, "Lost.", remedy: "None.")
        }
      }
      return reply
    }
  }

  func testInterruptedStreamIsResumed() async throws {
    let bytes = pattern(1000)
    for silently in [false, true] {
      let transport = breaking(ObjectService(bytes), after: [300, 200], silently: silently)
      let found = try await client(transport).download("k", upTo: 1000)
      XCTAssertEqual(found, bytes)
      XCTAssertEqual(transport.requests.map { $0.headers[.range] }, [nil, "bytes=300-999", "bytes=500-999"])
      XCTAssertEqual(transport.requests.map { $0.headers[.ifMatch] }, [nil, "\"E\"", "\"E\""])
    }
    XCTAssertEqual(log.retries.map(\.attempt), [2, 3, 2, 3])
  }

  func testInterruptedRangeIsResumedWithinTheRange() async throws {
    let bytes = pattern(1000)
    let transport = breaking(ObjectService(bytes), after: [40])
    let options = DownloadOptions(range: ByteRange(100..<200))
    let found = try await client(transport).download("k", upTo: 1000, options: options)
    XCTAssertEqual(found, Array(bytes[100..<200]))
    XCTAssertEqual(transport.requests.map { $0.headers[.range] }, ["bytes=100-199", "bytes=140-199"])
  }

  func testInterruptedFileIsResumed() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(450_000)
    let transport = breaking(ObjectService(bytes), after: [150_000, 7])
    try await client(transport).download("k", to: directory.path("k"))
    XCTAssertEqual(try directory.read("k"), bytes)
    XCTAssertEqual(log.transfers.map(\.bytes), [450_000])
  }

  func testResumptionStopsAfterTheConfiguredAttempts() async throws {
    let transport = breaking(ObjectService(pattern(1000)), after: [100, 1, 1, 1, 1])
    await assertThrows(TransportError.self) { _ = try await client(transport).download("k", upTo: 1000) }
    XCTAssertEqual(transport.requests.count, 3)
  }

  func testObjectReplacedBeforeTheResumptionIsNotMixed() async throws {
    let first = breaking(ObjectService(pattern(1000)), after: [100])
    let transport = RecordingTransport { request async throws(TransportError) in
      guard request.headers[.ifMatch] == nil else {
        return HTTPStreamingResponse(412, "<Error><Code>PreconditionFailed</Code><Message>Changed.</Message></Error>")
      }
      var plain = HTTPRequest(method: .get, scheme: nil, authority: nil, path: request.path)
      plain.headerFields = request.headers
      return try await first.send(plain, body: .none)
    }
    await assertThrows(ServiceError.self, { _ = try await client(transport).download("k", upTo: 1000) }) {
      XCTAssertEqual($0.kind, .preconditionFailed)
    }
  }

  func testResponseThatIsNotTheRemainderIsRejected() async throws {
    let first = breaking(ObjectService(pattern(1000)), after: [100])
    let transport = RecordingTransport { request async throws(TransportError) in
      var plain = HTTPRequest(method: .get, scheme: nil, authority: nil, path: request.path)
      if request.headers[.range] == nil { plain.headerFields = request.headers }
      return try await first.send(plain, body: .none)
    }
    await assertThrows(StorageError.self, { _ = try await client(transport).download("k", upTo: 1000) }) {
      XCTAssertEqual($0.code, .malformedResponse)
    }
  }

  func testObjectWithoutAStrongEntityTagIsNotResumed() async throws {
    for tag in ["W/\"E\""] {
      let transport = RecordingTransport { _ throws(TransportError) in
        var reply = HTTPStreamingResponse(200, "", ["Content-Length": "4", "ETag": tag])
        reply.body = ByteStream { { throw TransportError(.connectionLost, "Lost.", remedy: "None.") } }
        return reply
      }
      await assertThrows(TransportError.self) { _ = try await client(transport).download("k", upTo: 1000) }
      XCTAssertEqual(transport.requests.count, 1)
    }
  }
}
