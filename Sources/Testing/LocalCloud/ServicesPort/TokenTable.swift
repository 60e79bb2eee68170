// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The issued temporary credentials.
///
/// A credential is retained for an hour after its expiration, so that it is rejected as expired and not as unknown. The
/// number of credentials is limited; if there are too many, the oldest credential is discarded.
package final class TokenTable: Sendable {
  struct Order: Sendable {
    let provider: LocalCloud.Provider
    /// The assumed role, or `nil` for GetFederationToken.
    let role: LocalCloud.Role?
    let session: String
    var policy: SessionPolicy?
    let lifetime: Duration
  }

  /// The maximum number of uses of a temporary credential; `uses` is `nil` for no limit.
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
    /// The access key IDs in the order of issue; the credentials before index `first` are already discarded.
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

  private let state = Lock(State())

  /// A closure that receives every issued access key, so that tests can search for leaked secrets.
  package static let watcher = Lock<(@Sendable (AccessKey) -> Void)?>(nil)

  /// Issues a temporary credential, whose lifetime starts at a whole second.
  func issue(_ order: Order, at date: Timestamp) -> AccessKey {
    let start = date.wholeSeconds
    let end = start.advanced(by: order.lifetime)
    let key = order.provider.service.keys.makeKey(from: start, until: end)
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

  /// Returns an issued key, or `nil` if the ID is unknown or belongs to another service.
  ///
  /// If the number of uses is exhausted, the key expires at the current time. Without a limit, the lookup is no use.
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

  /// Returns the permissions of a temporary credential, or `nil` if the access key ID is unknown.
  func authority(of id: AccessKeyID) -> Authority? {
    state.withLock { state in state.entries[id].map { $0.order.policy.map { .session($0) } ?? .everything } }
  }

  func session(of id: AccessKeyID) -> LocalCloud.Session? {
    state.withLock { state in
      state.entries[id].map { entry in
        LocalCloud.Session(
          keyID: id, provider: entry.order.provider, role: entry.order.role?.arn, name: entry.order.session,
          policy: entry.order.policy?.text, expiration: entry.end, requests: entry.uses)
      }
    }
  }
}
