// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuthServer

/// A replay store on a Redis server, which all instances of a service share.
///
/// A mark is stored with `SET NX PX` until its signature has expired on every instance. The number of marks of each
/// owner is limited, so that a single owner cannot fill the server's memory.
///
/// A server that is not `persistent` may have lost marks after a restart. The store then refuses each signature that
/// may have been accepted before the restart. A server that removes keys when its memory is full cannot be used, nor
/// can Redis Cluster, in which the two keys of a mark would be on different servers.
public final class RedisReplayStore: ReplayStore {
  private enum Reply: Int64 {
    case newMark = 0
    case usedMark = 1
    case tooManyMarks = 2
    /// The mark is absent, but the server may have lost it.
    case possiblyLostMark = 3
  }

  /// The time for which a mark outlives its signature, because times are rounded.
  private static let expirationMargin = Duration.seconds(1)

  private static let restartError = StoreError(
    "Redis was restarted, and may have lost the mark of this signature.",
    remedy: "Send the request again later, or configure Redis to store each change before it is confirmed.")

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

  /// Records that a signature was used; the parameters are those of `ReplayStore`.
  ///
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  /// - Throws: A `StoreError` if the server may have lost the mark, or if it is away and the fallback is `refuse`.
  public func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until expiration: Timestamp, at date: Timestamp
  ) async throws(StoreError) -> ReplayVerdict {
    let lifetime = max(.zero, date.duration(to: expiration)) + tolerance
    let timeSinceStart = start.map { $0.duration(to: date) + tolerance }
    // A second attempt after a lost reply finds its own mark.
    let attemptID = "\(UInt64.random(in: .min ... .max))"
    let reply: Reply
    do throws(RedisFailure) {
      let keys = ["\(prefix):mark:\(mark)", "\(prefix):marks:\(owner)"]
      let value = try await redis.run(Self.script, keys) { [limitPerOwner, durability] server throws(RedisFailure) in
        guard !server.evictsKeys else { throw .evictsKeys }
        let mayHaveLostMark = durability == .volatile && timeSinceStart.map { $0 >= server.age } ?? true
        return [
          attemptID, "\((lifetime + Self.expirationMargin).milliseconds)", "\(limitPerOwner)",
          mayHaveLostMark ? "1" : "0",
        ]
      }
      guard let knownReply = value.integer.flatMap(Reply.init(rawValue:)) else { throw .malformed }
      reply = knownReply
    } catch {
      guard let fallback, !error.isMisconfiguration else {
        throw error.storeError(server: "\(redis.configuration)")
      }
      return fallback.insert(mark, of: owner, until: expiration, at: date)
    }
    switch reply {
    case .newMark: return .new
    case .usedMark: return .used
    case .tooManyMarks: return .full
    case .possiblyLostMark: throw Self.restartError
    }
  }

  /// Looks a mark up, and stores it if it is new; the replies are the raw values of ``Reply``.
  ///
  /// The second key counts the owner's marks in a field for each period in which marks expire, named by its end in
  /// seconds since 1970. A period has at least a minute, and at most 1/32 of the lifetime of a longer mark, which leaves
  /// the count late by at most one period: each script reads all fields, so that they must be few. `%.0f` prevents the
  /// exponents with which Lua writes large numbers. `NX` is a second guard against a mark that is accepted twice.
  private static let script = RedisScript(
    """
    local mark, counts = KEYS[1], KEYS[2]
    local attempt, lifetime, limit, mayBeLost = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
    local holder = redis.call('GET', mark)
    if holder then return holder == attempt and 0 or 1 end
    if mayBeLost then return 3 end
    local now = tonumber(redis.call('TIME')[1])
    local total = 0
    local ends = redis.call('HGETALL', counts)
    for i = 1, #ends, 2 do
      if tonumber(ends[i]) <= now then redis.call('HDEL', counts, ends[i])
      else total = total + tonumber(ends[i + 1]) end
    end
    if total >= limit then return 2 end
    if not redis.call('SET', mark, attempt, 'NX', 'PX', ARGV[2]) then return 1 end
    local period = 60
    while lifetime / 1000 > 64 * period do period = 2 * period end
    local periodEnd = (math.floor((now + lifetime / 1000) / period) + 1) * period
    redis.call('HINCRBY', counts, string.format('%.0f', periodEnd), 1)
    local kept = lifetime + 1000 * period + 60000
    if redis.call('PTTL', counts) < kept then redis.call('PEXPIRE', counts, string.format('%.0f', kept)) end
    return 0
    """)
}

/// The behavior of a store while the Redis server is away.
public enum RedisFallback: Sendable, Hashable {
  /// The store throws an error, so that requests are refused until the server is back.
  case refuse
  /// The store goes on with a store in this instance's memory, which does not know the other instances.
  case local
}

/// The fate of confirmed data when a Redis server is restarted.
public enum RedisDurability: Sendable, Hashable {
  /// The server may lose data.
  case volatile
  /// The server writes each change to disk before it confirms the change (`appendonly yes` and `appendfsync always`).
  case persistent
}
