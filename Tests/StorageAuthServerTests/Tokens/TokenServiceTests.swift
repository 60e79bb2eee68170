// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests the token service without a network and with stepped clocks.
final class TokenServiceTests: XCTestCase {
  private let time = ManualClock()
  private let lines = AuditLines()

  private func order(_ caller: String = "mia", scope: String = "uploads", life: Duration = .seconds(1800)) -> KeyRequest
  {
    KeyRequest(
      caller: caller,
      scope: TokenScope(
        scope, AccessPolicy([AccessRule(.write, objects: .prefix("\(scope)/"), in: "photos")]), lifetime: life))
  }

  /// Returns an issuer of keys that expire half an hour after the issuer's time.
  private func issuer(offset: Duration = .zero, life: Duration = .seconds(1800)) -> ScriptedProvider<AccessKey> {
    ScriptedProvider { [time] call in
      let now = time.now.advanced(by: offset)
      let key = AccessKey(
        id: "STS.\(call)", secret: "secret-\(call)", sessionToken: "token-\(call)",
        expiration: now.advanced(by: life))
      return IssuedCredential(key, issuerTime: now)
    }
  }

  private func service(
    rate: RateLimit? = nil, scopeLimit: Int = 10, _ source: @escaping TokenService.Source
  ) -> TokenService {
    TokenService(
      rate: rate, scopeLimit: scopeLimit, audit: lines.append, in: ProviderContext(time: time),
      source: source)
  }

  private func assertFails(
    _ order: KeyRequest, _ service: TokenService, line: UInt = #line, _ check: (TokenServiceError) -> Void
  ) async {
    do {
      let issued = try await service.key(for: order)
      XCTFail("\(issued.key.id) was issued", line: line)
    } catch {
      check(error)
    }
  }

  func testAThousandCallersOfAScopeCauseOneRequest() async throws {
    let issuer = issuer()
    let service = service { _ in issuer }
    issuer.hold()
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 1...1000 {
        let order = order("caller-\(number)")
        group.addTask { try await service.key(for: order).key.id.string }
      }
      await issuer.wait(forCalls: 1)
      issuer.release()
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    XCTAssertEqual(ids.count, 1000)
    XCTAssertEqual(Set(ids), ["STS.1"])
    XCTAssertEqual(issuer.calls, 1)
    XCTAssertEqual(lines.all.count, 1000)
  }

  func testEachScopeHasItsOwnKeyAndTheProviderReceivesTheScope() async throws {
    let issuer = issuer()
    let scopes = Lock<[TokenScope]>([])
    let service = service { scope in
      scopes.withLock { $0.append(scope) }
      return issuer
    }
    let orders = [order(), order(scope: "other"), order(life: .seconds(900)), order("noah")]
    var ids: [String] = []
    for order in orders { ids.append(try await service.key(for: order).key.id.string) }
    XCTAssertEqual(ids, ["STS.1", "STS.2", "STS.3", "STS.1"])
    XCTAssertEqual(scopes.withLock { $0 }, orders.prefix(3).map(\.scope))
  }

  func testSimilarScopesHaveSeparateKeys() async throws {
    let issuer = issuer()
    let service = service { _ in issuer }
    var ids: [String] = []
    for name in ["\u{e9}", "e\u{301}"] {
      ids.append(try await service.key(for: order(scope: name)).key.id.string)
      let shared = AccessPolicy([AccessRule(.read, objects: .key(name), in: "photos")])
      ids.append(try await service.key(for: KeyRequest(caller: "mia", scope: TokenScope("x", shared))).key.id.string)
      let same = AccessPolicy([AccessRule(.read, objects: .all, in: "photos")])
      ids.append(try await service.key(for: KeyRequest(caller: "mia", scope: TokenScope(name, same))).key.id.string)
    }
    XCTAssertEqual(ids, (1...6).map { "STS.\($0)" })
  }

  func testKeyIsReusedWhileHalfOfItsLifetimeRemains() async throws {
    let issuer = issuer(life: .seconds(1000))
    let service = service { _ in issuer }
    var ids: [String] = []
    for step in [0, 499, 1, 1] {
      time.advance(by: .seconds(step))
      ids.append(try await service.key(for: order()).key.id.string)
    }
    XCTAssertEqual(ids, ["STS.1", "STS.1", "STS.1", "STS.2"])
  }

