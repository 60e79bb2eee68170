// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The HTTP proxies of a transport, and the hosts to which it connects without them.
///
/// A transport opens a tunnel (`CONNECT`) for `https` and for `http`, so that the proxy changes no signed request. This
/// machine and link-local addresses, such as those of metadata services, are never reached through a proxy.
///
/// ```swift
/// let transport = try AsyncHTTPClientTransport(proxy: .environment)
/// ```
public struct ProxyConfiguration: Sendable, Equatable {
  /// The proxy for `http` URLs, or `nil` for direct connections.
  public var http: ProxyServer?

  /// The proxy for `https` URLs, or `nil` for direct connections.
  public var https: ProxyServer?

  /// The hosts to which the transport connects directly.
  public var exclusions: ProxyExclusions

  /// The configuration without a proxy.
  public static let direct = ProxyConfiguration()

  /// Creates a configuration from its parts; the parameters are the properties.
  public init(http: ProxyServer? = nil, https: ProxyServer? = nil, exclusions: ProxyExclusions = .none) {
    self.http = http
    self.https = https
    self.exclusions = exclusions
  }

  /// Creates a configuration from environment variables, as most HTTP tools read them.
  ///
  /// The variables are `http_proxy`, `https_proxy`, `all_proxy` (for schemes without their own) and `no_proxy`, or the
  /// same in capital letters; lowercase wins, and an empty variable counts as not set. `HTTP_PROXY` is ignored if
  /// `REQUEST_METHOD` is set, because a CGI program receives the header `Proxy` of its client in that variable.
  ///
  /// - Parameter environment: A closure that returns the value of a variable, or `nil` if it is not set.
  /// - Throws: A ``TransportError`` with the code `invalidConfiguration` that names the variable, without its value.
  public init(environment: (_ name: String) -> String?) throws(TransportError) {
    func firstSet(_ name: String) -> (name: String, value: String)? {
      for name in [name, name.asciiUppercased] {
        if name == "HTTP_PROXY", environment("REQUEST_METHOD") != nil { continue }
        if let value = environment(name), !value.isEmpty { return (name, value) }
      }
      return nil
    }
    func server(_ name: String) throws(TransportError) -> ProxyServer? {
      guard let (name, value) = firstSet(name) ?? firstSet("all_proxy") else { return nil }
      return try ProxyServer(value, named: "The variable \(name)")
    }
    self.init(http: try server("http_proxy"), https: try server("https_proxy"))
    if let (name, list) = firstSet("no_proxy") { exclusions = try ProxyExclusions(list, named: "The variable \(name)") }
  }

  /// Returns the proxy for a request, or `nil` for a direct connection.
  ///
  /// - Parameters:
  ///   - authority: The host of the request, with the port unless it is the default of the scheme.
  ///   - scheme: The scheme of the request, `https` or `http`.
  public func server(for authority: String, scheme: String) -> ProxyServer? {
    let isPlain = scheme.asciiLowercased == "http"
    guard let server = isPlain ? http : https else { return nil }
    guard !LoopbackHost.isNamed(by: authority), let parts = AuthorityParts(authority, defaultPort: isPlain ? 80 : 443)
    else { return nil }
    if let address = NetworkAddress(parts.host), Self.linkLocal.contains(where: { $0.contains(address) }) { return nil }
    return exclusions.contains(host: parts.host, port: parts.port) ? nil : server
  }

  /// The link-local addresses (RFC 3927 and RFC 4291, section 2.5.6), which no proxy reaches.
  private static let linkLocal = ["169.254.0.0/16", "fe80::/10"].compactMap { AddressRange($0) }

  /// The proxies in the environment of this process: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
  ///
  /// - Throws: A `TransportError` with the code `invalidConfiguration` that names the variable, without its value.
  public static var environment: ProxyConfiguration {
    get throws(TransportError) { try ProxyConfiguration(environment: { CurrentProcess.variable($0) }) }
  }
}
