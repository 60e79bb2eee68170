// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuthServer

/// A store of issued keys on a Redis server, through which all instances of a token service ask the cloud once.
///
/// The instance that asks the cloud holds a lease, which it renews while it waits for the answer. The others wait for the
/// key. A key is stored for half of its lifetime, measured with the server's clock. If the cloud refuses, no instance asks
/// again for a second.
///
/// The server stores secrets of temporary keys: protect it as the service itself, and use TLS on other networks.
public final class RedisKeyStore: IssuedKeyStore {
  private enum Found {
    case key(IssuedCredential<AccessKey>)
    case refused
    case wait
    case ask
  }

  private let redis: RedisPool
  private let prefix: String
  private let lease: Duration
  private let fallback: RedisFallback
  private let time: any SigningClock

  /// Creates a store of issued keys on a Redis server.
  ///
  /// - Parameters:
  ///   - redis: The connections to the server.
  ///   - prefix: The beginning of the store's keys. Services whose keys have different roles or clouds need different
  ///     prefixes, because a scope does not name them.
  ///   - lease: The time after which another instance asks the cloud if the instance that asked has ended.
  ///   - fallback: What the store does while the server is away. With `local`, each instance asks the cloud.
  ///   - time: The clocks of the service.
  public init(
    _ redis: RedisPool, prefix: String = "storage-auth", lease: Duration = .seconds(3),
    whenAway fallback: RedisFallback = .local, time: any SigningClock = .system
  ) {
    self.redis = redis
    self.prefix = prefix
    self.lease = max(.milliseconds(100), lease)
    self.fallback = fallback
    self.time = time
  }

  /// Returns the key for a scope that an instance has issued, or issues and stores a key.
  ///
  /// - Parameters:
  ///   - scope: The scope of the key.
  ///   - issue: A closure that requests a key from the cloud.
  /// - Returns: A key with at least half of its lifetime remaining, or with the whole lifetime that the cloud granted.
  /// - Throws: A `CredentialError`: that of `issue`; a retryable one if the server is away and the fallback is `refuse`,
  ///   or if another instance has just failed; `cancelled` if the task was cancelled.
  public func key(
    for scope: TokenScope, issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let digest = scope.digest
    let keys = ["\(prefix):key:\(digest)", "\(prefix):lease:\(digest)"]
    let holder = "\(UInt64.random(in: .min ... .max))"
    while true {
      let found: Found
      do throws(RedisFailure) {
        found = try await look(keys, holder)
      } catch {
        guard fallback == .local else {
          throw CredentialError(error.storeError("\(redis.configuration)"), source: "redis")
        }
        return try await issue()
      }
      switch found {
      case .key(let key): return key
      case .refused: throw Self.refusedElsewhere
      case .ask: return try await ask(keys, holder, issue)
      case .wait:
        do {
          try await time.sleep(for: .milliseconds(25))
        } catch {
          throw CredentialError(
            .cancelled, source: "redis", "The task was cancelled.", remedy: "Ask again.", isRetryable: true)
        }
      }
    }
  }

  /// Removes the key for a scope from the server.
  ///
  /// - Parameter scope: The scope whose key was revoked.
  /// - Throws: A `StoreError` if the server is away.
  public func forget(_ scope: TokenScope) async throws(StoreError) {
    do throws(RedisFailure) {
      _ = try await redis.run(Self.removing, ["\(prefix):key:\(scope.digest)"]) { _ in [] }
    } catch {
      throw error.storeError("\(redis.configuration)")
    }
  }

  private func look(_ keys: [String], _ holder: String) async throws(RedisFailure) -> Found {
    let reply = try await redis.run(Self.looking, keys) { [lease] _ in [holder, "\(lease.milliseconds)"] }
    if case .array(let parts) = reply, parts.count == 2, case .bytes(let bytes) = parts[0],
      let left = parts[1].integer
    {
      guard let issued = IssuedCredential(stored: bytes, left: .milliseconds(left)) else { throw .malformed }
      return .key(issued)
    }
    switch reply.integer {
    case 0: return .ask
    case 1: return .wait
    case 2: return .refused
    default: throw .malformed
    }
  }