  func testLifetimeIsTheKeysInsteadOfTheRequestedOne() async throws {
    let issuer = issuer(life: .seconds(60))
    let service = service { _ in issuer }
    let first = try await service.key(for: order(life: .seconds(43_200)))
    XCTAssertEqual(first.expiration, time.now.advanced(by: .seconds(60)))
    time.advance(by: .seconds(31))
    let second = try await service.key(for: order(life: .seconds(43_200)))
    XCTAssertEqual(second.key.id, "STS.2")
  }

  func testCurrentTimeIsTheIssuersDespiteAWrongServerClock() async throws {
    let issuer = issuer(offset: .seconds(-3600))
    let service = service { _ in issuer }
    let start = time.now.advanced(by: .seconds(-3600))
    let first = try await service.key(for: order())
    XCTAssertEqual(first.date, start)
    time.advance(by: .seconds(100))
    time.setWallClock(to: Timestamp(unixSeconds: 0))
    let second = try await service.key(for: order())
    XCTAssertEqual(second.key, first.key)
    XCTAssertEqual(second.date, start.advanced(by: .seconds(100)))
    XCTAssertEqual(second.expiration, start.advanced(by: .seconds(1800)))
  }

  func testOnlyTheCallerOverItsRateIsRejected() async throws {
    let issuer = issuer()
    let service = service(rate: RateLimit(burst: 3, every: .seconds(20))) { _ in issuer }
    for _ in 1...3 { _ = try await service.key(for: order("mia")) }
    await assertFails(order("mia"), service) { XCTAssertEqual($0, .tooManyRequests(after: .seconds(20))) }
    _ = try await service.key(for: order("noah"))
    time.advance(by: .seconds(19))
    await assertFails(order("mia"), service) { XCTAssertEqual($0, .tooManyRequests(after: .seconds(1))) }
    time.advance(by: .seconds(1))
    _ = try await service.key(for: order("mia"))
    await assertFails(order("mia"), service) { XCTAssertEqual($0, .tooManyRequests(after: .seconds(20))) }
    XCTAssertEqual(issuer.calls, 1)
  }

  func testFailingCloudIsBackedOffAndTheValidKeyIsIssued() async throws {
    let isDown = Lock(false)
    let good = issuer()
    let outage = CredentialError(
      .failed, source: "sts", "The service did not answer.", remedy: "Wait.", isRetryable: true)
    let issuer = ScriptedProvider<AccessKey>(source: "sts") { _ throws(CredentialError) in
      if isDown.withLock({ $0 }) { throw outage }
      return try await good.issue(in: .local)
    }
    let service = service { _ in issuer }
    _ = try await service.key(for: order())
    isDown.withLock { $0 = true }
    time.advance(by: .seconds(899))
    let living = try await service.key(for: order())
    XCTAssertEqual(living.key.id, "STS.1")
    time.advance(by: .seconds(10))
    await assertFails(order(), service) { error in
      guard case .unavailable(let cause, let delay?) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(cause.source, "sts")
      XCTAssertGreaterThanOrEqual(delay, .seconds(1))
    }
    let calls = issuer.calls
    await assertFails(order(), service) { _ in }
    XCTAssertEqual(issuer.calls, calls, "the issuer must not be called during the backoff")
    isDown.withLock { $0 = false }
    time.advance(by: .seconds(60))
    let back = try await service.key(for: order())
    XCTAssertEqual(back.key.id, "STS.2")
  }

  func testRejectionByTheCloudIsFinal() async {
    let service = service { _ in
      ScriptedProvider<AccessKey>([
        .failure(CredentialError(.rejected, source: "sts", "NoPermission.", remedy: "Allow the role."))
      ])
    }
    await assertFails(order(), service) { error in
      guard case .unavailable(let cause, nil) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(cause.code, .rejected)
    }
  }

  func testPermanentKeyIsNeverIssued() async {
    let keys = [
      AccessKey(id: "LTAI", secret: "permanent"),
      AccessKey(id: "LTAI", secret: "permanent", expiration: time.now.advanced(by: .seconds(60))),
      AccessKey(id: "STS.1", secret: "s", sessionToken: "t"),
    ]
    for key in keys {
      let service = service { _ in StaticCredentialProvider(key) }
      await assertFails(order(), service) { XCTAssertEqual($0, .permanentKey) }
    }
  }

  func testScopeWithoutAProviderIsASeparateError() async {
    struct Inexpressible: Error, CustomStringConvertible {
      let description = "a size"
    }
    await assertFails(order(), service { _ in throw Inexpressible() }) { XCTAssertEqual($0, .scope("a size")) }
    let error = CredentialError(.notConfigured, source: "env", "Nothing is set.", remedy: "Set it.")
    await assertFails(order(), service { _ in throw error }) { XCTAssertEqual($0, .unavailable(error, after: nil)) }
  }

