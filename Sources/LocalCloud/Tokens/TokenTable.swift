package import StorageAuth
internal import StorageCrypto
package import Synchronization

/// The temporary keys that were issued.
///
/// A key is kept for a while after its end, so that it is refused as expired and not as unknown. There is room for a
/// bounded number; the oldest has to go first.
package final class TokenTable: Sendable {
  /// What is asked for with a key.
  struct Order: Sendable {
    let provider: LocalCloud.Provider
    var role: String?
    var sessionName = ""
    var policy: SessionPolicy?
    let lifetime: Duration
  }

  /// How often a key may be used.
  struct UseLimit: Sendable {
    let uses: Int?
  }

  private static let capacity = 20_000
  private static let retention = Duration.seconds(3600)

  private struct Entry {
    let key: AccessKey
    let end: Timestamp
    let order: Order
    var uses = 0
    var endedEarly: Timestamp?
  }

  private struct State {
    var entries: [AccessKeyID: Entry] = [:]
    /// The ids in the order of their issue, with those in front that are gone.
    var ids: [AccessKeyID] = []
    var first = 0

    mutating func dropOldest() {
      entries[ids[first]] = nil
      first += 1
      if first > ids.count / 2 {
        ids.removeFirst(first)
        first = 0
      }
    }
  }

  private let state = Mutex(State())

  /// Sees every key that is issued; tests look for them where they must not be.
  package static let watcher = Mutex<(@Sendable (AccessKey) -> Void)?>(nil)

  /// Issues a key.
  ///
  /// - Parameters:
  ///   - order: What it is for.
  ///   - date: The present; the key ends on a whole second.
  /// - Returns: The key, with its token, and its start and end.
  func issue(_ order: Order, at date: Timestamp) -> AccessKey {
    let start = date.wholeSeconds
    let end = start.advanced(by: order.lifetime)
    let key = order.provider.dialect.makeKey(from: start, until: end)
    state.withLock { state in
      while state.first < state.ids.count,
        state.ids.count - state.first >= Self.capacity
          || state.entries[state.ids[state.first]].map({ $0.end.advanced(by: Self.retention) < date }) ?? true
      {
        state.dropOldest()
      }
      state.entries[key.id] = Entry(key: key, end: end, order: order)
      state.ids.append(key.id)
    }
    Self.watcher.withLock { $0 }?(key)
    return key
  }

  /// The key of an id; one that was used up ends at the present.
  func key(
    _ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp, counting limit: UseLimit?
  ) -> AccessKey? {
    state.withLock { state in
      guard var entry = state.entries[id], entry.order.provider == provider else { return nil }
      if let limit {
        if let uses = limit.uses, entry.uses >= uses, entry.endedEarly == nil { entry.endedEarly = date }
        entry.uses += 1
        state.entries[id] = entry
      }
      guard let end = entry.endedEarly else { return entry.key }
      return AccessKey(
        id: id, secret: entry.key.secret, sessionToken: entry.key.sessionToken, start: entry.key.start,
        expiration: min(end, entry.end))
    }
  }

  /// What the holder of a key may do; nothing if there is no such key.
  func authority(of id: AccessKeyID) -> Authority? {
    state.withLock { state in state.entries[id].map { $0.order.policy.map { .session($0) } ?? .everything } }
  }

  /// What was asked for with a key, and how often it was used.
  func session(of id: AccessKeyID) -> LocalCloud.Session? {
    state.withLock { state in
      state.entries[id].map { entry in
        LocalCloud.Session(
          keyID: id, provider: entry.order.provider, role: entry.order.role, name: entry.order.sessionName,
          policy: entry.order.policy?.text, expiration: entry.end, requests: entry.uses)
      }
    }
  }
}
