// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOSSL
public import StorageAuth

/// The address of a Redis server, and the limits of the connections to it.
public struct RedisConfiguration: Sendable, Redacted {
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
  public var connections: Int = 2 { didSet { connections = max(1, connections) } }
  /// The maximum number of commands that wait for their replies on each connection, at least 1.
  public var pendingLimit: Int = 1024 { didSet { pendingLimit = max(1, pendingLimit) } }
  /// The maximum time for opening a connection.
  public var connectTimeout: Duration = .seconds(1)
  /// The maximum time for the reply to a command.
  public var commandTimeout: Duration = .seconds(1)
  /// The maximum pause after a failure to connect; the first pause is 50 milliseconds, and each failure doubles it.
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
    var afterScheme = url[separator.upperBound...]
    usesTLS = scheme == "rediss"
    let isSocket = scheme == "unix"
    var login: (user: String?, password: Secret?) = (nil, nil)
    if !isSocket, let at = afterScheme.lastIndex(of: "@") {
      login = try Self.parseLogin(afterScheme[..<at])
      afterScheme = afterScheme[afterScheme.utf8.index(after: at)...]
    }
    (user, password) = login
    guard !isSocket else {
      guard afterScheme.hasBytePrefix("/") else { throw .address }
      (address, database) = (.socket(String(afterScheme)), 0)
      return
    }
    let hostAndDatabase = afterScheme.parts(between: "/", atMost: 1)
    let databaseText = hostAndDatabase.dropFirst().first ?? ""
    guard let database = databaseText.isEmpty ? 0 : Int(digits: databaseText), database >= 0 else { throw .database }
    self.database = database
    address = try Self.parseAddress(hostAndDatabase[0])
  }

  private static func parseLogin(_ text: Substring) throws(RedisURLError) -> (user: String?, password: Secret?) {
    guard let colon = text.firstIndex(of: ":"), let user = text[..<colon].percentDecoded(),
      let password = text[text.utf8.index(after: colon)...].percentDecoded()
    else { throw .login }
    return (user.isEmpty ? nil : user, password.isEmpty ? nil : Secret(password))
  }

  private static func parseAddress(_ text: Substring) throws(RedisURLError) -> Address {
    var (host, port) = (text, Self.defaultPort[...])
    // The colons of an IPv6 address are inside of brackets (RFC 3986, section 3.2.2).
    if text.hasPrefix("["), let bracket = text.firstIndex(of: "]") {
      host = text[text.utf8.index(after: text.startIndex)..<bracket]
      let afterBracket = text[text.utf8.index(after: bracket)...]
      guard afterBracket.isEmpty || afterBracket.hasPrefix(":") else { throw .address }
      if !afterBracket.isEmpty { port = afterBracket.dropFirst() }
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.utf8.index(after: colon)...]
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

/// The fate of confirmed data when a Redis server is restarted.
public enum RedisDurability: Sendable, Hashable {
  /// The server may lose data.
  case volatile
  /// The server keeps all data, because it writes each change to its disk before it confirms the change (`appendonly
  /// yes` and `appendfsync always`).
  case persistent
}

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