  func testForgottenScopeGetsANewKey() async throws {
    let issuer = issuer()
    let service = service { _ in issuer }
    _ = try await service.key(for: order())
    try await service.forget(order(scope: "other").scope)
    let same = try await service.key(for: order()).key.id
    try await service.forget(order().scope)
    let other = try await service.key(for: order()).key.id
    XCTAssertEqual([same, other], ["STS.1", "STS.2"])
  }

  /// A shared store that runs an action before it forgets a key, and then may throw an error.
  private final class InterruptedStore: IssuedKeyStore {
    let action = Lock<(@Sendable () async -> Void)?>(nil)
    private let failure: StoreError?
    private let stored = Lock<IssuedCredential<AccessKey>?>(nil)

    init(_ failure: StoreError?) { self.failure = failure }

    func key(
      for scope: TokenScope,
      issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
    ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
      if let known = stored.withLock({ $0 }) { return known }
      let issued = try await issue()
      stored.withLock { $0 = issued }
      return issued
    }

    func forget(_ scope: TokenScope) async throws(StoreError) {
      await action.withLock { $0 }?()
      stored.withLock { $0 = nil }
      if let failure { throw failure }
    }
  }

  func testKeyThatIsIssuedWhileItsScopeIsForgottenIsNotKept() async throws {
    for failure in [nil, StoreError("The reply was lost.", remedy: "Retry.")] {
      let (issuer, order) = (issuer(), order())
      let store = InterruptedStore(failure)
      let service = TokenService(rate: nil, keys: store, in: ProviderContext(time: time)) { _ in issuer }
      _ = try await service.key(for: order)
      store.action.withLock { $0 = { _ = try? await service.key(for: order) } }
      do {
        try await service.forget(order.scope)
        XCTAssertNil(failure)
      } catch {
        XCTAssertEqual(error, failure)
      }
      let id = try await service.key(for: order).key.id
      XCTAssertEqual(id, "STS.2")
      store.action.withLock { $0 = nil }
    }
  }

  func testOldScopesAreEvictedForNewOnes() async throws {
    let issuer = issuer()
    let service = service(scopeLimit: 8) { _ in issuer }
    for number in 1...8 { _ = try await service.key(for: order(scope: "s\(number)")) }
    _ = try await service.key(for: order(scope: "s1"))
    _ = try await service.key(for: order(scope: "s9"))
    XCTAssertEqual(issuer.calls, 9)
    _ = try await service.key(for: order(scope: "s1"))
    XCTAssertEqual(issuer.calls, 9, "the most recently used scope must be kept")
    _ = try await service.key(for: order(scope: "s2"))
    XCTAssertEqual(issuer.calls, 10, "the least recently used scope must be evicted")
  }

  func testCallerWithManyScopesEvictsOnlyItsOwn() async throws {
    let issuer = issuer()
    let service = service(scopeLimit: 16) { _ in issuer }
    _ = try await service.key(for: KeyRequest(caller: "quiet", scope: order(scope: "kept").scope))
    for number in 0..<200 {
      _ = try await service.key(for: KeyRequest(caller: "busy", scope: order(scope: "s\(number)").scope))
    }
    let calls = issuer.calls
    _ = try await service.key(for: KeyRequest(caller: "quiet", scope: order(scope: "kept").scope))
    XCTAssertEqual(issuer.calls, calls, "the key of the quiet caller must be kept")
  }

  func testAuditLogContainsCallersAndScopesWithoutSecrets() async throws {
    let issuer = issuer()
    let service = service(rate: RateLimit(burst: 1, every: .seconds(60))) { _ in issuer }
    _ = try await service.key(for: order())
    await assertFails(order(), service) { _ in }
    let written = lines.all
    let end = time.now.advanced(by: .seconds(1800))
    XCTAssertEqual(
      written.map(\.outcome),
      [.issued(id: "STS.1", until: end), .refused(.tooManyRequests(after: .seconds(60)))])
    XCTAssertEqual(written.map(\.caller), ["mia", "mia"])
    XCTAssertEqual(written.map(\.subject), [.key(order().scope), .key(order().scope)])
    var shown = "\(written)"
    dump(written, to: &shown)
    for secret in ["secret-1", "token-1"] { XCTAssertFalse(shown.contains(secret)) }
  }
}
