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
