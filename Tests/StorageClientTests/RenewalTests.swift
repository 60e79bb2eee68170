// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests how the client refreshes credentials that expire or that a service rejects.
final class RenewalTests: XCTestCase {
  let time = ManualClock()
  let log = EventLog()

  /// Returns a cache of a token service that issues `STS.1`, `STS.2` and so on, and its numbered fetches.
  func issuing(
    onlyUpTo last: Int = .max, life: Duration? = .seconds(3600)
  ) -> (cache: CredentialCache<AccessKey>, fetches: Collected<Int>) {
    let fetches = Collected<Int>()
    let provider = ClosureCredentialProvider<AccessKey>(source: "token service") { [time] in
      fetches.append(1)
      let number = min(fetches.values.count, last)
      let key = AccessKey(
        id: "STS.\(number)", secret: "secret \(number)", sessionToken: "TOKEN\(number)",
        expiration: life.map { time.now.advanced(by: $0) })
      SecretWatch.add(key)
      return key
    }
    // Refreshes happen as late as possible, so that every run steps over the same time.
    let cache = CredentialCache(
      provider, ProviderContext(time: time), CredentialCacheConfiguration(), log.events, random: { 0 })
    return (cache, fetches)
  }

  func client(
    _ transport: any HTTPTransport, _ cache: CredentialCache<AccessKey>
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: cache,
      configuration: .test, transport: transport, time: time)
  }

  // matrix: OSS V4: forced refresh
  func testCredentialRejectedAsExpiredIsRefreshedAndTheRequestSignedAgain() async throws {
    for code in ["SecurityTokenExpired", "InvalidAccessKeyId", "InvalidSecurityToken", "ExpiredToken", "InvalidToken"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time)
      service.accept(["STS.2"], others: code)
      let transport = RecordingTransport(service.answer)
      let object = try await client(transport, cache).upload(
        [1, 2], to: "k", options: UploadOptions(forbidOverwrite: true))
      XCTAssertEqual(object.size, 2, code)
      XCTAssertEqual(fetches.values.count, 2)
      XCTAssertEqual(transport.requests.map(\.body), [[1, 2], [1, 2]])
    }
    XCTAssertEqual(log.retries.map(\.attempt), [2, 2, 2, 2, 2])
    XCTAssertEqual(log.retries.first?.subject, "PUT oss://photos/k")
  }

  func testServiceErrorIsThrownWhenNoOtherCredentialIsAvailable() async throws {
    let (cache, fetches) = issuing(onlyUpTo: 1)
    let service = GuardedService(time: time, accepting: [])
    let transport = RecordingTransport(service.answer)
    await assertThrows(ServiceError.self, { try await client(transport, cache).upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .credentialExpired)
      XCTAssertEqual($0.attempts, 1)
      XCTAssertEqual($0.renewalError?.code, .rejected)
      XCTAssertTrue("\($0)".contains("token service"))
      XCTAssertFalse("\($0)".contains("TOKEN1"))
    }
    XCTAssertEqual(transport.requests.count, 1)
    XCTAssertEqual(fetches.values.count, 2)
  }

  func testUnknownPermanentKeyIsNotSentTwice() async throws {
    let service = GuardedService(time: time, accepting: [])
    service.accept([], others: "InvalidAccessKeyId")
    let transport = RecordingTransport(service.answer)
    let cache = CredentialCache(key, events: log.events, time: time)
    await assertThrows(ServiceError.self, { try await client(transport, cache).upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .unknownAccessKey)
      XCTAssertEqual($0.renewalError?.code, .rejected)
    }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testRefreshedCredentialThatIsRejectedIsNotRefreshedAgain() async throws {
    let (cache, fetches) = issuing()
    let transport = RecordingTransport(GuardedService(time: time, accepting: []).answer)
    await assertThrows(ServiceError.self, { try await client(transport, cache).upload([1], to: "k") }) {
      XCTAssertEqual($0.attempts, 2)
      XCTAssertNil($0.renewalError)
    }
    XCTAssertEqual(fetches.values.count, 2)
  }

  // matrix: OSS V4: forced refresh
  func testAThousandRejectionsOfOneCredentialCauseOneRefresh() async throws {
    let (cache, fetches) = issuing()
    _ = try await cache.credential()
    let service = GuardedService(time: time, accepting: ["STS.2"])
    let gathering = Gathering(1000)
    let transport = RecordingTransport { request async throws(TransportError) in
      let reply = try await service.answer(request)
      if reply.response.status == .forbidden { await gathering.arrive() }
      return reply
    }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: cache,
      configuration: StorageClientConfiguration(requestsInFlight: 1000), transport: transport, time: time)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<1000 { group.addTask { try await client.upload([1], to: "k\(index)") } }
      try await group.waitForAll()
    }
    XCTAssertEqual(fetches.values.count, 2)
    XCTAssertEqual(transport.requests.count, 2000)
    XCTAssertEqual(log.signatures.filter { $0.identity == "STS.1" }.count, 1000)
    XCTAssertEqual(log.signatures.filter { $0.identity == "STS.2" }.count, 1000)
    XCTAssertEqual(log.retries.count, 1000)
  }

  // matrix: OSS V4: early refresh
  func testCredentialIsRefreshedBeforeExpirationWithoutFailedRequests() async throws {
    let (cache, fetches) = issuing(life: .seconds(5))
    let service = GuardedService(time: time)
    let transport = RecordingTransport(service.answer)
    let client = client(transport, cache)
    for number in 1...10 {
      service.accept(["STS.\(number)"])
      try await client.upload([1], to: "k")
      time.advance(by: .seconds(5))
    }
    XCTAssertEqual(fetches.values.count, 10)
    XCTAssertEqual(transport.requests.count, 10)
    XCTAssertTrue(log.retries.isEmpty)
  }

  func testHeadRejectedWithoutAReasonIsExplainedByAGet() async throws {
    let (cache, fetches) = issuing()
    let service = GuardedService(time: time, accepting: ["STS.2"], voice: .cos)
    let transport = RecordingTransport(service.answer)
    _ = try await client(transport, cache).head("k")
    XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head])
    XCTAssertEqual(transport.requests[1].headers[.range], "bytes=0-0")
    XCTAssertEqual(fetches.values.count, 2)
  }

  func testHeadWithoutPermissionCausesNoRefresh() async throws {
    let (cache, fetches) = issuing()
    let service = GuardedService(time: time, accepting: [], voice: .cos)
    service.accept([], others: "AccessDenied")
    let transport = RecordingTransport(service.answer)
    await assertThrows(ServiceError.self, { _ = try await client(transport, cache).head("k") }) {
      XCTAssertEqual($0.kind, .accessDenied)
      XCTAssertEqual($0.message, "No.")
      XCTAssertEqual($0.subject, "HEAD oss://photos/k")
    }
    XCTAssertEqual(transport.requests.map(\.method), [.head, .get])
    XCTAssertEqual(fetches.values.count, 1)
  }

  func testHeadRejectedWhereAGetSucceedsStaysRejected() async throws {
    let (cache, fetches) = issuing()
    let transport = RecordingTransport { request throws(TransportError) in
      HTTPStreamingResponse(request.method == .head ? 403 : 206, request.method == .head ? "" : "x")
    }
    await assertThrows(ServiceError.self, { _ = try await client(transport, cache).head("k") }) {
      XCTAssertEqual($0.kind, .accessDenied)
    }
    XCTAssertEqual(transport.requests.count, 2)
    XCTAssertEqual(fetches.values.count, 1)
  }

  func testRequestExpiredErrorRefreshesTheCredential() async throws {
    let (cache, fetches) = issuing()
    let body = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
    let transport = RecordingTransport(replies: [HTTPStreamingResponse(403, body), HTTPStreamingResponse(200)])
    try await client(transport, cache).upload([1], to: "k")
    XCTAssertEqual(fetches.values.count, 2)
  }

  func testClockAndCredentialAreBothCorrectedForOneRequest() async throws {
    let (cache, _) = issuing()
    let service = GuardedService(time: OffsetTime(base: time, offset: .seconds(1200)), accepting: ["STS.2"])
    let transport = RecordingTransport(service.answer)
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: cache,
      configuration: StorageClientConfiguration(attempts: 1), transport: transport, time: time)
    try await client.upload([1], to: "k")
    XCTAssertEqual(log.retries.map(\.attempt), [2, 3])
  }

  func testCacheIsNotWrappedInAnotherCache() async throws {
    let (cache, _) = issuing()
    let provider: any CredentialProvider<AccessKey> = cache
    let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: provider)
    XCTAssertTrue(client.credentials === cache)
    XCTAssertTrue(client.events === cache.events)
  }

  func testReplacedCredentialIsUsedFromThenOn() async throws {
    let service = GuardedService(time: time, accepting: ["STS.2"])
    let first = AccessKey(id: "STS.1", secret: "s", sessionToken: "t")
    let client = client(RecordingTransport(service.answer), CredentialCache(first, time: time))
    await assertThrows(ServiceError.self) { try await client.upload([1], to: "k") }
    client.credentials.replace(with: AccessKey(id: "STS.2", secret: "s", sessionToken: "t"))
    try await client.upload([1], to: "k")
  }

  func testCancelledWaitForACredentialIsACancellation() async throws {
    let (reached, signal) = AsyncStream<Void>.makeStream()
    let cache = CredentialCache<AccessKey>(source: "slow", time: time) { [time] in
      signal.yield()
      try await time.sleep(for: .seconds(20))
      return key
    }
    let client = client(RecordingTransport(replies: []), cache)
    let upload = Task { try await client.upload([1], to: "k") }
    for await _ in reached { break }
    upload.cancel()
    await assertThrows(CancellationError.self) { _ = try await upload.value }
  }
}

/// Suspends all callers until the last one has arrived.
private final class Gathering: Sendable {
  private struct State {
    var missing: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Lock<State>

  init(_ count: Int) {
    state = Lock(State(missing: count))
  }

  func arrive() async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.missing -= 1
        guard state.missing <= 0 else {
          state.waiting.append(continuation)
          return []
        }
        defer { state.waiting = [] }
        return state.waiting + [continuation]
      }
      for continuation in ready { continuation.resume() }
    }
  }
}
