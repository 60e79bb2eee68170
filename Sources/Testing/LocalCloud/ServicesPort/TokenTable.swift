// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
package import StorageAuth

/// The issued temporary credentials.
///
/// A credential is retained for an hour after its expiration, so that it is rejected as expired and not as unknown. If
/// there are too many credentials, the oldest is discarded.
package final class TokenTable: Sendable {
  /// A request for a temporary credential, which its caller may make.
  struct Request: Sendable {
    let provider: LocalCloud.Provider
    /// The assumed role, or `nil` for GetFederationToken.
    let role: LocalCloud.Role?
    let session: String
    var policy: PolicyDocument?
    let lifetime: Duration
    /// The key that signed the call, or `nil` for an app, an instance or an identity token.
    var caller: AccessKeyID?
  }

  /// The maximum number of uses of a temporary credential, or `nil` for no limit; a lookup with it counts as a use.
  struct UseLimit: Sendable { let uses: Int? }

  private static let capacity = 20_000
  private static let retention = Duration.seconds(3600)

  fileprivate struct Entry {
    let key: AccessKey
    let start, expiration: Timestamp
    let request: Request
    let endpoint: LocalCloud.Endpoint
    var uses = 0
    var refusals = 0
    var isRevoked = false
    /// The time at which the uses of the credential were exhausted, or `nil` if they are not.
    var expiredEarly: Timestamp?
  }

  private struct State {
    var entries: [AccessKeyID: Entry] = [:]
    /// The access key IDs of the entries in the order of issue, in a buffer that discards the oldest in constant time.
    var issuedIDs = CircularBuffer<AccessKeyID>()
  }

  private let state = Lock(State())
  /// A closure that receives every issued access key, so that tests can search for leaked secrets.
  package static let watcher = Lock<(@Sendable (AccessKey) -> Void)?>(nil)

  /// Issues a temporary credential, whose lifetime starts at a whole second.
  func issue(_ request: Request, by endpoint: LocalCloud.Endpoint, at date: Timestamp) -> AccessKey {
    let start = date.wholeSeconds
    let expiration = start.advanced(by: request.lifetime)
    let key = request.provider.service.keyFormat.makeKey(from: start, until: expiration)
    state.withLock { state in
      while let oldest = state.issuedIDs.first {
        let isOutdated = state.entries[oldest].map { $0.expiration.advanced(by: Self.retention) < date } ?? true
        guard isOutdated || state.issuedIDs.count >= Self.capacity else { break }
        state.entries[state.issuedIDs.removeFirst()] = nil
      }
      state.entries[key.id] = Entry(
        key: key, start: start, expiration: expiration, request: request, endpoint: endpoint)
      state.issuedIDs.append(key.id)
    }
    Self.watcher.withLock { $0 }?(key)
    return key
  }

  /// Returns an issued key, or `nil` if the ID is unknown or revoked, or belongs to another service.
  ///
  /// A key expires as soon as its uses are exhausted. A lookup without a limit does not count as a use.
  func key(
    _ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp, counting limit: UseLimit?
  ) -> AccessKey? {
    state.withLock { state in
      guard var entry = state.entries[id], entry.request.provider == provider else { return nil }
      if let limit {
        if let uses = limit.uses, entry.uses >= uses, entry.expiredEarly == nil { entry.expiredEarly = date }
        entry.uses += 1
        state.entries[id] = entry
      }
      if entry.isRevoked { return nil }
      guard let earlyExpiration = entry.expiredEarly else { return entry.key }
      return AccessKey(
        id: id, secret: entry.key.secret, sessionToken: entry.key.sessionToken, start: entry.key.start,
        expiration: min(earlyExpiration, entry.expiration))
    }
  }

  func authority(of id: AccessKeyID) -> Authority? {
    state.withLock { state in
      guard let entry = state.entries[id], !entry.isRevoked else { return nil }
      return entry.request.policy.map { .session($0) } ?? .everything
    }
  }

  func countRefusal(of id: AccessKeyID) { state.withLock { $0.entries[id]?.refusals += 1 } }

  /// Makes an issued key unknown to all services, or returns `false` if it was never issued or is discarded.
  func revoke(_ id: AccessKeyID) -> Bool {
    state.withLock { state in
      state.entries[id]?.isRevoked = true
      return state.entries[id] != nil
    }
  }

  func session(of id: AccessKeyID) -> LocalCloud.Session? {
    state.withLock { $0.entries[id].map { LocalCloud.Session($0) } }
  }

  func sessions(limit: Int) -> [LocalCloud.Session] {
    state.withLock { state in
      state.issuedIDs.suffix(limit).reversed().compactMap { id in
        state.entries[id].map { LocalCloud.Session($0) }
      }
    }
  }
}

extension LocalCloud.Session {
  fileprivate init(_ entry: TokenTable.Entry) {
    self.init(
      keyID: entry.key.id, provider: entry.request.provider, role: entry.request.role?.arn, name: entry.request.session,
      policy: entry.request.policy?.text, expiration: entry.expiration, requests: entry.uses, start: entry.start,
      caller: entry.request.caller, endpoint: entry.endpoint, refusals: entry.refusals, isRevoked: entry.isRevoked)
  }
}
