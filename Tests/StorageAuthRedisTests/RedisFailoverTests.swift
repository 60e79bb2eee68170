// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import XCTest

@testable import StorageAuthRedis

/// Tests that a pool leaves a server that does not serve any more, as after a failover, without a restart.
final class RedisFailoverTests: XCTestCase {
  private let limit = RateLimit(burst: 10, every: .seconds(60))

  /// Error replies of servers that another one has replaced, as Redis 7, and as Redis 5 and 6 wrap them.
  private static let outages = [
    "-READONLY You can't write against a read only replica.",
    "-READONLY You can't write against a read only replica. script: 4ba7, on @user_script:1.",
    "-ERR Error running script (call to f_4ba7): @user_script:1: @user_script: 1: "
      + "-READONLY You can't write against a read only replica.",
    "-LOADING Redis is loading the dataset in memory",
    "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "-NOREPLICAS Not enough good replicas to write.",
    "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
    "-CLUSTERDOWN The cluster is down", "-TRYAGAIN Multiple keys request during rehashing of slot",
  ]

  func testFirstCallAfterAFailoverReachesTheNewPrimary() async throws {
    for reply in Self.outages {
      let hasFailedOver = Lock(false)
      let server = try await ScriptedRedis(self) { connection, words in
        if words.first == "INFO" { return ScriptedRedis.information() }
        return connection <= 2 && hasFailedOver.withLock { $0 } ? reply : ":0"
      }
      let store = RedisRateStore(try server.pool())
      for _ in 0..<4 { _ = try await store.take("mia", limit: limit, at: .zero) }
      XCTAssertEqual(server.connections, 2)
      hasFailedOver.withLock { $0 = true }
      for _ in 0..<6 {
        let delay = try await store.take("mia", limit: limit, at: .zero)
        XCTAssertNil(delay, reply)
      }
      XCTAssertEqual(server.connections, 4, "each connection is replaced once: \(reply)")
    }
  }

  func testConcurrentCallsSurviveAFailover() async throws {
    let hasFailedOver = Lock(false)
    let server = try await ScriptedRedis(self) { connection, words in
      if words.first == "INFO" { return ScriptedRedis.information() }
      return connection <= 2 && hasFailedOver.withLock { $0 } ? Self.outages[0] : ":0"
    }
    let store = RedisRateStore(try server.pool())
    for _ in 0..<2 { _ = try await store.take("mia", limit: limit, at: .zero) }
    XCTAssertEqual(server.connections, 2)
    hasFailedOver.withLock { $0 = true }
    try await withThrowingTaskGroup(of: Void.self) { [limit] group in
      for number in 0..<200 {
        group.addTask { _ = try await store.take("caller-\(number)", limit: limit, at: .zero) }
      }
      try await group.waitForAll()
    }
    XCTAssertLessThanOrEqual(server.connections, 4)
  }

  func testCallSurvivesTheEndOfAllConnections() async throws {
    let hasEnded = Lock(false)
    let server = try await ScriptedRedis(self) { connection, words in
      if words.first == "INFO" { return ScriptedRedis.information() }
      return connection <= 2 && hasEnded.withLock { $0 } ? nil : ":0"
    }
    let store = RedisRateStore(try server.pool())
    for _ in 0..<2 { _ = try await store.take("mia", limit: limit, at: .zero) }
    XCTAssertEqual(server.connections, 2)
    hasEnded.withLock { $0 = true }
    let delay = try await store.take("mia", limit: limit, at: .zero)
    XCTAssertNil(delay)
    XCTAssertEqual(server.connections, 3)
  }

  func testOtherErrorsKeepTheConnection() async throws {
    let texts = [
      "-OOM command not allowed when used memory > 'maxmemory'.", "-NOPERM this user has no permissions",
      "-MOVED 1 127.0.0.1:7000", "-ERR unknown command 'READONLY'", "-ERR bad -READONLY argument",
    ]
    for text in texts {
      let server = try await ScriptedRedis(self) { _, words in
        words.first == "INFO" ? ScriptedRedis.information() : text
      }
      let store = RedisRateStore(try server.pool())
      for _ in 0..<6 {
        do {
          _ = try await store.take("mia", limit: limit, at: .zero)
          XCTFail("accepted")
        } catch {
          XCTAssertTrue(error.message.contains("answered with the error"), error.message)
        }
      }
      XCTAssertEqual(server.connections, 2, text)
    }
  }

  func testRemediesFitTheFailures() {
    let remedyWords: [(failure: RedisFailure, words: String)] = [
      (.busy, "fewer requests"), (.evictsKeys, "noeviction"), (.refused("OOM"), "error code"), (.timeout, "runs"),
      (.notServing("LOADING"), "primary"),
    ]
    for (failure, words) in remedyWords {
      let remedy = failure.storeError(server: "127.0.0.1:6379").remedy
      XCTAssertTrue(remedy.contains(words), remedy)
    }
  }

  func testServerThatNeverServesCausesFewConnections() async throws {
    let information = Lock(ScriptedRedis.primary)
    let server = try await ScriptedRedis(self) { _, words in
      words.first == "INFO" ? ScriptedRedis.information(information.withLock { $0 }) : Self.outages[4]
    }
    for text in [
      ScriptedRedis.primary, "role:slave\r\nslave_read_only:1\r\nuptime_in_seconds:1000\r\n",
      "role:master\r\nloading:1\r\nuptime_in_seconds:1\r\n",
    ] {
      information.withLock { $0 = text }
      let before = server.connections
      let store = RedisRateStore(try server.pool())
      for _ in 0..<3 {
        do {
          _ = try await store.take("mia", limit: limit, at: .zero)
          XCTFail("accepted")
        } catch {
          XCTAssertTrue(error.message.contains("does not serve now"), error.message)
          XCTAssertTrue(error.remedy.contains("looked up again"), error.remedy)
        }
      }
      XCTAssertLessThanOrEqual(server.connections - before, 9, "three for each call: \(text)")
    }
  }

  func testHealthCheckSeesADemotedServer() async throws {
    let information = Lock(ScriptedRedis.primary)
    let server = try await ScriptedRedis(self) { _, _ in ScriptedRedis.information(information.withLock { $0 }) }
    let pool = try server.pool()
    var isReachable = await pool.isReachable()
    XCTAssertTrue(isReachable)
    information.withLock { $0 = "role:slave\r\nuptime_in_seconds:1000\r\n" }
    isReachable = await pool.isReachable()
    XCTAssertFalse(isReachable)
  }
}
