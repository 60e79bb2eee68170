// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuthServer

/// A store of issued keys on a Redis server, through which all instances of a token service ask the cloud once.
///
/// An instance that asks the cloud holds a lease on the server, and the others wait for the key. A key is stored for
/// half of its lifetime, measured with the server's clock. If the cloud refuses, no instance asks again for a second.
///
/// The server stores secrets of temporary keys: protect it like the service itself, and use TLS on other networks.
public final class RedisKeyStore: IssuedKeyStore {
  private enum Lookup {
    case stored(IssuedCredential<AccessKey>)
    case recentlyFailed
    case leasedByAnother
    case leaseAcquired
  }

  private struct EntryNames {
    let key: String
    let lease: String
  }

  /// The pause between two lookups of a waiting instance, much shorter than the time in which a cloud answers.
  private static let lookupInterval = Duration.milliseconds(25)
  /// The time after a failure in which no instance asks again, so that a fleet does not burden a cloud that is down.
  private static let failureDuration = Duration.seconds(1)

  private let redis: RedisPool
  private let prefix: String
  private let leaseDuration: Duration
  private let fallback: RedisFallback
  private let time: any SigningClock

  /// Creates a store of issued keys on a Redis server.
  ///
  /// - Parameters:
  ///   - redis: The connections to the server.
  ///   - prefix: The beginning of the store's keys. Services whose keys have different roles or clouds need different
  ///     prefixes, because a scope does not name them.
  ///   - leaseDuration: The time after which another instance asks the cloud if the instance that asked has ended.
  ///   - fallback: What the store does while the server is away. With `local`, each instance asks the cloud.
  ///   - time: The clocks of the service.
  public init(
    _ redis: RedisPool, prefix: String = "storage-auth", lease leaseDuration: Duration = .seconds(3),
    whenAway fallback: RedisFallback = .local, time: any SigningClock = .system
  ) {
    self.redis = redis
    self.prefix = prefix
    self.leaseDuration = max(.milliseconds(100), leaseDuration)
    self.fallback = fallback
    self.time = time
  }

  /// Returns the stored key for a scope, or issues and stores one; the parameters are those of `IssuedKeyStore`.
  ///
  /// - Returns: A key with at least half of its lifetime remaining, or with the whole lifetime that the cloud granted.
  /// - Throws: A `CredentialError`: that of `issue`; a retryable one if the server is away and the fallback is
  ///   `refuse`, or if another instance has just failed; `cancelled` if the task was cancelled.
  public func key(
    for scope: TokenScope, issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let names = entryNames(of: scope)
    // Each call has its own lease, which even a call of the same instance cannot renew or release.
    let leaseHolder = "\(UInt64.random(in: .min ... .max))"
    while true {
      let lookup: Lookup
      do throws(RedisFailure) {
        lookup = try await lookUpOrAcquireLease(names, leaseHolder)
      } catch {
        guard fallback == .local, !error.isMisconfiguration else {
          throw CredentialError(error.storeError(server: "\(redis.configuration)"), source: "redis")
        }
        return try await issue()
      }
      switch lookup {
      case .stored(let key): return key
      case .recentlyFailed: throw Self.errorOfOtherInstance
      case .leaseAcquired: return try await issueUnderLease(names, leaseHolder, issue)
      case .leasedByAnother: try await pauseBeforeNextLookup()
      }
    }
  }

  /// Removes the key for a scope from the server.
  ///
  /// - Parameter scope: The scope whose key was revoked.
  /// - Throws: A `StoreError` if the server is away.
  public func forget(_ scope: TokenScope) async throws(StoreError) {
    do throws(RedisFailure) {
      _ = try await redis.run(Self.removeScript, [entryNames(of: scope).key]) { _ in [] }
    } catch {
      throw error.storeError(server: "\(redis.configuration)")
    }
  }

  private func pauseBeforeNextLookup() async throws(CredentialError) {
    do {
      try await time.sleep(for: Self.lookupInterval)
    } catch {
      throw CredentialError(
        .cancelled, source: "redis", "The task was cancelled.", remedy: "Ask again.", isRetryable: true)
    }
  }

  private func entryNames(of scope: TokenScope) -> EntryNames {
    let digest = scope.digest
    return EntryNames(key: "\(prefix):key:\(digest)", lease: "\(prefix):lease:\(digest)")
  }

  private func lookUpOrAcquireLease(_ names: EntryNames, _ leaseHolder: String) async throws(RedisFailure) -> Lookup {
    let reply = try await redis.run(Self.lookUpScript, [names.key, names.lease]) { [leaseDuration] _ in
      [leaseHolder, "\(leaseDuration.milliseconds)"]
    }
    if case .array(let elements) = reply, elements.count == 2, case .bytes(let bytes) = elements[0],
      let remainingTime = elements[1].integer
    {
      guard let issued = IssuedCredential(stored: bytes, remainingTime: .milliseconds(remainingTime)) else {
        throw .malformed
      }
      return .stored(issued)
    }
    switch reply.integer {
    case 0: return .leaseAcquired
    case 1: return .leasedByAnother
    case 2: return .recentlyFailed
    default: throw .malformed
    }
  }

