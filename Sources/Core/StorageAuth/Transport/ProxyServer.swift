// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An HTTP proxy, with the login that it requires.
///
/// ```swift
/// let proxy = try ProxyServer("http://mia:secret@proxy.example.com:3128")
/// ```
public struct ProxyServer: Sendable, Equatable {
  /// The host name or the IP address of the proxy, without brackets.
  public let host: String
  /// The TCP port of the proxy.
  public let port: Int
  /// The user name for Basic authentication, without a colon, or `nil` if the proxy requires no login.
  public let user: String?
  /// The password for Basic authentication, or `nil` if there is none.
  public let password: Secret?

  /// Parses the URL of an HTTP proxy: `http://[user[:password]@]host[:port]`, or `host:port`.
  ///
  /// User and password are percent-encoded; the port is 80 by default. Proxies over TLS or SOCKS are not supported.
  ///
  /// - Throws: A ``TransportError`` with the code ``TransportError/Code/invalidConfiguration``, which does not contain
  ///   the URL, because the URL can contain a password.
  public init(_ url: String) throws(TransportError) { try self.init(url, in: "The URL of the proxy") }

  /// Parses the URL of an HTTP proxy in a setting, whose name starts the messages of errors.
  init(_ url: String, in setting: String) throws(TransportError) {
    var loginAndHost = url[...]
    if let separator = url.firstRange(of: "://") {
      let scheme = url[..<separator.lowerBound].asciiLowercased
      guard scheme == "http" else { throw Self.unsupportedScheme(scheme, in: setting) }
      loginAndHost = url[separator.upperBound...]
    }
    loginAndHost = loginAndHost.removingByteSuffix("/") ?? loginAndHost
    var login: (user: String?, password: Secret?) = (nil, nil)
    var authority = String(loginAndHost)
    if let loginEnd = loginAndHost.utf8.lastIndex(of: UInt8(ascii: "@")) {
      login = try Self.parseLogin(loginAndHost[..<loginEnd], in: setting)
      // By bytes: the `@` and a combining character after it, which no host contains, are one character.
      authority = String(loginAndHost[loginAndHost.utf8.index(after: loginEnd)...])
    }
    guard isHost(authority), let parts = AuthorityParts(authority, defaultPort: 80) else {
      throw Self.invalid("\(setting) has no valid host and port.")
    }
    self.init(host: parts.host, port: parts.port, user: login.user, password: login.password)
  }

  /// Creates a proxy; the parameters are the properties.
  public init(host: String, port: Int, user: String? = nil, password: Secret? = nil) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  private static func parseLogin(
    _ text: Substring, in setting: String
  ) throws(TransportError) -> (user: String?, password: Secret?) {
    let parts = text.parts(between: ":", maxSplits: 1)
    let decodedParts = parts.compactMap { $0.percentDecoded() }
    let hasControl = decodedParts.contains { $0.utf8.contains(where: \.isASCIIControl) }
    guard decodedParts.count == parts.count, !hasControl else {
      throw invalid("\(setting) has a user or a password with an invalid escape or a control character.")
    }
    guard let user = decodedParts.first, !user.isEmpty, !user.hasByte(":") else {
      throw invalid("\(setting) has an empty user, or a user with a colon.")
    }
    return (user, decodedParts.count == 2 ? Secret(decodedParts[1]) : nil)
  }

  private static func unsupportedScheme(_ scheme: String, in setting: String) -> TransportError {
    let kind =
      switch scheme {
      case "https": "a proxy that is reached over TLS"
      case _ where scheme.hasBytePrefix("socks"): "a SOCKS proxy"
      default: "no HTTP proxy"
      }
    return TransportError(
      .invalidConfiguration, "\(setting) is of \(kind), which is not supported.",
      remedy: "Name an HTTP proxy, such as http://proxy.example.com:3128, or leave the setting out.")
  }

  private static func invalid(_ message: String) -> TransportError {
    TransportError(
      .invalidConfiguration, message,
      remedy: "Write it like http://proxy.example.com:3128, with user:password@ before the host if it is needed.")
  }
}

extension ProxyServer: CustomStringConvertible {
  /// The host and the port of the proxy, without the login.
  public var description: String { host.hasByte(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
