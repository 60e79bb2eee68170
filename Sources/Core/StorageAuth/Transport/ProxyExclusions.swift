// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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

  /// Parses a list of hosts, which are separated by commas or spaces.
  ///
  /// - A name stands for the host and all hosts below it, with or without a dot (or `*.`) before the name.
  /// - An IP address stands for itself, and a network, such as `10.0.0.0/8`, for its addresses; names are not resolved.
  /// - A port after a colon restricts an entry to that port. An IPv6 address with a port is in brackets.
  /// - `*` stands for every host.
  ///
  /// - Parameter list: The list; it can be empty.
  /// - Throws: A ``TransportError`` with the code `invalidConfiguration` if an entry has another form.
  public init(_ list: String) throws(TransportError) { try self.init(list, named: "The list of hosts without a proxy") }

  init(_ list: String, named name: String) throws(TransportError) {
    for entryBytes in list.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }) {
      let text = (String(entryBytes) ?? "").asciiLowercased
      guard let entry = Self.parseEntry(text) else {
        throw TransportError(
          .invalidConfiguration, "\(name) has the entry \(text), which is no host, address or network.",
          remedy: "Use entries such as example.com, .example.com, 10.0.0.0/8, 192.0.2.7, [2001:db8::7]:8443 or *.")
      }
      entries.append(entry)
    }
  }

  private static func parseEntry(_ text: String) -> Entry? {
    if text == "*" { return .all }
    if let range = AddressRange(networkOf: text) { return .addresses(range, port: nil) }
    let withoutAsterisk = text.removingBytePrefix("*.") ?? text[...]
    let authority = String(withoutAsterisk.removingBytePrefix(".") ?? withoutAsterisk)
    guard isHost(authority) else { return nil }
    let hasPort = hostWithoutPort(authority).utf8.count < authority.utf8.count
    // The default is never used: an entry without a port stands for all ports.
    guard let parts = AuthorityParts(authority, defaultPort: 1), !parts.host.isEmpty else { return nil }
    let port = hasPort ? parts.port : nil
    if let range = AddressRange(networkOf: parts.host) { return .addresses(range, port: port) }
    return .domain(parts.host, port: port)
  }

  /// Returns whether the list contains a host, in lowercase and without brackets and final dot.
  func contains(host: String, port: Int) -> Bool {
    guard !entries.isEmpty else { return false }
    let address = NetworkAddress(host)
    return entries.contains { entry in
      switch entry {
      case .all: true
      case .domain(let domain, let requiredPort):
        address == nil && (requiredPort == nil || requiredPort == port)
          && (host == domain || host.hasByteSuffix(".\(domain)"))
      case .addresses(let range, let requiredPort):
        (requiredPort == nil || requiredPort == port) && address.map { range.contains($0) } ?? false
      }
    }
  }
}
