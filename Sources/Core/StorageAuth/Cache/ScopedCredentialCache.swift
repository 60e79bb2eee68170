// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A cache of credentials for a bounded number of scopes, with a ``CredentialCache`` for each scope.
///
/// Each scope has its own refresh, its own backoff and its own request in flight. A rejected credential of one scope
/// does not affect the others. When the cache is full, the least recently used scopes are removed.
///
/// ```swift
/// let cache = ScopedCredentialCache(provider, scopeLimit: 500)
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), scopedCredentials: cache)
/// ```
public final class ScopedCredentialCache<Value: Credential>: Sendable {
  private struct Entry {
    let cache: CredentialCache<Value>
    var lastUse: UInt64
  }

  private struct CacheTable {
    var entries: [CredentialScope: Entry] = [:]
    /// The number of uses of all caches so far, which orders the uses.
    var useCount: UInt64 = 0
  }

  /// The observers that receive the events of the caches of all scopes.
  public let events: EventHub
  private let provider: any ScopedCredentialProvider<Value>
  private let scopeLimit: Int
  private let configuration: CredentialCacheConfiguration
  private let context: ProviderContext
  private let table = Lock(CacheTable())

  /// Creates a cache that fetches its credentials from a scoped provider.
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials.
  ///   - context: The environment, files, commands, network and clocks, as for a ``CredentialCache``.
  ///   - scopeLimit: The maximum number of scopes with cached credentials, at least 1.
  ///   - configuration: The refresh times, backoff and timeout of each scope's cache.
  ///   - events: The observers that receive the events of the caches of all scopes.
  public init(
    _ provider: some ScopedCredentialProvider<Value>, in context: ProviderContext = .local, scopeLimit: Int = 256,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub()
  ) {
    self.provider = provider
    self.scopeLimit = max(1, scopeLimit)
    self.configuration = configuration
    self.events = events
    self.context = context
  }

  /// The number of scopes with a cache.
  public var scopeCount: Int { table.withLock { $0.entries.count } }

  /// Returns the cache of the credentials for the scope of a request.
  ///
  /// Requests whose credentials have equal scopes get the same cache, unless it was removed in between.
  public func cache(for request: CredentialScope) -> CredentialCache<Value> {
    let scope = provider.scope(granting: request)
    let (existingCache, useCount) = table.withLock { table in
      table.useCount &+= 1
      table.entries[scope]?.lastUse = table.useCount
      return (table.entries[scope]?.cache, table.useCount)
    }
    if let existingCache { return existingCache }
    // The provider is the app's code, which must not run while the lock is held.
    // The generations of caches of a scope that follow one another differ, so that a late rejection fits only its own.
    let newCache = CredentialCache(
      provider.provider(for: scope), context, configuration, events, firstGeneration: useCount << 20 | 1)
    let (cache, _) = table.withLock { table -> (CredentialCache<Value>, [Entry]) in
      // Another caller may have stored a cache meanwhile, which all callers must share.
      if let entry = table.entries[scope] { return (entry.cache, []) }
      let isFull = table.entries.count >= scopeLimit
      let removedEntries = isFull ? Self.removeLeastRecentlyUsed(from: &table.entries) : []
      table.entries[scope] = Entry(cache: newCache, lastUse: table.useCount)
      return (newCache, removedEntries)
    }
    return cache
  }

  /// Removes the cache of a request's scope, so that the scope's next request fetches a credential.
  public func forget(_ request: CredentialScope) {
    let scope = provider.scope(granting: request)
    _ = table.withLock { $0.entries.removeValue(forKey: scope) }
  }

  /// Removes the least recently used eighth of the scopes, at least one, so that removals are rare.
  ///
  /// The removed entries are returned to be released after the lock, because their caches release the app's providers.
  private static func removeLeastRecentlyUsed(from entries: inout [CredentialScope: Entry]) -> [Entry] {
    let leastRecentlyUsed = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, entries.count / 8))
    for (scope, _) in leastRecentlyUsed { entries[scope] = nil }
    return leastRecentlyUsed.map(\.value)
  }
}
