// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Hummingbird
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// The health routes over the wire: what load balancers and container platforms see.
final class HealthRouteTests: XCTestCase {
  // matrix: Health routes: run
  func testReadinessNamesTheChecksAndFailsWithOneOfThem() async throws {
    let isReachable = Lock(true)
    let time = ManualClock()
    let router = Router()
    router.addHealthRoutes(
      [HealthCheck("redis") { isReachable.withLock { $0 } }, HealthCheck("disk") { true }], time: time)
    let url = try await RunningServer.start(router, self)
    let live = try await get("\(url)/healthz")
    XCTAssertEqual(live.status, 200)
    XCTAssertEqual(live.body, #"{"status":"ok"}"#)
    let ready = try await get("\(url)/readyz")
    XCTAssertEqual(ready.status, 200)
    XCTAssertEqual(ready.body, #"{"status":"ready","checks":{"redis":true,"disk":true}}"#)
    isReachable.withLock { $0 = false }
    time.advance(by: .seconds(1))
    let failed = try await get("\(url)/readyz")
    XCTAssertEqual(failed.status, 503)
    XCTAssertEqual(failed.body, #"{"status":"not ready","checks":{"redis":false,"disk":true}}"#)
    let stillLive = try await get("\(url)/healthz")
    XCTAssertEqual(stillLive.status, 200)
  }

  // matrix: Health routes: load
  func testManyRequestsRunTheChecksOnce() async throws {
    let runs = Lock(0)
    let time = ManualClock()
    let router = Router()
    router.addHealthRoutes([HealthCheck("counted") { runs.withLock { $0 += 1 } == () }], time: time)
    let url = try await RunningServer.start(router, self)
    let all = try await withThrowingTaskGroup(of: UInt.self) { group in
      for _ in 0..<50 { group.addTask { try await get("\(url)/readyz").status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(all, [UInt](repeating: 200, count: 50))
    XCTAssertEqual(runs.withLock { $0 }, 1)
    time.advance(by: .seconds(1))
    _ = try await get("\(url)/readyz")
    XCTAssertEqual(runs.withLock { $0 }, 2)
  }

  // matrix: Health routes: load
  func testRunThatHasNotEndedIsShared() async throws {
    let runs = Lock(0)
    let gate = Gate(isClosed: true)
    let time = ManualClock()
    let router = Router()
    let check = HealthCheck("slow") {
      runs.withLock { $0 += 1 }
      return (try? await gate.pass()) != nil
    }
    router.addHealthRoutes([check], time: time)
    let url = try await RunningServer.start(router, self)
    let first = Task { try await get("\(url)/readyz").status }
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(2))
    let second = Task { try await get("\(url)/readyz").status }
    gate.open()
    let statuses = [try await first.value, try await second.value]
    XCTAssertEqual(statuses, [200, 200])
    XCTAssertEqual(runs.withLock { $0 }, 1)
    time.advance(by: .seconds(1))
    _ = try await get("\(url)/readyz")
    XCTAssertEqual(runs.withLock { $0 }, 2)
  }

  // matrix: Health routes: failure
  func testCheckThatNeverEndsFailsAtItsTimeLimit() async throws {
    let time = ManualClock()
    let router = Router()
    router.addHealthRoutes(
      [HealthCheck("stuck") { await withCheckedContinuation { (_: CheckedContinuation<Bool, Never>) in } }],
      timeout: .seconds(3), time: time)
    let url = try await RunningServer.start(router, self)
    let asked = Task { try await get("\(url)/readyz") }
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(3))
    let answer = try await asked.value
    XCTAssertEqual(answer.status, 503)
  }

  // matrix: Health routes: run
  func testCredentialIsReadyOnceItsProviderGivesOne() async throws {
    let time = ManualClock()
    let failure = CredentialError(.failed, source: "vault", "It is away.", remedy: "Retry.", isRetryable: true)
    let provider = ScriptedProvider<AccessKey>(
      [.failure(failure), .credential(AccessKey(id: "id", secret: "secret-word"))], source: "vault")
    let cache = CredentialCache(provider, in: ProviderContext(time: time))
    let router = Router()
    router.addHealthRoutes([.credential("key", in: cache)], time: time)
    let url = try await RunningServer.start(router, self)
    let first = try await get("\(url)/readyz")
    XCTAssertEqual(first.status, 503)
    XCTAssertFalse(first.body.contains("away"))
    time.advance(by: .seconds(120))
    let second = try await get("\(url)/readyz")
    XCTAssertEqual(second.status, 200)
    XCTAssertFalse(second.body.contains("secret-word"))
  }
}

/// Returns the status and the body of the response to a request.
private func get(_ url: String) async throws -> (status: UInt, body: String) {
  let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
  return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 16)))
}
