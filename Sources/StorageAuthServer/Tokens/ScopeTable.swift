internal import Synchronization

/// The keys of many scopes, of a bounded number of them.
final class ScopeTable: Sendable {
  private struct Entry {
    let keys: ScopeKeys
    var lastUse: UInt64
  }

  private struct State {
    var entries: [TokenScope: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let limit: Int
  private let configuration: CredentialCacheConfiguration
  private let events: AuthEvents
  private let time: any TimeSource
  private let state = Mutex(State())

  init(limit: Int, configuration: CredentialCacheConfiguration, events: AuthEvents, time: any TimeSource) {
    self.limit = max(1, limit)
    self.configuration = configuration
    self.events = events
    self.time = time
  }

  /// The keys of a scope, made when it is asked for first.
  func keys(
    of scope: TokenScope, _ provider: () throws(TokenServiceError) -> any CredentialProvider<AccessKey>
  ) throws(TokenServiceError) -> ScopeKeys {
    if let known = use(scope) { return known }
    let made = ScopeKeys(try provider(), configuration: configuration, events: events, time: time)
    return state.withLock { state in
      if let known = state.entries[scope] { return known.keys }
      if state.entries.count >= limit { Self.makeRoom(&state.entries) }
      state.entries[scope] = Entry(keys: made, lastUse: state.uses)
      return made
    }
  }

  /// Lets the keys of a scope go.
  func forget(_ scope: TokenScope) {
    state.withLock { $0.entries[scope] = nil }
  }

  private func use(_ scope: TokenScope) -> ScopeKeys? {
    state.withLock { state in
      state.uses += 1
      state.entries[scope]?.lastUse = state.uses
      return state.entries[scope]?.keys
    }
  }

  /// Lets an eighth of the scopes go, so that making room is rare.
  private static func makeRoom(_ entries: inout [TokenScope: Entry]) {
    let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, entries.count / 8))
    for (scope, _) in oldest { entries[scope] = nil }
  }
}