  /// Asks the cloud while the lease is renewed, and stores the key.
  private func ask(
    _ keys: [String], _ holder: String,
    _ issue: @Sendable @concurrent () async throws(CredentialError) -> IssuedCredential<AccessKey>
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let renewal = Task { [redis, lease, time] in
      while !Task.isCancelled {
        try await time.sleep(for: lease / 3)
        _ = try? await redis.run(Self.renewing, [keys[1]]) { _ in [holder, "\(lease.milliseconds)"] }
      }
    }
    defer { renewal.cancel() }
    do throws(CredentialError) {
      let issued = try await issue()
      let stored = issued.stored(at: time.now)
      renewal.cancel()
      // If the server is away now, the key is used nevertheless, and another instance asks once more.
      _ = try? await redis.run(Self.storing, keys) { _ in
        [holder, stored?.text ?? "", "\(stored?.duration.milliseconds ?? 0)"]
      }
      return issued
    } catch {
      renewal.cancel()
      _ = try? await redis.run(Self.failing, [keys[1]]) { _ in [holder, "1000"] }
      throw error
    }
  }

  private static let refusedElsewhere = CredentialError(
    .failed, source: "redis", "Another instance asked for this key and failed.",
    remedy: "See the log of the instance that asked.", isRetryable: true)

  /// The script returns the key with its remaining milliseconds, or takes the lease and returns 0; it returns 1 if
  /// another instance holds the lease, and 2 if it has failed.
  private static let looking = RedisScript(
    """
    local key = redis.call('GET', KEYS[1])
    if key then return {key, redis.call('PTTL', KEYS[1])} end
    local lease = redis.call('GET', KEYS[2])
    if lease == 'failed' then return 2 end
    if lease and lease ~= ARGV[1] then return 1 end
    redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
    return 0
    """)

  private static let renewing = RedisScript(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0")

  private static let storing = RedisScript(
    """
    if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
    if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
    return 0
    """)

  private static let failing = RedisScript(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], 'failed', 'PX', ARGV[2]) end return 0")

  private static let removing = RedisScript("return redis.call('DEL', KEYS[1])")
}

extension IssuedCredential<AccessKey> {
  private static var epoch: Timestamp { Timestamp(unixSeconds: 0) }

  /// Returns the key as a JSON object with times in milliseconds since 1970, and the time for which it is stored.
  ///
  /// The time is shorter than half of the lifetime, so that no instance finds a key that is too old for its callers. The
  /// result is `nil` for a key that is not temporary or expires at once.
  fileprivate func stored(at date: Timestamp) -> (text: String, duration: Duration)? {
    guard let end = credential.expiration, let token = credential.sessionToken else { return nil }
    let issuedAt = issuerTime ?? date
    let lifetime = issuedAt.duration(to: end)
    guard lifetime > .seconds(1) else { return nil }
    let duration = lifetime / 2 - min(.seconds(1), lifetime / 10)
    func number(_ duration: Duration) -> JSONValue { .number(JSONNumber(duration.milliseconds)) }
    func number(_ date: Timestamp) -> JSONValue { number(Self.epoch.duration(to: date)) }
    var object: JSONObject = [
      "id": .string(credential.id.string), "secret": .string(credential.secret.reveal()),
      "token": .string(token.reveal()),
    ]
    object["start"] = credential.start.map { number($0) }
    object["end"] = number(end)
    object["storedUntil"] = number(issuedAt.advanced(by: duration))
    object["lifetime"] = number(lifetime)
    return (String(decoding: JSONValue.object(object).serialized, as: UTF8.self), duration)
  }

  /// Parses a key from a store.
  ///
  /// The issuer's time follows from the time for which the key remains in the store.
  fileprivate init?(stored bytes: [UInt8], left: Duration) {
    func date(_ milliseconds: Int) -> Timestamp { Self.epoch.advanced(by: .milliseconds(milliseconds)) }
    guard let object = try? JSONValue(parsing: bytes), let id = object["id"]?.string,
      let secret = object["secret"]?.string, let token = object["token"]?.string,
      let end = object["end"]?.integer, let until = object["storedUntil"]?.integer,
      let lifetime = object["lifetime"]?.integer
    else { return nil }
    let key = AccessKey(
      id: id, secret: secret, sessionToken: token, start: object["start"]?.integer.map(date), expiration: date(end))
    self.init(
      key, issuerTime: date(until).advanced(by: .zero - left), source: "redis", lifetime: .milliseconds(lifetime))
  }
}
