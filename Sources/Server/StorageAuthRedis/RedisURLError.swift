// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a URL does not name a Redis server.
public enum RedisURLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The scheme is not `redis`, `rediss` or `unix`.
  case scheme
  /// The part before the `@` is not a user and a password with a colon between them.
  case login
  /// The host is missing, or the port is not a number from 1 to 65535.
  case address
  /// The part after the host is not the number of a database.
  case database

  /// A description of the error without the URL, which may contain a password.
  public var description: String {
    switch self {
    case .scheme: "The URL of Redis has an unknown scheme: use redis://, rediss:// for TLS, or unix:// for a socket."
    case .login: "The login in the URL of Redis is not USER:PASSWORD: percent-encode both; USER may be empty."
    case .address: "The URL of Redis has no valid host and port: write redis://HOST:PORT or unix:///PATH."
    case .database: "The URL of Redis does not end with the number of a database: write a slash and a number."
    }
  }
}
