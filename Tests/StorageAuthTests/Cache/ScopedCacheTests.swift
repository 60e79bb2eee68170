// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the cache of credentials for scopes: one request for each scope, a bounded number of scopes, and independence.
final class ScopedCacheTests: XCTestCase {
  /// A provider that counts the requests for each scope and issues numbered keys.
  private final class Source: ScopedCredentialProvider {
    let time: ManualClock
    let counts = Lock<[CredentialScope: Int]>([:])
    let widens: Bool
    let gate = AsyncStream.makeStream(of: Void.self)
    let isHeld: Bool

    init(_ time: ManualClock, widens: Bool = false, isHeld: Bool = false) {
      self.time = time
      self.widens = widens
      self.isHeld = isHeld
    }

    func scope(granting request: CredentialScope) -> CredentialScope {
      guard widens, case .key(let key)? = request.rules.first?.objects, let slash = key.lastIndex(of: "/") else {
        return request
      }
      var wider = request
      wider.rules[0].objects = .prefix(String(key[...slash]))
      return wider
    }

    func provider(for scope: CredentialScope) -> any CredentialProvider<AccessKey> {
      ClosureCredentialProvider(source: "test") { [self] in
        let count = counts.withLock { counts in
          counts[scope, default: 0] += 1
          return counts[scope] ?? 0
        }
        if isHeld { for await _ in gate.stream { break } }
        guard case .key(let key)? = scope.rules.first?.objects else {
          return AccessKey(id: "wide-\(count)", secret: "s", expiration: time.now.advanced(by: .seconds(1800)))
        }
        return AccessKey(
          id: AccessKeyID("\(key)-\(count)"), secret: "s", sessionToken: "t",
          expiration: time.now.advanced(by: .seconds(1800)))
      }
    }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
  }

  private let time = ManualClock()

  private func scope(_ key: String, _ action: AccessAction = .read) -> CredentialScope {
    CredentialScope(action, .key(key), in: "photos")
  }

  // matrix: Scoped credentials: rejection
  func testLateRejectionDoesNotReplaceTheCredentialOfANewerCache() async throws {
    let source = Source(time)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    let first = try await cache.cache(for: scope("a")).credential(lasting: .zero)
    cache.forget(scope("a"))
    let second = try await cache.cache(for: scope("a")).credential(lasting: .zero)
    let replacement = try await cache.cache(for: scope("a")).credential(lasting: .zero, replacing: first.generation)
    XCTAssertEqual([second.credential.id, replacement.credential.id], ["a-2", "a-2"])
    XCTAssertEqual(source.total, 2)
  }

  // matrix: Scoped credentials: single flight
  func testConcurrentRequestsForAScopeShareOneFetch() async throws {
    let source = Source(time, isHeld: true)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    let scope = scope("a")
    try await withThrowingTaskGroup(of: AccessKeyID.self) { group in
      for _ in 0..<100 { group.addTask { try await cache.cache(for: scope).credential().id } }
      source.gate.continuation.finish()
      for try await id in group { XCTAssertEqual(id, "a-1") }
    }
    XCTAssertEqual(source.total, 1)
    XCTAssertEqual(cache.scopeCount, 1)
  }

  func testEachScopeHasItsOwnCredential() async throws {
    let source = Source(time)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    for scope in [scope("a"), scope("b"), scope("a", .write), CredentialScope(.read, .key("a"), in: "other")] {
      _ = try await cache.cache(for: scope).credential()
      _ = try await cache.cache(for: scope).credential()
    }
    XCTAssertEqual(source.total, 4)
    cache.forget(scope("a"))
    let renewed = try await cache.cache(for: scope("a")).credential()
    XCTAssertEqual(renewed.id, "a-2")
    XCTAssertEqual(source.total, 5)
  }

  // matrix: Scoped credentials: bound
  func testLeastRecentlyUsedScopesAreRemoved() async throws {
    let source = Source(time)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time), scopeLimit: 16)
    _ = try await cache.cache(for: scope("kept")).credential()
    for number in 0..<1_000 {
      _ = try await cache.cache(for: scope("\(number)")).credential()
      _ = try await cache.cache(for: scope("kept")).credential()
      XCTAssertLessThanOrEqual(cache.scopeCount, 16)
    }
    XCTAssertEqual(source.counts.withLock { $0[scope("kept")] }, 1)
    _ = try await cache.cache(for: scope("0")).credential()
    XCTAssertEqual(source.counts.withLock { $0[scope("0")] }, 2)
  }

  // matrix: Scoped credentials: refresh
  func testCredentialIsRenewedBeforeItExpires() async throws {
    let source = Source(time)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    let first = try await cache.cache(for: scope("a")).credential()
    time.advance(by: .seconds(1799))
    _ = try await cache.cache(for: scope("b")).credential()
    let second = try await cache.cache(for: scope("a")).credential(lasting: .seconds(60)).credential
    XCTAssertEqual([first.id, second.id], ["a-1", "a-2"])
  }

  // matrix: Scoped credentials: rejection
  func testRejectionOfACredentialLeavesOtherScopes() async throws {
    let source = Source(time)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    let first = try await cache.cache(for: scope("a")).credential(lasting: .zero)
    _ = try await cache.cache(for: scope("b")).credential()
    let second = try await cache.cache(for: scope("a")).credential(lasting: .zero, replacing: first.generation)
    XCTAssertEqual(second.credential.id, "a-2")
    let other = try await cache.cache(for: scope("b")).credential()
    XCTAssertEqual(other.id, "b-1")
  }

  func testProviderWidensScopes() async throws {
    let source = Source(time, widens: true)
    let cache = ScopedCredentialCache(source, in: ProviderContext(time: time))
    for key in ["album/1", "album/2", "album/3"] {
      _ = try await cache.cache(for: scope(key)).credential()
    }
    XCTAssertEqual(source.total, 1)
    XCTAssertEqual(
      source.counts.withLock { Array($0.keys) }, [CredentialScope(.read, .prefix("album/"), in: "photos")])
  }
}
