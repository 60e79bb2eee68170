// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The behavior of a store while the Redis server is away.
public enum RedisFallback: Sendable, Hashable {
  /// The store throws an error, so that requests are refused until the server is back.
  case refuse
  /// The store goes on with a store in this instance's memory, which does not know the other instances.
  case local
}

/// The promise of a Redis server about data that it has confirmed, for the time after a restart.
public enum RedisDurability: Sendable, Hashable {
  /// The server may lose data when it is restarted.
  case volatile
  /// The server writes each change to its disk before it confirms the change (`appendonly yes` and `appendfsync
  /// always`).
  case persistent
}

extension Duration {
  /// The longest duration that is sent to a server, which is a hundred years.
  private static var longest: Duration { .seconds(100 * 365 * 86_400) }

  /// The duration in whole microseconds, of at least zero and at most a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero), Self.longest).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The duration in whole milliseconds, rounded down, of at least zero and at most a hundred years.
  var milliseconds: Int64 { microseconds / 1000 }
}
