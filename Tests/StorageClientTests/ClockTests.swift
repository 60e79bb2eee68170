// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests how the client detects and corrects clock skew from services' responses.
final class ClockTests: XCTestCase {
  private let time = ManualClock()
  private let log = EventLog()

  private func client(
    _ transport: any HTTPTransport, ahead offset: Duration, endpoint: String = endpoint, skew: ClockSkew = ClockSkew()
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key, configuration: .test,
      transport: transport, events: log.events, clockSkew: skew, time: OffsetTime(base: time, offset: offset))
  }

  private func cos(
    _ transport: any HTTPTransport, ahead offset: Duration, key: AccessKey = key
  ) -> StorageClient<COSProvider> {
    StorageClient(
      .cos(bucket: "photos-1250000000", region: "ap-guangzhou", endpoint: endpoint), credentials: key,
      configuration: .test, transport: transport, events: log.events,
      time: OffsetTime(base: time, offset: offset))
  }

  // matrix: OSS V4: skew
  func testWrongClockCostsExactlyOneRetry() async throws {
    for minutes in [-20, 20] {
      let transport = RecordingTransport(GuardedService(time: time).answer)
      let client = client(transport, ahead: .seconds(60 * minutes))
      for _ in 0..<3 { _ = try await client.upload([1], to: "k") }
      XCTAssertEqual(transport.requests.count, 4, "\(minutes)")
      XCTAssertEqual(log.skews.last, .init(host: "127.0.0.1:9", offset: .seconds(-60 * minutes)))
    }
    XCTAssertEqual(log.skews.count, 2)
    XCTAssertEqual(log.retries.map(\.attempt), [2, 2])
    XCTAssertEqual(log.retries.map(\.delay), [.zero, .zero])
  }

  // matrix: COS V5: skew
  func testCOSClockIsLearntFromExpiredRequests() async throws {
    for minutes in [-80, 20] {
      let transport = RecordingTransport(GuardedService(time: time, voice: .cos, tolerance: .seconds(60)).answer)
      let client = cos(transport, ahead: .seconds(60 * minutes))
      for _ in 0..<3 { _ = try await client.upload([1], to: "k") }
      XCTAssertEqual(transport.requests.count, 4)
    }
  }

  func testSmallClockSkewIsCorrectedWhenTheServiceRejectsIt() async throws {
    let transport = RecordingTransport(GuardedService(time: time, voice: .cos, tolerance: .zero).answer)
    let client = cos(transport, ahead: .seconds(3))
    for _ in 0..<3 { _ = try await client.upload([1], to: "k") }
    XCTAssertEqual(transport.requests.count, 4)
  }

  func testEachHostHasItsOwnClockSkew() async throws {
    let skew = ClockSkew()
    let service = GuardedService(time: time)
    for (host, expected) in [("h1", 2), ("h1", 1), ("h2", 2), ("h2", 1)] {
      let transport = RecordingTransport(service.answer)
      _ = try await client(
        transport, ahead: .seconds(1200), endpoint: "https://\(host).example.com", skew: skew
      ).upload([1], to: "k")
      XCTAssertEqual(transport.requests.count, expected, host)
    }
  }

  func testHeadIsSignedAgainWithTheCorrectedClock() async throws {
    for voice in [GuardedService.Voice.oss, .cos, .silent] {
      let transport = RecordingTransport(GuardedService(time: time, voice: voice).answer)
      _ = try await client(transport, ahead: .seconds(1200)).head("k")
      XCTAssertEqual(transport.requests.map(\.method), [.head, .head])
    }
  }

  func testPresignedURLUsesTheCorrectedClock() async throws {
    let client = client(RecordingTransport(GuardedService(time: time).answer), ahead: .seconds(1200))
    let before = try await client.presign(.get, "k", validFor: .seconds(60))
    XCTAssertEqual(before.expiration, time.now.advanced(by: .seconds(1260)))
    _ = try await client.head("k")
    let after = try await client.presign(.get, "k", validFor: .seconds(60))
    XCTAssertEqual(after.expiration, time.now.advanced(by: .seconds(60)))
  }

  func testOnlyTimeRelatedErrorsUpdateTheClockSkew() async throws {
    let date = ["Date": "Fri, 20 Nov 2026 08:00:00 GMT"]
    let denied = "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>"
    let mismatch = "<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error>"
    for reply in [
      HTTPStreamingResponse(200, "", date), HTTPStreamingResponse(404, "", date),
      HTTPStreamingResponse(403, denied, date), HTTPStreamingResponse(403, mismatch, date),
      HTTPStreamingResponse(403, "", date),
    ] {
      let transport = RecordingTransport { _ throws(TransportError) in reply }
      _ = try? await client(transport, ahead: .zero).upload([1], to: "k")
      XCTAssertEqual(transport.requests.count, 1)
    }
    XCTAssertTrue(log.skews.isEmpty)
  }

  func testCachedResponseDoesNotUpdateTheClockSkew() async throws {
    let service = GuardedService(time: time, extra: ["Age": "0"])
    let transport = RecordingTransport(service.answer)
    let client = client(transport, ahead: .seconds(1200))
    await assertThrows(ServiceError.self, { try await client.upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .clockSkew)
      XCTAssertEqual($0.attempts, 1)
    }
    XCTAssertTrue(log.skews.isEmpty)
  }

  func testImplausibleTimeDoesNotUpdateTheClockSkew() async throws {
    for serverTime in ["1970-01-01T00:00:00.000Z", "2027-01-17T07:59:59Z", "garbage"] {
      let body = """
        <Error><Code>RequestTimeTooSkewed</Code><Message>No.</Message><ServerTime>\(serverTime)</ServerTime></Error>
        """
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(403, body) }
      await assertThrows(ServiceError.self) {
        try await client(transport, ahead: .seconds(2 * 24 * 3600)).upload([1], to: "k")
      }
      XCTAssertEqual(transport.requests.count, 1)
    }
    XCTAssertTrue(log.skews.isEmpty)
  }

  func testTimeInTheBodyTakesPrecedenceOverTheDateHeader() async throws {
    let transport = RecordingTransport(
      GuardedService(time: time, extra: ["Date": "Thu, 01 Jan 1970 00:00:00 GMT"]).answer)
    try await client(transport, ahead: .seconds(1200)).upload([1], to: "k")
    XCTAssertEqual(log.skews.map(\.offset), [.seconds(-1200)])
  }

  func testDateHeaderIsUsedWhenTheBodyContainsNoTime() async throws {
    let body = """
      <Error><Code>InvalidArgument</Code><Message>Invalid signing date in Authorization header.</Message></Error>
      """
    let now = time.now.httpDate
    let replies = [HTTPStreamingResponse(400, body, ["Date": now]), HTTPStreamingResponse(200)]
    try await client(RecordingTransport(replies: replies), ahead: .seconds(1200)).upload([1], to: "k")
    XCTAssertEqual(log.skews.map(\.offset), [.seconds(-1200)])
  }

  func testServiceWithContradictoryTimesIsRequestedOnlyTwice() async throws {
    let time = time
    let transport = RecordingTransport { _ throws(TransportError) in
      let now = time.now.advanced(by: .seconds(600 * .random(in: 1...100)))
      time.advance(by: .seconds(1))
      let body = """
        <Error><Code>RequestTimeTooSkewed</Code><Message>No.</Message><ServerTime>\(now)</ServerTime></Error>
        """
      return HTTPStreamingResponse(403, body)
    }
    await assertThrows(ServiceError.self, { try await client(transport, ahead: .zero).upload([1], to: "k") }) {
      XCTAssertEqual($0.attempts, 2)
    }
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testAThousandRequestsWithAWrongClockLearnTheSkewOnce() async throws {
    let transport = RecordingTransport(GuardedService(time: time).answer)
    let client = client(transport, ahead: .seconds(1200))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<1000 { group.addTask { _ = try await client.upload([1], to: "k\(index)") } }
      try await group.waitForAll()
    }
    XCTAssertEqual(log.skews.count, 1)
    XCTAssertLessThanOrEqual(transport.requests.count, 1000 + client.configuration.requestsInFlight)
  }

  func testClockCorrectionDoesNotCountAsARetry() async throws {
    let service = GuardedService(time: time)
    let failures = Collected<Int>()
    let transport = RecordingTransport { request async throws(TransportError) in
      let reply = try await service.answer(request)
      guard reply.response.status == .ok, failures.values.count < 2 else { return reply }
      failures.append(1)
      return HTTPStreamingResponse(500)
    }
    try await client(transport, ahead: .seconds(1200)).upload([1], to: "k")
    XCTAssertEqual(log.retries.map(\.attempt), [2, 3, 4])
  }

  func testClockBeyondTheExpirationOfAValidKeyIsCorrected() async throws {
    let ending = AccessKey(
      id: key.id, secret: "s", sessionToken: "t", expiration: time.now.advanced(by: .seconds(5)))
    let transport = RecordingTransport(GuardedService(time: time, voice: .cos, tolerance: .seconds(2)).answer)
    let client = cos(transport, ahead: .seconds(1200), key: ending)
    for _ in 0..<3 { _ = try await client.upload([1], to: "k") }
    XCTAssertEqual(transport.requests.count, 4)
    XCTAssertEqual(log.skews.map(\.offset), [.seconds(-1200)])
  }
}
