// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The keys of a bounded number of scopes.
///
/// When the table is full, it evicts the least recently used scopes of the caller with the most scopes, so that such a
/// caller loses its own keys rather than those of other callers.
final class ScopeTable: Sendable {
  private struct Entry {
    let keys: ScopeKeys
    /// The first caller that requested the scope.
    let caller: ByteExactString
    var lastUse: UInt64
  }

  private struct State {
    var entries: [TokenScope: Entry] = [:]
    var useCount: UInt64 = 0
    var isShutDown = false
  }

  private let limit: Int
  private let makeKeys: @Sendable (TokenScope, any CredentialProvider<AccessKey>) -> ScopeKeys
  private let state = Lock(State())

  init(limit: Int, _ makeKeys: @escaping @Sendable (TokenScope, any CredentialProvider<AccessKey>) -> ScopeKeys) {
    self.limit = max(1, limit)
    self.makeKeys = makeKeys
  }

  /// Returns the keys of a scope, which are created when it is first requested.
  func keys(
    of scope: TokenScope, for caller: String,
    makeProvider: () throws(TokenServiceError) -> any CredentialProvider<AccessKey>
  ) throws(TokenServiceError) -> ScopeKeys {
    if let existing = keysAfterRecordingUse(of: scope) { return existing }
    let newKeys = makeKeys(scope, try makeProvider())
    return state.withLock { state in
      if let existing = state.entries[scope] { return existing.keys }
      if state.entries.count >= limit { Self.evictScopes(from: &state.entries) }
      if state.isShutDown { newKeys.shutdown() }
      state.entries[scope] = Entry(keys: newKeys, caller: ByteExactString(caller), lastUse: state.useCount)
      return newKeys
    }
  }

  func forget(_ scope: TokenScope) { state.withLock { $0.entries[scope] = nil } }

  /// Shuts down the keys of all scopes, even those that are requested later.
  func shutdown() {
    let entries = state.withLock { state in
      state.isShutDown = true
      return state.entries
    }
    for entry in entries.values { entry.keys.shutdown() }
  }

  private func keysAfterRecordingUse(of scope: TokenScope) -> ScopeKeys? {
    state.withLock { state in
      state.useCount += 1
      state.entries[scope]?.lastUse = state.useCount
      return state.entries[scope]?.keys
    }
  }

  /// Evicts an eighth of the scopes, so that evictions are rare: the least recently used ones beyond the same maximum
  /// number for each caller.
  private static func evictScopes(from entries: inout [TokenScope: Entry]) {
    // The rank of a scope is the number of scopes that its caller has used more recently.
    var nextRanks: [ByteExactString: Int] = [:]
    let ranked = entries.sorted { $0.value.lastUse > $1.value.lastUse }.map { scope, entry in
      let rank = nextRanks[entry.caller, default: 0]
      nextRanks[entry.caller] = rank + 1
      return (scope: scope, rank: rank, lastUse: entry.lastUse)
    }
    let evictionOrder = ranked.sorted { $0.rank == $1.rank ? $0.lastUse < $1.lastUse : $0.rank > $1.rank }
    for (scope, _, _) in evictionOrder.prefix(max(1, entries.count / 8)) { entries[scope] = nil }
  }
}

/// The keys of one scope: a credential cache, and the provider of its keys, which knows the issuer's clock.
final class ScopeKeys: Sendable {
  private let cache: CredentialCache<AccessKey>
  private let provider: IssuedKeyProvider

  init(
    _ provider: any CredentialProvider<AccessKey>, of scope: TokenScope, in store: any IssuedKeyStore,
    configuration: CredentialCacheConfiguration, events: EventHub, context: ProviderContext
  ) {
    self.provider = IssuedKeyProvider(provider, of: scope, in: store, time: context.time)
    // A key is replaced after half of its lifetime, while a caller waits; a random refresh would only add requests.
    var configuration = configuration
    configuration.spreadsFirstRenewal = false
    cache = CredentialCache(self.provider, in: context, configuration: configuration, events: events)
  }

  func shutdown() { cache.shutdown() }

  /// Returns a key with at least half of its lifetime remaining.
  func key() async throws(TokenServiceError) -> IssuedKey {
    let key: AccessKey
    do throws(CredentialError) {
      key = try await cache.credential(lasting: (provider.lifetime ?? .zero) / 2).credential
    } catch {
      throw .unavailable(error, after: error.isRetryable ? max(cache.remainingBackoff, .seconds(1)) : nil)
    }
    guard let expiration = key.expiration, key.sessionToken != nil else { throw .permanentKey }
    return IssuedKey(key: key, date: provider.now, expiration: expiration)
  }
}

/// A credential provider that asks the store of issued keys, and records the issuer's clock and the newest lifetime.
final class IssuedKeyProvider: CredentialProvider {
  private let provider: any CredentialProvider<AccessKey>
  private let scope: TokenScope
  private let store: any IssuedKeyStore
  private let time: any SigningClock
  /// The issuer's time at this machine's uptime zero, and the lifetime of the newest key.
  private let newestIssue = Lock<(origin: Timestamp?, lifetime: Duration?)>((nil, nil))

  var source: String { provider.source }

  init(
    _ provider: any CredentialProvider<AccessKey>, of scope: TokenScope, in store: any IssuedKeyStore,
    time: any SigningClock
  ) {
    self.provider = provider
    self.scope = scope
    self.store = store
    self.time = time
  }

  /// The current time by the issuer's clock, or by this machine's if that is unknown.
  var now: Timestamp { newestIssue.withLock { $0.origin }.map { $0.advanced(by: time.uptime) } ?? time.now }

  /// The lifetime of the newest key when the issuer created it, or `nil` before the first key.
  var lifetime: Duration? { newestIssue.withLock { $0.lifetime } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let issued = try await store.key(for: scope) { [provider] () async throws(CredentialError) in
      try await provider.issue(in: context)
    }
    let issuerTime = issued.issuerTime ?? time.now
    newestIssue.withLock { issue in
      issue.origin = issued.issuerTime?.advanced(by: .zero - time.uptime)
      issue.lifetime = issued.lifetime ?? issued.credential.expiration.map { issuerTime.duration(to: $0) }
    }
    return issued
  }
}
