// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOSSL
public import StorageAuth
internal import StorageCrypto

/// The address of a Redis server, and the limits of the connections to it.
public struct RedisConfiguration: Sendable, Redacted {
  /// The address of a server: a host and a port, or a socket in the file system.
  enum Address: Sendable, Hashable {
    case host(String, port: Int)
    case socket(String)
  }

  private static let defaultPort = "6379"

  let address: Address
  let usesTLS: Bool
  let user: String?
  let database: Int

  /// The password of the server, or `nil` for a server without one.
  public var password: Secret?

  /// The path of a PEM file with the certificate authorities for TLS, or `nil` for those of the system.
  public var authorities: String?

  /// The number of connections, at least 1.
  public var connections: Int = 2 {
    didSet { connections = max(1, connections) }
  }

  /// The maximum number of commands that wait for their replies on each connection, at least 1.
  public var pendingLimit: Int = 1024 {
    didSet { pendingLimit = max(1, pendingLimit) }
  }

  /// The maximum time for opening a connection.
  public var connectTimeout: Duration = .seconds(1)

  /// The maximum time for the reply to a command.
  public var commandTimeout: Duration = .seconds(1)

  /// The maximum time for which no new connection is tried after a failure.
  ///
  /// The time starts at 50 milliseconds and doubles with each failure.
  public var longestPause: Duration = .seconds(2)

  /// Creates a configuration from the URL of a server.
  ///
  /// - Parameter url: A URL of the form `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, or
  ///   `unix:///path/of/the/socket`. User and password are percent-encoded.
  /// - Throws: A ``RedisURLError``, which does not contain the URL.
  public init(url: String) throws(RedisURLError) {
    guard let separator = url.firstRange(of: "://") else { throw .scheme }
    let scheme = url[..<separator.lowerBound]
    guard ["redis", "rediss", "unix"].contains(scheme) else { throw .scheme }
    var rest = url[separator.upperBound...]
    usesTLS = scheme == "rediss"
    let isSocket = scheme == "unix"
    var login: (user: String?, password: Secret?) = (nil, nil)
    if !isSocket, let at = rest.lastIndex(of: "@") {
      login = try Self.parseLogin(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    (user, password) = login
    guard !isSocket else {
      guard rest.hasBytePrefix("/") else { throw .address }
      (address, database) = (.socket(String(rest)), 0)
      return
    }
    let components = rest.parts(between: "/", atMost: 1)
    let number = components.count == 2 && !components[1].isEmpty ? Int(digits: components[1]) : 0
    guard let number, number >= 0 else { throw .database }
    database = number
    address = try Self.parseAddress(components[0])
  }

  private static func parseLogin(
    _ text: Substring
  ) throws(RedisURLError) -> (user: String?, password: Secret?) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let decoded = parts.compactMap {
      String($0).percentDecodedBytes().flatMap { String(utf8: $0) }
    }
    guard parts.count == 2, decoded.count == 2 else { throw .login }
    return (decoded[0].isEmpty ? nil : decoded[0], decoded[1].isEmpty ? nil : Secret(decoded[1]))
  }

  private static func parseAddress(_ text: Substring) throws(RedisURLError) -> Address {
    var host = text
    var port = Self.defaultPort[...]
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .address }
      if !rest.isEmpty { port = rest.dropFirst() }
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !host.isEmpty, let port = Int(digits: port), (1...65_535).contains(port) else { throw .address }
    return .host(String(host), port: port)
  }

  /// The host name that the server's certificate must contain, or `nil` to compare the address.
  var certificateName: String? {
    guard case .host(let host, _) = address, NetworkAddress(host) == nil else { return nil }
    return host
  }

  func tlsConfiguration() -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let authorities { configuration.trustRoots = .file(authorities) }
    return configuration
  }

  /// The server's address, without the login.
  public var description: String {
    switch address {
    case .host(let host, let port): "\(host.onOneLine):\(port)"
    case .socket(let path): path.onOneLine
    }
  }
}

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
  /// The maximum duration that is sent to a server, which is a hundred years.
  private static var maximum: Duration { .seconds(100 * 365 * 86_400) }

  /// The duration in whole microseconds, of at least zero and at most a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero), Self.maximum).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The duration in whole milliseconds, rounded down, of at least zero and at most a hundred years.
  var milliseconds: Int64 { microseconds / 1000 }
}
