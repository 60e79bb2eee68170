// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthRedis
import StorageAuthServer
import XCTest

/// Rates that several instances count together in one Redis server.
final class RedisRateStoreTests: XCTestCase {
  private let limit = RateLimit(burst: 10, every: .seconds(60))

  private func allowed(_ stores: [RedisRateStore], _ count: Int, caller: String = "mia") async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<count {
        let store = stores[number % stores.count]
        group.addTask { [limit] in try await store.take(caller, limit: limit, at: .zero) == nil }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  // matrix: Shared rates: several instances
  func testFourInstancesShareTheRateOfEachCaller() async throws {
    let server = try RedisServer()
    let stores = try (0..<4).map { _ in RedisRateStore(try server.pool(), durability: .persistent) }
    let first = try await allowed(stores, 200)
    XCTAssertEqual(first, 10)
    let other = try await allowed(stores, 12, caller: "leo")
    XCTAssertEqual(other, 10)
    let delay = try await stores[2].take("mia", limit: limit, at: .zero)
    XCTAssertTrue(try (.seconds(30)...(.seconds(60))).contains(XCTUnwrap(delay)), "\(String(describing: delay))")
  }

  func testRequestsAreAllowedAgainAfterTheInterval() async throws {
    let server = try RedisServer()
    let store = RedisRateStore(try server.pool(), durability: .persistent)
    let quick = RateLimit(burst: 1, every: .milliseconds(20))
    _ = try await store.take("mia", limit: quick, at: .zero)
    try await eventually {
      guard try await store.take("mia", limit: quick, at: .zero) == nil else { throw CancellationError() }
    }
  }

  // matrix: Shared rates: restarted Redis
  func testVolatileServerGivesNobodyABurstAfterItsStart() async throws {
    let server = try RedisServer()
    let store = RedisRateStore(try server.pool())
    let delay = try await store.take("mia", limit: limit, at: .zero)
    XCTAssertTrue(try (.seconds(50)...(.seconds(60))).contains(XCTUnwrap(delay)), "\(String(describing: delay))")
  }

  // matrix: Shared rates: without Redis
  func testKilledServerRefusesOrLeavesCountingToTheInstance() async throws {
    let server = try RedisServer()
    let refusing = RedisRateStore(try server.pool(), durability: .persistent)
    let local = RedisRateStore(try server.pool(), durability: .persistent, whenAway: .local)
    _ = try await refusing.take("mia", limit: limit, at: .zero)
    _ = try await local.take("mia", limit: limit, at: .zero)
    server.kill()
    do {
      _ = try await refusing.take("mia", limit: limit, at: .zero)
      XCTFail("a request was counted without a server")
    } catch {
      XCTAssertTrue(error.message.hasPrefix("Redis at "), error.message)
    }
    let without = try await allowed([local], 30)
    XCTAssertEqual(without, 10)
    try server.start()
    let again = try await eventually { try await refusing.take("leo", limit: limit, at: .zero) }
    XCTAssertNil(again)
  }

  // matrix: Shared rates: silent Redis
  func testServerThatDoesNotAnswerCostsNoMoreThanTheTimeout() async throws {
    let server = try RedisServer()
    let store = RedisRateStore(try server.pool { $0.commandTimeout = .milliseconds(100) }, durability: .persistent)
    _ = try await store.take("mia", limit: limit, at: .zero)
    server.stop()
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { [limit] in
          do throws(StoreError) {
            _ = try await store.take("mia", limit: limit, at: .zero)
            XCTFail("a server that stands still counted")
          } catch {
            XCTAssertTrue(error.message.hasPrefix("Redis at "), error.message)
          }
        }
      }
    }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(5))
    server.proceed()
    _ = try await eventually { try await store.take("mia", limit: limit, at: .zero) }
  }

  // matrix: Shared rates: restarted Redis
  func testRestartOfAPersistentServerForgetsNoRequest() async throws {
    let server = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
    let store = RedisRateStore(try server.pool(), durability: .persistent)
    let before = try await allowed([store], 7)
    server.kill()
    try server.start()
    let after = try await eventually { try await self.allowed([store], 20) }
    XCTAssertEqual(before + after, 10)
  }
}
