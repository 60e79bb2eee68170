// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuthServer

/// A replay store on a Redis server, which all instances of a service share.
///
/// A mark is stored with `SET NX PX` until its signature has expired on every instance. The number of marks of each
/// owner is limited, so that a single owner cannot fill the server's memory.
///
/// A server that has been restarted may have lost marks, unless it is `persistent`. The store then refuses each signature
/// that may have been accepted before the restart. A server that removes keys when its memory is full cannot be used.
public final class RedisReplayStore: ReplayStore {
  /// The code of this store for a server that removes keys when its memory is full.
  private static let evictionCode = "EVICTION"

  /// The time by which a mark is stored for longer than its signature and the clocks need.
  private static let expirationMargin = Duration.seconds(1)

  private let redis: RedisPool
  private let prefix: String
  private let limitPerOwner: Int
  private let tolerance: Duration
  private let durability: RedisDurability
  private let fallback: MemoryReplayStore?

  /// Creates a replay store on a Redis server.
  ///
  /// - Parameters:
  ///   - redis: The connections to the server.
  ///   - prefix: The beginning of the store's keys; services that accept different keys need different prefixes.
  ///   - limitPerOwner: The maximum number of marks of each owner.
  ///   - tolerance: The maximum difference between the clocks of two instances. Marks are stored longer by this time.
  ///   - durability: Whether the server keeps its data when it is restarted.
  ///   - fallback: What the store does while the server is away. With `local`, each instance accepts a signature once.
  public init(
    _ redis: RedisPool, prefix: String = "storage-auth", limitPerOwner: Int = 100_000,
    clocksWithin tolerance: Duration = .seconds(600), durability: RedisDurability = .volatile,
    whenAway fallback: RedisFallback = .refuse
  ) {
    self.redis = redis
    self.prefix = prefix
    self.limitPerOwner = max(1, limitPerOwner)
    self.tolerance = max(.zero, tolerance)
    self.durability = durability
    self.fallback = fallback == .local ? MemoryReplayStore() : nil
  }

  /// Records that a signature was used.
  ///
  /// The parameters are those of `ReplayStore`.
  ///
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  /// - Throws: A `StoreError` if the server may have lost the mark, or if it is away and the fallback is `refuse`.
  public func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until expiration: Timestamp, at date: Timestamp
  ) async throws(StoreError) -> ReplayVerdict {
    let lifetime = max(.zero, date.duration(to: expiration)) + tolerance
    let timeSinceStart = durability == .persistent ? .zero : start.map { $0.duration(to: date) + tolerance }
    // A second attempt after a lost reply finds its own mark.
    let attemptID = "\(UInt64.random(in: .min ... .max))"
    let verdict: Int64?
    do throws(RedisFailure) {
      let keys = ["\(prefix):mark:\(mark)", "\(prefix):marks:\(owner)"]
      verdict = try await redis.run(Self.script, keys) { [limitPerOwner, durability] server throws(RedisFailure) in
        guard !server.evictsKeys else { throw .refused(Self.evictionCode) }
        let mayHaveLostMark = durability == .volatile && timeSinceStart.map { $0 >= server.age } ?? true
        return [
          attemptID, "\((lifetime + Self.expirationMargin).milliseconds)", "\(limitPerOwner)",
          mayHaveLostMark ? "1" : "0",
        ]
      }.integer
    } catch {
      if case .refused(Self.evictionCode) = error { throw Self.evictionError }
      guard let fallback else { throw error.storeError(server: "\(redis.configuration)") }
      return fallback.insert(mark, of: owner, until: expiration, at: date)
    }
    switch verdict {
    case 0: return .new
    case 1: return .used
    case 2: return .full
    default: throw Self.restartError
    }
  }

  private static let restartError = StoreError(
    "Redis was restarted, and may have lost the mark of this signature.",
    remedy: "Send the request again later, or configure Redis to store each change before it is confirmed.")

  private static let evictionError = StoreError(
    "Redis removes keys when its memory is full, so that marks would be lost.",
    remedy: "Set maxmemory-policy to noeviction.")

  /// The script returns 0 for a new mark, 1 for a used one, 2 for too many, and 3 for one that may have been lost.
  ///
  /// The second key counts the owner's marks by the minute in which they expire, and expires two minutes after them.
  private static let script = RedisScript(
    """
    local held = redis.call('GET', KEYS[1])
    if held then return held == ARGV[1] and 0 or 1 end
    if ARGV[4] == '1' then return 3 end
    local life = tonumber(ARGV[2])
    local now = tonumber(redis.call('TIME')[1])
    local total = 0
    local counts = redis.call('HGETALL', KEYS[2])
    for i = 1, #counts, 2 do
      if tonumber(counts[i]) <= now then redis.call('HDEL', KEYS[2], counts[i])
      else total = total + tonumber(counts[i + 1]) end
    end
    if total >= tonumber(ARGV[3]) then return 2 end
    if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    local minute = (math.floor((now + life / 1000) / 60) + 1) * 60
    redis.call('HINCRBY', KEYS[2], string.format('%.0f', minute), 1)
    if redis.call('PTTL', KEYS[2]) < life + 120000 then
      redis.call('PEXPIRE', KEYS[2], string.format('%.0f', life + 120000))
    end
    return 0
    """)
}
