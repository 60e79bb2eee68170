// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// - Throws: A ``TransportError`` with the code `invalidConfiguration` that names the variable, without a proxy's URL.
  public init(environment: (_ name: String) -> String?) throws(TransportError) {
    func firstSet(_ lowercaseName: String) -> (name: String, value: String)? {
      for name in [lowercaseName, lowercaseName.asciiUppercased] {
        if name == "HTTP_PROXY", environment("REQUEST_METHOD") != nil { continue }
        if let value = environment(name), !value.isEmpty { return (name, value) }
      }
      return nil
    }
    func proxy(from lowercaseName: String) throws(TransportError) -> ProxyServer? {
      guard let (name, value) = firstSet(lowercaseName) ?? firstSet("all_proxy") else { return nil }
      return try ProxyServer(value, in: "The variable \(name)")
    }
    self.init(http: try proxy(from: "http_proxy"), https: try proxy(from: "https_proxy"))
    if let (name, list) = firstSet("no_proxy") { exclusions = try ProxyExclusions(list, in: "The variable \(name)") }
  }

  /// Returns the proxy for a request, or `nil` for a direct connection.
  ///
  /// - Parameters:
  ///   - authority: The host of the request, with the port unless it is the default of the scheme.
  ///   - scheme: The scheme of the request, `https` or `http`.
  public func server(for authority: String, scheme: String) -> ProxyServer? {
    let isPlain = scheme.asciiLowercased == "http"
    guard let server = isPlain ? http : https else { return nil }
    guard !LoopbackHost.isNamed(by: authority) else { return nil }
    // The exclusions cannot be applied to an invalid authority, and a proxy must not receive what they may concern.
    guard let parts = AuthorityParts(authority, defaultPort: isPlain ? 80 : 443) else { return nil }
    if let address = NetworkAddress(parts.host), Self.linkLocal.contains(where: { $0.contains(address) }) { return nil }
    return exclusions.contains(host: parts.host, port: parts.port) ? nil : server
  }

  /// The link-local addresses (RFC 3927 and RFC 4291, section 2.5.6), which no proxy reaches.
  private static let linkLocal = ["169.254.0.0/16", "fe80::/10"].compactMap { AddressRange($0) }

  /// The proxies in the environment of this process: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
  ///
  /// - Throws: A ``TransportError``, as ``init(environment:)`` does.
  public static var environment: ProxyConfiguration {
    get throws(TransportError) { try ProxyConfiguration(environment: { CurrentProcess.variable($0) }) }
  }
}

/// A list of hosts that are reached without a proxy, in the form of the variable `NO_PROXY`.
///
/// ```swift
/// let exclusions = try ProxyExclusions("internal.example.com, .svc, 10.0.0.0/8, storage.example.com:9000")
/// ```
public struct ProxyExclusions: Sendable, Hashable {
  private enum Entry: Hashable {
    case all
    /// A host name with its subdomains.
    case domain(String, port: Int?)
    case addresses(AddressRange, port: Int?)
  }

  private var entries: [Entry] = []

  /// The empty list.
  public static let none = ProxyExclusions()

  private init() {}

  /// Parses a list of hosts, which are separated by commas or spaces, and which can be empty.
  ///
  /// - A name stands for the host and all hosts below it, with or without a dot (or `*.`) before the name.
  /// - An IP address stands for itself, and a network, such as `10.0.0.0/8`, for its addresses; names are not resolved.
  /// - A port after a colon restricts an entry to that port. An IPv6 address with a port is in brackets.
  /// - `*` stands for every host.
  ///
  /// - Throws: A ``TransportError`` with the code `invalidConfiguration` if an entry has another form.
  public init(_ list: String) throws(TransportError) { try self.init(list, in: "The list of hosts without a proxy") }

  init(_ list: String, in setting: String) throws(TransportError) {
    let separators = [UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t")]
    for entryBytes in list.utf8.split(whereSeparator: { separators.contains($0) }) {
      let text = Substring(entryBytes).asciiLowercased
      guard let entry = Self.parseEntry(text) else {
        throw TransportError(
          .invalidConfiguration, "\(setting) has the entry \(text), which is no host, address or network.",
          remedy: "Use entries such as example.com, .example.com, 10.0.0.0/8, 192.0.2.7, [2001:db8::7]:8443 or *.")
      }
      entries.append(entry)
    }
  }

  /// Parses a lowercase entry; a network is tried first, because a name of digits and dots could be an address.
  private static func parseEntry(_ text: String) -> Entry? {
    if text == "*" { return .all }
    if let range = AddressRange(networkOf: text) { return .addresses(range, port: nil) }
    let name = text.removingBytePrefix("*.") ?? text[...]
    let authority = String(name.removingBytePrefix(".") ?? name)
    // The default port is never used: an entry without a port stands for all ports.
    guard isHost(authority), let parts = AuthorityParts(authority, defaultPort: 1), !parts.host.isEmpty else {
      return nil
    }
    let port = hostWithoutPort(authority).isIdentical(to: authority) ? nil : parts.port
    if let range = AddressRange(networkOf: parts.host) { return .addresses(range, port: port) }
    return .domain(parts.host, port: port)
  }

  /// Returns whether the list contains a host, given in lowercase and without brackets and final dot.
  func contains(host: String, port: Int) -> Bool {
    let address = NetworkAddress(host)
    return entries.contains { entry in
      switch entry {
      case .all: true
      case .domain(let domain, let requiredPort):
        // An IP address has no subdomains: `7` does not stand for 192.0.2.7.
        address == nil && (requiredPort == nil || requiredPort == port)
          && (host == domain || host.hasByteSuffix(".\(domain)"))
      case .addresses(let range, let requiredPort):
        (requiredPort == nil || requiredPort == port) && address.map { range.contains($0) } ?? false
      }
    }
  }
}
