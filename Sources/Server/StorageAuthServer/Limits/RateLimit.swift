// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rate limit that allows a burst of requests, and then one more request after each interval.
public struct RateLimit: Sendable, Hashable {
  /// The maximum number of requests in a burst.
  public let burst: Int

  /// The interval after which one more request is allowed.
  public let interval: Duration

  /// Creates a rate limit with a burst and an interval.
  ///
  /// - Parameters:
  ///   - burst: The maximum number of requests in a burst; at least 1.
  ///   - interval: The interval after which one more request is allowed.
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
  /// - Returns: `nil` if the request is allowed, otherwise the time until the next request is allowed. A refused
  ///   request is not counted.
  /// - Throws: A ``StoreError`` if the store is out of reach, which refuses the request.
  func take(_ caller: String, limit: RateLimit, at uptime: Duration) async throws(StoreError) -> Duration?
}
