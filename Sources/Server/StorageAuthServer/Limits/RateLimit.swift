// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A rate limit that allows a burst of requests, and then one more request after each interval.
public struct RateLimit: Sendable, Hashable {
  /// The maximum number of requests in a burst.
  public let burst: Int
  /// The interval after which one more request is allowed.
  public let interval: Duration

  /// Creates a rate limit; the parameters are the properties, of which the burst is at least 1.
  public init(burst: Int, every interval: Duration) {
    self.burst = max(1, burst)
    self.interval = max(.zero, interval)
  }

  /// Returns a rate limit that allows a number of requests per minute, all of which may be sent in one burst.
  ///
  /// - Parameter count: The number of requests per minute.
  public static func perMinute(_ count: Int) -> RateLimit {
    RateLimit(burst: count, every: .seconds(60) / max(1, count))
  }
}

/// A type that counts the requests of callers.
///
/// Server instances that share a store share the limits. With stores in memory, each instance counts separately.
public protocol RateStore: Sendable {
  /// Counts a request of a caller.
  ///
  /// - Parameters:
  ///   - caller: The ID of the caller.
  ///   - limit: The rate limit of the caller.
  ///   - uptime: The time since a fixed point. A shared store uses its own clock instead.
  /// - Returns: `nil` if the request is allowed and counted, otherwise the time until the next request is allowed.
  /// - Throws: A ``StoreError`` if the store is out of reach, which refuses the request.
  func take(_ caller: String, limit: RateLimit, at uptime: Duration) async throws(StoreError) -> Duration?
}

/// A rate store in memory, for a bounded number of callers.
///
/// For each caller, the store contains only the uptime at which the whole burst is available again, until that has
/// passed. If the store is full, it evicts the callers with the nearest uptimes, who may then exceed their limit.
public final class MemoryRateStore: RateStore {
  private let limit: Int
  private let restorationTimes = Lock<[ByteExactString: Duration]>([:])

  /// Creates an empty rate store.
  ///
  /// - Parameter limit: The maximum number of callers in the store.
  public init(limit: Int = 100_000) { self.limit = max(1, limit) }

  /// The number of callers in the store.
  public var count: Int { restorationTimes.withLock { $0.count } }

  /// Counts a request of a caller.
  ///
  /// The parameters are those of ``RateStore/take(_:limit:at:)``.
  ///
  /// - Returns: `nil` if the request is allowed, otherwise the time until the next request is allowed.
  public func take(_ caller: String, limit rate: RateLimit, at uptime: Duration) async -> Duration? {
    let caller = ByteExactString(caller)
    return restorationTimes.withLock { restorationTimes in
      let restoration = max(restorationTimes[caller] ?? uptime, uptime) + rate.interval
      let excess = restoration - uptime - rate.interval * rate.burst
      guard excess <= .zero else { return excess }
      if restorationTimes[caller] == nil, restorationTimes.count >= limit {
        Self.evictCallers(from: &restorationTimes, at: uptime, limit)
      }
      restorationTimes[caller] = restoration
      return nil
    }
  }

  /// Evicts callers until an eighth of the store is free, so that evictions are rare.
  private static func evictCallers(
    from restorationTimes: inout [ByteExactString: Duration], at uptime: Duration, _ limit: Int
  ) {
    restorationTimes = restorationTimes.filter { $0.value > uptime }
    let excess = restorationTimes.count - (limit - max(1, limit / 8))
    guard excess > 0 else { return }
    for (caller, _) in restorationTimes.sorted(by: { $0.value < $1.value }).prefix(excess) {
      restorationTimes[caller] = nil
    }
  }
}

struct CallerRateLimiter: Sendable {
  let limit: RateLimit?
  let store: any RateStore
  let time: any SigningClock

  func applyLimit(to caller: String) async throws(TokenServiceError) {
    guard let limit else { return }
    let delay: Duration?
    do {
      delay = try await store.take(caller, limit: limit, at: time.uptime)
    } catch {
      throw .unavailable(CredentialError(error, source: "rate store"), after: .seconds(1))
    }
    if let delay { throw .tooManyRequests(after: delay) }
  }
}
