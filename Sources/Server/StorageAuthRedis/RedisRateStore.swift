// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuthServer

/// A rate store on a Redis server, which all instances of a service share.
///
/// The server counts with its own clock, and stores one number for each caller until its whole burst is available.
///
/// After a restart, a volatile server has lost the numbers. No caller then has a burst at first; it builds up again.
public final class RedisRateStore: RateStore {
  private let redis: RedisPool
  private let prefix: String
  private let durability: RedisDurability
  private let fallback: MemoryRateStore?

  /// Creates a rate store on a Redis server.
  ///
  /// - Parameters:
  ///   - redis: The connections to the server.
  ///   - prefix: The beginning of the store's keys; services with different limits need different prefixes.
  ///   - durability: Whether the server keeps its data when it is restarted.
  ///   - fallback: What the store does while the server is away. With `local`, each instance allows the whole limit.
  public init(
    _ redis: RedisPool, prefix: String = "storage-auth", durability: RedisDurability = .volatile,
    whenAway fallback: RedisFallback = .refuse
  ) {
    self.redis = redis
    self.prefix = prefix
    self.durability = durability
    self.fallback = fallback == .local ? MemoryRateStore() : nil
  }

  /// Counts a request; the parameters are those of `RateStore`, whose uptime is used only while the server is away.
  ///
  /// - Returns: `nil` if the request is allowed, otherwise the time until the next request is allowed.
  /// - Throws: A `StoreError` if the server is away and the fallback is `refuse`.
  public func take(_ caller: String, limit: RateLimit, at uptime: Duration) async throws(StoreError) -> Duration? {
    guard limit.interval > .zero else { return nil }
    do throws(RedisFailure) {
      let reply = try await redis.run(Self.script, ["\(prefix):rate:\(caller)"]) { [durability] server in
        // A persistent server has kept the numbers, whatever its age.
        let age = durability == .volatile ? "\(server.age.microseconds)" : "-1"
        return ["\(limit.interval.microseconds)", "\(limit.burst)", age]
      }
      guard let excess = reply.integer else { throw .malformed }
      return excess > 0 ? .microseconds(excess) : nil
    } catch {
      guard let fallback, !error.isMisconfiguration else {
        throw error.storeError(server: "\(redis.configuration)")
      }
      return await fallback.take(caller, limit: limit, at: uptime)
    }
  }

  /// The script stores the time at which the caller's whole burst is available again, in microseconds.
  private static let script = RedisScript(
    """
    local time = redis.call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local interval = math.max(tonumber(ARGV[1]), 1)
    local burst = interval * tonumber(ARGV[2])
    local age = tonumber(ARGV[3])
    local free = tonumber(redis.call('GET', KEYS[1]) or '')
    if not free then
      free = now
      if age >= 0 then free = now - age + burst end
    end
    free = math.min(math.max(free, now), now + burst) + interval
    local excess = free - now - burst
    if excess > 0 then return math.ceil(excess) end
    redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', string.format('%.0f', math.ceil((free - now) / 1000)))
    return 0
    """)
}
