// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

@testable import StorageAuthRedis

/// Used signatures that several instances store in one Redis server.
final class RedisReplayStoreTests: XCTestCase {
  private static let date = Timestamp.now

  private static func insert(
    _ mark: String, of owner: String = "key", into store: RedisReplayStore, at offset: Duration = .zero
  ) async throws -> ReplayVerdict {
    try await store.insert(
      mark, of: owner, from: date.advanced(by: .seconds(-900)), until: date.advanced(by: .seconds(900)),
      at: date.advanced(by: offset))
  }

  // matrix: Shared replay marks: several instances
  func testReplayAtAnotherInstanceIsRefused() async throws {
    let server = try RedisServer()
    let stores = try (0..<2).map { _ in RedisReplayStore(try server.pool(), durability: .persistent) }
    var verdicts: [ReplayVerdict] = []
    for store in [stores[0], stores[1], stores[0]] { verdicts.append(try await Self.insert("a", into: store)) }
    XCTAssertEqual(verdicts, [.new, .used, .used])
  }

  // matrix: Shared replay marks: several instances
  func testOfManyConcurrentCopiesOneIsAccepted() async throws {
    let server = try RedisServer()
    let stores = try (0..<4).map { _ in RedisReplayStore(try server.pool(), durability: .persistent) }
    let accepted = try await withThrowingTaskGroup(of: ReplayVerdict.self) { group in
      for number in 0..<200 { group.addTask { try await Self.insert("a", into: stores[number % 4]) } }
      return try await group.reduce(0) { $0 + ($1 == .new ? 1 : 0) }
    }
    XCTAssertEqual(accepted, 1)
  }

  // matrix: Shared replay marks: clocks apart
  func testMarkOutlivesItsSignatureOnInstancesWhoseClocksDiffer() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let store = RedisReplayStore(pool, clocksWithin: .seconds(600), durability: .persistent)
    // For an instance that is ten minutes ahead, the signature expires in five minutes; for one that is behind, later.
    _ = try await Self.insert("a", into: store, at: .seconds(600))
    let life = RedisScript("return redis.call('PTTL', KEYS[1])")
    let left = try await pool.run(life, ["storage-auth:mark:a"]) { _ in [] }.integer
    XCTAssertGreaterThan(try XCTUnwrap(left), 890_000)
    let again = try await Self.insert("a", into: store, at: .seconds(-600))
    XCTAssertEqual(again, .used)
  }

  // matrix: Shared replay marks: memory
  func testOwnerCannotFillTheServer() async throws {
    let server = try RedisServer()
    let store = RedisReplayStore(try server.pool(), limitPerOwner: 3, durability: .persistent)
    var verdicts: [ReplayVerdict] = []
    for mark in ["a", "b", "c", "d"] { verdicts.append(try await Self.insert(mark, into: store)) }
    verdicts.append(try await Self.insert("a", into: store))
    verdicts.append(try await Self.insert("e", of: "other", into: store))
    XCTAssertEqual(verdicts, [.new, .new, .new, .full, .used, .new])
  }

  func testExpiredMarksLeaveTheCount() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let store = RedisReplayStore(pool, limitPerOwner: 1, durability: .persistent)
    let fill = RedisScript("return redis.call('HINCRBY', KEYS[1], '60', 1)")
    _ = try await pool.run(fill, ["storage-auth:marks:key"]) { _ in [] }
    let verdict = try await Self.insert("a", into: store)
    XCTAssertEqual(verdict, .new)
  }

  // matrix: Shared replay marks: memory
  func testMarksOfManyLifetimesNeedFewCounts() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let store = RedisReplayStore(pool, limitPerOwner: 2_000, durability: .persistent)
    let insert = { (minutes: Int) in
      try await store.insert(
        "\(minutes)", of: "key", from: nil, until: Self.date.advanced(by: .seconds(60 * minutes)), at: Self.date)
    }
    for minutes in 1...2_000 {
      let verdict = try await insert(minutes)
      XCTAssertEqual(verdict, .new)
    }
    let full = try await insert(2_001)
    XCTAssertEqual(full, .full)
    let script = RedisScript("return {redis.call('HLEN', KEYS[1]), redis.call('PTTL', KEYS[1])}")
    let reply = try await pool.run(script, ["storage-auth:marks:key"]) { _ in [] }
    guard case .array(let numbers) = reply, numbers.count == 2 else { return XCTFail("\(reply)") }
    XCTAssertLessThan(try XCTUnwrap(numbers[0].integer), 400)
    XCTAssertGreaterThan(try XCTUnwrap(numbers[1].integer), 2_000 * 60_000)
  }

  // matrix: Shared replay marks: restarted Redis
  func testVolatileServerRefusesWhatMayHaveBeenUsedBeforeItsStart() async throws {
    let server = try RedisServer()
    let store = RedisReplayStore(try server.pool())
    do {
      _ = try await Self.insert("a", into: store)
      XCTFail("a signature that may have been used was accepted")
    } catch let error as StoreError {
      XCTAssertTrue(error.message.contains("restarted"), error.message)
    }
  }

  // matrix: Shared replay marks: restarted Redis
  func testRestartOfAPersistentServerForgetsNoMark() async throws {
    let server = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
    let store = RedisReplayStore(try server.pool(), durability: .persistent)
    _ = try await Self.insert("a", into: store)
    server.kill()
    try server.start()
    let verdict = try await eventually { try await Self.insert("a", into: store) }
    XCTAssertEqual(verdict, .used)
  }

  // matrix: Shared replay marks: memory
  func testServerThatEvictsKeysCannotBeUsed() async throws {
    let server = try RedisServer("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru")
    let store = RedisReplayStore(try server.pool(), durability: .persistent, whenAway: .local)
    do {
      _ = try await Self.insert("a", into: store)
      XCTFail("a server that forgets marks was used")
    } catch let error as StoreError {
      XCTAssertTrue(error.remedy.contains("noeviction"), error.remedy)
    }
  }

  func testUnexpectedReplyIsNotTakenForARestart() async throws {
    let server = try await ScriptedRedis(self) { _, words in
      words.first == "INFO" ? ScriptedRedis.information() : ":9"
    }
    do {
      _ = try await Self.insert("a", into: RedisReplayStore(try server.pool(), durability: .persistent))
      XCTFail("an unknown reply was taken for a verdict")
    } catch let error as StoreError {
      XCTAssertTrue(error.message.contains("not in the protocol"), error.message)
    }
  }

  // matrix: Shared replay marks: without Redis
  func testInstanceGoesOnAloneOnlyIfItIsToldTo() async throws {
    let server = try RedisServer()
    let local = RedisReplayStore(try server.pool(), durability: .persistent, whenAway: .local)
    let refusing = RedisReplayStore(try server.pool(), durability: .persistent)
    server.kill()
    let verdicts = [try await Self.insert("a", into: local), try await Self.insert("a", into: local)]
    XCTAssertEqual(verdicts, [.new, .used])
    do {
      _ = try await Self.insert("a", into: refusing)
      XCTFail("a signature was accepted without a server")
    } catch is StoreError {}
  }
}
