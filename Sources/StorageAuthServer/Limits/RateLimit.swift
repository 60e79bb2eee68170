/// How often somebody may ask: so many times at once, and then one more each time an interval has passed.
public struct RateLimit: Sendable, Hashable {
  /// How many times at once.
  public let burst: Int

  /// After how long one more time is allowed.
  public let interval: Duration

  /// Sets the numbers.
  ///
  /// - Parameters:
  ///   - burst: How many times at once; at least 1.
  ///   - interval: After how long one more time is allowed.
  public init(burst: Int, every interval: Duration) {
    self.burst = max(1, burst)
    self.interval = max(.zero, interval)
  }

  /// So many times a minute, all of them at once if need be.
  public static func perMinute(_ count: Int) -> RateLimit {
    RateLimit(burst: count, every: .seconds(60) / max(1, count))
  }
}

/// Counts how often callers asked.
///
/// Instances of a server that share one share the limits; in memory each counts for itself.
public protocol RateStore: Sendable {
  /// Counts a request.
  ///
  /// - Parameters:
  ///   - caller: Who asks.
  ///   - limit: How often they may.
  ///   - uptime: The time since some fixed instant; a store that is shared has a clock of its own.
  /// - Returns: Nothing if the request is allowed; else after how long the next one is. A request that is refused does
  ///   not count.
  func take(_ caller: String, limit: RateLimit, at uptime: Duration) async -> Duration?
}
