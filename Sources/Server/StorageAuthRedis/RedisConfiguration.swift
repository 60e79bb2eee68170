// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  package let usesTLS: Bool
  let user: String?
  let database: Int
  /// The password of the server, or `nil` for a server without one.
  public var password: Secret?
  /// The path of a PEM file with the certificate authorities for `rediss://`, or `nil` for those of the system.
  public var authorities: String?

  /// The number of connections that are open to the server, at least 1.
  public var connections: Int = 2 { didSet { connections = max(1, connections) } }
  /// The maximum number of commands that wait for their replies on each connection, at least 1.
  public var pendingLimit: Int = 1024 { didSet { pendingLimit = max(1, pendingLimit) } }
  /// The maximum time for opening a connection.
  public var connectTimeout: Duration = .seconds(1)
  /// The maximum time for the reply to a command.
  public var commandTimeout: Duration = .seconds(1)
  /// The maximum pause before the next attempt to connect; it is 50 milliseconds at first, and each failure doubles it.
  public var longestPause: Duration = .seconds(2)

  /// Creates a configuration from the URL of a server.
  ///
  /// - Parameter url: A URL of the form `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, or
  ///   `unix:///path/of/the/socket`. User and password are percent-encoded.
  /// - Throws: A ``RedisURLError``, which does not contain the URL.
  public init(url: String) throws(RedisURLError) {
    guard let separator = url.firstRange(of: "://") else { throw .scheme }
    let afterScheme = url[separator.upperBound...]
    switch url[..<separator.lowerBound] {
    case "redis": try self.init(afterScheme: afterScheme, usesTLS: false)
    case "rediss": try self.init(afterScheme: afterScheme, usesTLS: true)
    case "unix":
      guard afterScheme.hasBytePrefix("/") else { throw .address }
      self.init(.socket(String(afterScheme)), usesTLS: false, user: nil, password: nil, database: 0)
    default: throw .scheme
    }
  }

  private init(_ address: Address, usesTLS: Bool, user: String?, password: Secret?, database: Int) {
    self.address = address
    self.usesTLS = usesTLS
    self.user = user
    self.password = password
    self.database = database
  }

  /// Creates a configuration from a text of the form `[user:password@]host[:port][/database]`.
  private init(afterScheme text: Substring, usesTLS: Bool) throws(RedisURLError) {
    var (user, password): (String?, Secret?) = (nil, nil)
    var hostAndDatabase = text
    // The host contains no "@", so that the last one ends the login.
    if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
      (user, password) = try Self.parseLogin(text[..<at])
      hostAndDatabase = text[text.utf8.index(after: at)...]
    }
    let databaseText = hostAndDatabase.bytes(after: "/")
    guard let database = databaseText.isEmpty ? 0 : Int(digits: databaseText) else { throw .database }
    let address = try Self.parseAddress(hostAndDatabase.bytes(before: "/"))
    self.init(address, usesTLS: usesTLS, user: user, password: password, database: database)
  }

  private static func parseLogin(_ text: Substring) throws(RedisURLError) -> (user: String?, password: Secret?) {
    guard text.hasByte(":"), let user = text.bytes(before: ":").percentDecoded(),
      let password = text.bytes(after: ":").percentDecoded()
    else { throw .login }
    return (user.isEmpty ? nil : user, password.isEmpty ? nil : Secret(password))
  }

  private static func parseAddress(_ text: Substring) throws(RedisURLError) -> Address {
    var (host, colonAndPort) = (text.bytes(before: ":"), text.bytes(from: ":"))
    // The colons of an IPv6 address are inside of brackets (RFC 3986, section 3.2.2).
    if text.beginsWithByte("["), text.hasByte("]") {
      host = text.bytes(after: "[").bytes(before: "]")
      colonAndPort = text.bytes(after: "]")
    }
    guard colonAndPort.isEmpty || colonAndPort.beginsWithByte(":") else { throw .address }
    let portText = colonAndPort.isEmpty ? defaultPort[...] : colonAndPort.bytes(after: ":")
    guard !host.isEmpty, let port = Int(digits: portText), (1...65_535).contains(port) else { throw .address }
    return .host(String(host), port: port)
  }

  /// The host name that the server's certificate must contain, or `nil` to compare the address.
  var certificateName: String? {
    guard case .host(let host, _) = address, NetworkAddress(host) == nil else { return nil }
    return host
  }

  /// Returns the context of a connection with TLS, or `nil` without TLS, which must not have authorities.
  func tlsContext() throws(RedisFailure) -> NIOSSLContext? {
    guard usesTLS else {
      guard authorities == nil else { throw .authorities("have no effect without TLS") }
      return nil
    }
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let authorities { configuration.trustRoots = .file(authorities) }
    do {
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw .authorities("in \(authorities ?? "the system") cannot be read")
    }
  }

  /// The server's address, without the login.
  public var description: String {
    switch address {
    case .host(let host, let port): "\(host.onOneLine):\(port)"
    case .socket(let path): path.onOneLine
    }
  }
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