  /// Asks the cloud while the lease is renewed, and stores the key.
  private func issueUnderLease(
    _ names: EntryNames, _ leaseHolder: String,
    _ issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let leaseRenewal = Task { [redis, leaseDuration, time] in
      while !Task.isCancelled {
        // The lease outlives a single lost renewal.
        try await time.sleep(for: leaseDuration / 3)
        _ = try? await redis.run(Self.renewLeaseScript, [names.lease]) { _ in
          [leaseHolder, "\(leaseDuration.milliseconds)"]
        }
      }
    }
    let result = await Result.catching { () async throws(CredentialError) in try await issue() }
    leaseRenewal.cancel()
    // If the server is away now, another instance asks once more.
    switch result {
    case .success(let issued):
      let entry = issued.storedEntry(at: time.now)
      _ = try? await redis.run(Self.storeScript, [names.key, names.lease]) { _ in
        [leaseHolder, entry?.text ?? "", "\(entry?.duration.milliseconds ?? 0)"]
      }
    case .failure(let error) where error.code == .cancelled:
      // The cloud has not refused, so another instance may ask at once.
      _ = try? await redis.run(Self.releaseLeaseScript, [names.lease]) { _ in [leaseHolder] }
    case .failure:
      _ = try? await redis.run(Self.recordFailureScript, [names.lease]) { _ in
        [leaseHolder, "\(Self.failureDuration.milliseconds)"]
      }
    }
    return try result.get()
  }

  private static let errorOfOtherInstance = CredentialError(
    .failed, source: "redis", "Another instance asked for this key and failed.",
    remedy: "See the log of the instance that asked.", isRetryable: true)

  /// Returns the key with its remaining milliseconds, or 0 after acquiring the lease, 1 if another call holds the
  /// lease, and 2 if a call has failed within ``failureDuration``.
  private static let lookUpScript = RedisScript(
    """
    local key = redis.call('GET', KEYS[1])
    if key then return {key, redis.call('PTTL', KEYS[1])} end
    local lease = redis.call('GET', KEYS[2])
    if lease == 'failed' then return 2 end
    if lease and lease ~= ARGV[1] then return 1 end
    redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
    return 0
    """)

  private static let renewLeaseScript = scriptOfHolder("'PEXPIRE', KEYS[1], ARGV[2]")
  private static let releaseLeaseScript = scriptOfHolder("'DEL', KEYS[1]")
  private static let recordFailureScript = scriptOfHolder("'SET', KEYS[1], 'failed', 'PX', ARGV[2]")

  /// Returns a script that runs a command on the lease if the caller still holds it.
  private static func scriptOfHolder(_ command: String) -> RedisScript {
    RedisScript("if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call(\(command)) end return 0")
  }

  private static let storeScript = RedisScript(
    """
    if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
    if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
    return 0
    """)

  private static let removeScript = RedisScript("return redis.call('DEL', KEYS[1])")
}

extension IssuedCredential<AccessKey> {
  private static var epoch: Timestamp { Timestamp(unixSeconds: 0) }

  /// Returns the key as JSON with times in milliseconds since 1970, and the time for which it is stored.
  ///
  /// The time is shorter than half of the lifetime, so that no instance finds a key that is too old for its callers.
  /// The result is `nil` for a key that is not temporary or expires at once.
  fileprivate func storedEntry(at now: Timestamp) -> (text: String, duration: Duration)? {
    guard let expiration = credential.expiration, let token = credential.sessionToken else { return nil }
    let issuedAt = issuerTime ?? now
    let lifetime = issuedAt.duration(to: expiration)
    guard lifetime > .seconds(1) else { return nil }
    let duration = lifetime / 2 - min(.seconds(1), lifetime / 10)
    func milliseconds(_ duration: Duration) -> JSONValue { .number(JSONNumber(duration.milliseconds)) }
    func milliseconds(_ date: Timestamp) -> JSONValue { milliseconds(Self.epoch.duration(to: date)) }
    var object: JSONObject = [
      "id": .string(credential.id.string), "secret": .string(credential.secret.reveal()),
      "token": .string(token.reveal()),
    ]
    object["start"] = credential.start.map { milliseconds($0) }
    object["end"] = milliseconds(expiration)
    object["storedUntil"] = milliseconds(issuedAt.advanced(by: duration))
    object["lifetime"] = milliseconds(lifetime)
    return (String(decoding: JSONValue.object(object).serialized, as: UTF8.self), duration)
  }

  /// Parses a stored key; the issuer's current time is the time until which the key is stored, less the remaining time.
  fileprivate init?(stored bytes: [UInt8], remainingTime: Duration) {
    func date(_ milliseconds: Int) -> Timestamp { Self.epoch.advanced(by: .milliseconds(milliseconds)) }
    guard let object = try? JSONValue(parsing: bytes), let id = object["id"]?.string,
      let secret = object["secret"]?.string, let token = object["token"]?.string,
      let expiration = object["end"]?.integer, let storedUntil = object["storedUntil"]?.integer,
      let lifetime = object["lifetime"]?.integer
    else { return nil }
    let key = AccessKey(
      id: id, secret: secret, sessionToken: token, start: object["start"]?.integer.map(date),
      expiration: date(expiration))
    self.init(
      key, issuerTime: date(storedUntil).advanced(by: .zero - remainingTime), source: "redis",
      lifetime: .milliseconds(lifetime))
  }
}
