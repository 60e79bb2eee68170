// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuthTesting
import XCTest

@testable import StorageClient

/// Tests how requests are sent: endpoints, attempts, signatures and the limit of concurrent requests.
final class SendingTests: XCTestCase {
  func testTokenIsSentOverPlainHTTPOnlyToLoopback() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    for endpoint in ["http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9", "https://oss.example.com"] {
      _ = try await ossClient(transport, key: temporaryKey, endpoint: endpoint).head("k")
    }
    _ = try await ossClient(transport, key: key, endpoint: "http://oss.example.com").head("k")
    let sent = transport.requests.count
    let insecure = ossClient(transport, key: temporaryKey, endpoint: "http://oss.example.com")
    await assertThrows(StorageError.self, { _ = try await insecure.head("k") }) {
      XCTAssertEqual($0.code, .insecureConnection)
      XCTAssertFalse("\($0)".contains("token+"))
    }
    await assertThrows(StorageError.self) { _ = try await insecure.presign(.get, "k", validFor: .seconds(60)) }
    XCTAssertEqual(transport.requests.count, sent)
  }

  func testInvalidEndpointIsReportedByTheFirstOperation() async throws {
    let client = ossClient(RecordingTransport(replies: []), endpoint: "ftp://x")
    await assertThrows(SigningError.self) { _ = try await client.head("k") }
  }

  func testPublicEndpointsContainTheBucketInTheHost() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    _ = try await StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: key, transport: transport
    ).head("k")
    _ = try await StorageClient(
      .cos(bucket: "photos-1250000000", region: "ap-guangzhou"), credentials: key, transport: transport
    ).head("k")
    XCTAssertEqual(
      transport.requests.map(\.url),
      [
        "https://photos.oss-cn-hangzhou.aliyuncs.com/k",
        "https://photos-1250000000.cos.ap-guangzhou.myqcloud.com/k",
      ])
  }

  func testServerErrorIsRetriedAndAccessDeniedIsNot() async throws {
    let flaky = RecordingTransport(replies: [
      HTTPStreamingResponse(500), HTTPStreamingResponse(503), HTTPStreamingResponse(200),
    ])
    _ = try await ossClient(flaky).head("k")
    XCTAssertEqual(flaky.requests.count, 3)
    let down = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(500) }
    await assertThrows(ServiceError.self) { _ = try await ossClient(down).head("k") }
    XCTAssertEqual(down.requests.count, 3)
    let refused = RecordingTransport { _ throws(TransportError) in
      HTTPStreamingResponse(403, "<Error><Code>AccessDenied</Code><Message>No right.</Message></Error>")
    }
    await assertThrows(ServiceError.self) { _ = try await ossClient(refused).head("k") }
    XCTAssertEqual(refused.requests.count, 1)
  }

  func testOperationThatMustHappenOnceIsNotRetried() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in
      throw TransportError(.connectionLost, "Lost.", remedy: "None.")
    }
    await assertThrows(TransportError.self) {
      try await ossClient(transport).upload([1], to: "k", options: UploadOptions(forbidOverwrite: true))
    }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testEveryAttemptIsSignedAgain() async throws {
    let time = ManualClock(now: Timestamp(unixSeconds: 1_795_161_600))
    let transport = RecordingTransport { _ throws(TransportError) in
      defer { time.advance(by: .seconds(1)) }
      return HTTPStreamingResponse(time.uptime == .zero ? 500 : 200)
    }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: key, configuration: .test, transport: transport,
      time: time)
    _ = try await client.head("k")
    let dates = try transport.requests.map { $0.headers[try XCTUnwrap(HTTPField.Name("x-oss-date"))] }
    XCTAssertEqual(dates, ["20261120T080000Z", "20261120T080001Z"])
  }

  func testConcurrentRequestsAreLimited() async throws {
    let transport = RecordingTransport { _ async throws(TransportError) in
      for _ in 0..<20 { await Task.yield() }
      return HTTPStreamingResponse(200)
    }
    let client = ossClient(transport, configuration: StorageClientConfiguration(requestsInFlight: 3))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<40 { group.addTask { _ = try await client.head("k\(index)") } }
      try await group.waitForAll()
    }
    XCTAssertEqual(transport.requests.count, 40)
    XCTAssertLessThanOrEqual(transport.highestInFlight, 3)
    XCTAssertGreaterThan(transport.highestInFlight, 1)
  }

  func testDownloadCountsAsInFlightWhileItIsRead() async throws {
    let transport = RecordingTransport(ObjectService(pattern(10)).answer)
    let client = ossClient(transport, configuration: StorageClientConfiguration(requestsInFlight: 1))
    var open: DownloadedObject? = try await client.open("k")
    let waiting = Task { try await client.head("k") }
    for _ in 0..<50 { await Task.yield() }
    XCTAssertEqual(transport.requests.count, 1)
    XCTAssertNotNil(open)
    open = nil
    _ = try await waiting.value
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testCopiesBetweenPrefixesOfOneClientDoNotWaitForEachOther() async throws {
    let cloud = try await Cloud(self)
    for number in 0..<2 { try await cloud.oss().upload(pattern(600_000), to: "a/\(number)") }
    var configuration = StorageClientConfiguration.test
    configuration.requestsInFlight = 1
    let client = cloud.oss(configuration: configuration)
    let sync = FolderSync(from: .objects(in: client, below: "a/"), to: .objects(in: client, below: "b/"))
    let report = try await sync.run()
    XCTAssertEqual(report.created, 2)
    let copy = try await client.download("b/1", upTo: 600_000)
    XCTAssertEqual(copy, pattern(600_000))
  }

  func testCancelledWaitDoesNotAffectOtherWaiters() async throws {
    let gate = RequestGate(limit: 1)
    let first = try await gate.acquirePermit()
    let cancelled = Task { _ = try await gate.acquirePermit() }
    let served = Task { _ = try await gate.acquirePermit() }
    for _ in 0..<50 { await Task.yield() }
    cancelled.cancel()
    await assertThrows(CancellationError.self) { try await cancelled.value }
    first.release()
    first.release()
    try await served.value
    _ = try await gate.acquirePermit()
  }

  func testPermitThatIsReleasedBeforeTheFirstWaiterSuspendsIsKeptForIt() async throws {
    let gate = RequestGate(limit: 1)
    let permit = try await gate.acquirePermit()
    let ticket = try XCTUnwrap(gate.takePermitOrJoinQueue())
    permit.release()
    XCTAssertNotNil(gate.takePermitOrJoinQueue())
    try await gate.waitForPermit(ticket: ticket)
  }

  func testPermitIsGivenToTheFirstTicketAlthoughALaterOneSuspendsFirst() async throws {
    let gate = RequestGate(limit: 1)
    let permit = try await gate.acquirePermit()
    let tickets = try (0..<3).map { _ in try XCTUnwrap(gate.takePermitOrJoinQueue()) }
    let served = Collected<Int>()
    var waits: [Task<Void, any Error>] = []
    for index in [2, 0, 1] {
      waits.append(
        Task {
          try await gate.waitForPermit(ticket: tickets[index])
          served.append(index)
        })
      for _ in 0..<50 { await Task.yield() }
    }
    permit.release()
    try await waits[1].value
    for wait in waits { wait.cancel() }
    for wait in waits { _ = await wait.result }
    XCTAssertEqual(served.values, [0])
  }
}
