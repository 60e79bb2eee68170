// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

@testable import StorageAuthRedis

/// Issued keys that several token services share through one Redis server.
final class RedisKeyStoreTests: XCTestCase {
  private let scope = TokenScope("mia", AccessPolicy([AccessRule(.write, objects: .prefix("mia/"), in: "photos")]))

  private func issuer(clock: Duration = .zero) -> ScriptedProvider<AccessKey> {
    ScriptedProvider { call in
      let now = Timestamp.now.advanced(by: clock)
      let key = AccessKey(
        id: "STS.\(call)", secret: "secret-\(call)", sessionToken: "token-\(call)",
        expiration: now.advanced(by: .seconds(1800)))
      return IssuedCredential(key, issuerTime: now)
    }
  }

  private func services(
    _ count: Int, _ server: RedisServer, time: any SigningClock = .system, _ issuer: ScriptedProvider<AccessKey>
  ) throws -> [TokenService] {
    try (0..<count).map { _ in
      TokenService(rate: nil, keys: RedisKeyStore(try server.pool()), in: ProviderContext(time: time)) { _ in issuer }
    }
  }

  // matrix: Shared keys: several instances
  func testFourInstancesAskTheCloudOncePerScope() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    let services = try services(4, server, issuer)
    let order = KeyRequest(caller: "mia", scope: scope)
    let keys = try await withThrowingTaskGroup(of: IssuedKey.self) { group in
      for number in 0..<100 { group.addTask { try await services[number % 4].key(for: order) } }
      return try await group.reduce(into: []) { $0.append($1.key) }
    }
    XCTAssertEqual(issuer.calls, 1)
    XCTAssertTrue(keys.allSatisfy { $0.id == "STS.1" && $0.secret == Secret("secret-1") })
    XCTAssertTrue(keys.allSatisfy { $0.sessionToken == Secret("token-1") })
  }

  // matrix: Shared keys: clocks apart
  func testInstancesWithWrongClocksReportTheTimeOfTheIssuer() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    let fast = ManualClock(now: .now.advanced(by: .seconds(3600)))
    let right = try XCTUnwrap(try services(1, server, issuer).first)
    let wrong = try XCTUnwrap(try services(1, server, time: fast, issuer).first)
    let order = KeyRequest(caller: "mia", scope: scope)
    let first = try await right.key(for: order)
    let second = try await wrong.key(for: order)
    XCTAssertEqual(issuer.calls, 1)
    XCTAssertEqual(first.key.id, second.key.id)
    XCTAssertLessThan(abs(first.date.duration(to: second.date).components.seconds), 5)
  }

  // matrix: Shared keys: memory
  func testKeyLeavesTheServerBeforeHalfOfItsLife() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let store = RedisKeyStore(pool)
    let issuer = issuer()
    _ = try await store.key(for: scope) { () async throws(CredentialError) in try await issuer.issue(in: .local) }
    let life = RedisScript("return redis.call('PTTL', KEYS[1])")
    let left = try await pool.run(life, ["storage-auth:key:\(scope.digest)"]) { _ in [] }.integer
    XCTAssertTrue(try (890_000..<900_000).contains(XCTUnwrap(left)), "\(String(describing: left))")
    let shared = try await store.key(for: scope) { () async throws(CredentialError) in
      try await issuer.issue(in: .local)
    }
    XCTAssertEqual(issuer.calls, 1)
    XCTAssertEqual(shared.lifetime, .seconds(1800))
  }

  func testRefusalOfTheCloudIsNotAskedForByTheNextInstance() async throws {
    let server = try RedisServer()
    let refusal = CredentialError(.failed, source: "sts", "The cloud is away.", remedy: "Wait.", isRetryable: true)
    let failing = ScriptedProvider<AccessKey> { _ throws(CredentialError) in throw refusal }
    let stores = try (0..<2).map { _ in RedisKeyStore(try server.pool()) }
    var errors: [String] = []
    for store in stores {
      do {
        _ = try await store.key(for: scope) { () async throws(CredentialError) in try await failing.issue(in: .local) }
      } catch {
        errors.append(error.source)
        XCTAssertTrue(error.isRetryable)
      }
    }
    XCTAssertEqual(errors, ["sts", "redis"])
    XCTAssertEqual(failing.calls, 1)
  }

  func testCancelledCallerDoesNotMakeOtherInstancesRefuse() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    issuer.hold()
    let stores = try (0..<2).map { _ in RedisKeyStore(try server.pool()) }
    let cancelled = Task { [scope] in
      try await stores[0].key(for: scope) { () async throws(CredentialError) in try await issuer.issue(in: .local) }
    }
    await issuer.wait(forCalls: 1)
    cancelled.cancel()
    do {
      _ = try await cancelled.value
      XCTFail("a cancelled caller received a key")
    } catch {
      XCTAssertEqual((error as? CredentialError)?.code, .cancelled)
    }
    issuer.release()
    let key = try await stores[1].key(for: scope) { () async throws(CredentialError) in
      try await issuer.issue(in: .local)
    }
    XCTAssertEqual(key.credential.id, "STS.2")
  }

  func testLeaseOfAnInstanceThatEndedPassesToAnother() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let hold = RedisScript("return redis.call('SET', KEYS[1], 'ended', 'PX', '100')")
    _ = try await pool.run(hold, ["storage-auth:lease:\(scope.digest)"]) { _ in [] }
    let issuer = issuer()
    let key = try await RedisKeyStore(pool).key(for: scope) { () async throws(CredentialError) in
      try await issuer.issue(in: .local)
    }
    XCTAssertEqual(key.credential.id, "STS.1")
  }

  func testLeaseIsRenewedWhileTheCloudIsSlow() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    issuer.hold()
    let stores = try (0..<2).map { _ in RedisKeyStore(try server.pool(), lease: .milliseconds(100)) }
    let keys = stores.map { store in
      Task { [scope] in
        try await store.key(for: scope) { () async throws(CredentialError) in try await issuer.issue(in: .local) }
      }
    }
    try await SystemTime().sleep(for: .milliseconds(400))
    issuer.release()
    for key in keys {
      let id = try await key.value.credential.id
      XCTAssertEqual(id, "STS.1")
    }
    XCTAssertEqual(issuer.calls, 1)
  }

  func testForgottenKeyIsIssuedAgain() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    let service = try XCTUnwrap(try services(1, server, issuer).first)
    let order = KeyRequest(caller: "mia", scope: scope)
    _ = try await service.key(for: order)
    try await service.forget(scope)
    let second = try await service.key(for: order)
    XCTAssertEqual(second.key.id, "STS.2")
  }

  // matrix: Shared keys: without Redis
  func testInstanceWithoutRedisAsksForItselfOrRefuses() async throws {
    let server = try RedisServer()
    let issuer = issuer()
    let local = RedisKeyStore(try server.pool())
    let refusing = RedisKeyStore(try server.pool(), whenAway: .refuse)
    server.kill()
    let key = try await local.key(for: scope) { () async throws(CredentialError) in try await issuer.issue(in: .local) }
    XCTAssertEqual(key.credential.id, "STS.1")
    do {
      _ = try await refusing.key(for: scope) { () async throws(CredentialError) in try await issuer.issue(in: .local) }
      XCTFail("a key was issued")
    } catch {
      XCTAssertEqual(error.source, "redis")
      XCTAssertTrue(error.isRetryable)
    }
  }

  func testScopesThatDifferInAnythingHaveDifferentDigests() {
    var digests: Set<String> = []
    let rule = AccessRule(.write, objects: .prefix("mia/"), in: "photos")
    let changes: [(inout AccessRule) -> Void] = [
      { _ in }, { $0.actions = [.read, .write] }, { $0.objects = .key("mia/") }, { $0.objects = .all },
      { $0.bucket = "photo" }, { $0.maximumSize = 1 }, { $0.contentTypes = [] }, { $0.contentTypes = ["a/b"] },
      { $0.addresses = [] }, { $0.end = Timestamp(unixSeconds: 1) }, { $0.end = Timestamp(unixSeconds: 2) },
      { $0.end = Timestamp(unixSeconds: 1_800_000_000) },
      { $0.end = Timestamp(unixSeconds: 1_800_000_000).advanced(by: .nanoseconds(1)) },
    ]
    for change in changes {
      var rule = rule
      change(&rule)
      digests.insert(TokenScope("mia", AccessPolicy([rule])).digest)
    }
    digests.insert(TokenScope("mi", AccessPolicy([rule])).digest)
    digests.insert(TokenScope("mia", AccessPolicy([rule]), lifetime: .seconds(60)).digest)
    digests.insert(TokenScope("mia", AccessPolicy([rule, rule])).digest)
    XCTAssertEqual(digests.count, changes.count + 3)
  }
}
