internal import Synchronization

/// The keys of many scopes, of a bounded number of them.
///
/// When it is full the caller with the most scopes gives up those that were asked for longest ago: a caller who asks for
/// one scope after another loses its own keys, not those of the others.
final class ScopeTable: Sendable {
  /// The bytes of a caller's name: two spellings are two callers.
  private typealias Caller = [UInt8]

  private struct Entry {
    let keys: ScopeKeys
    /// Who asked for the scope first.
    let caller: Caller
    var lastUse: UInt64
  }

  private struct State {
    var entries: [TokenScope: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let limit: Int
  private let configuration: CredentialCacheConfiguration
  private let events: AuthEvents
  private let time: any SigningClock
  private let state = Mutex(State())

  init(limit: Int, configuration: CredentialCacheConfiguration, events: AuthEvents, time: any SigningClock) {
    self.limit = max(1, limit)
    self.configuration = configuration
    self.events = events
    self.time = time
  }

  /// Returns the keys of a scope, which are made when it is asked for first.
  func keys(
    of scope: TokenScope, for caller: String,
    _ provider: () throws(TokenServiceError) -> any CredentialProvider<AccessKey>
  ) throws(TokenServiceError) -> ScopeKeys {
    if let known = use(scope) { return known }
    let made = ScopeKeys(try provider(), configuration: configuration, events: events, time: time)
    return state.withLock { state in
      if let known = state.entries[scope] { return known.keys }
      if state.entries.count >= limit { Self.makeRoom(&state.entries) }
      state.entries[scope] = Entry(keys: made, caller: Caller(caller.utf8), lastUse: state.uses)
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

  /// Lets an eighth of the scopes go, so that making room is rare: of each caller those beyond a number that is the same
  /// for all, the least recently used first.
  private static func makeRoom(_ entries: inout [TokenScope: Entry]) {
    var ranks: [Caller: Int] = [:]
    let ranked = entries.sorted { $0.value.lastUse > $1.value.lastUse }.map { scope, entry in
      let rank = ranks[entry.caller, default: 0]
      ranks[entry.caller] = rank + 1
      return (scope: scope, rank: rank, lastUse: entry.lastUse)
    }
    let last = ranked.sorted { $0.rank == $1.rank ? $0.lastUse < $1.lastUse : $0.rank > $1.rank }
    for (scope, _, _) in last.prefix(max(1, entries.count / 8)) { entries[scope] = nil }
  }
}
