// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A check of whether the host of a URL or of a request's Host header always refers to this machine.
///
/// A loopback server that responds to every host name is readable by any web page: after the page is loaded, the
/// attacker makes the page's name resolve to 127.0.0.1 (DNS rebinding), and the browser then treats the server as the
/// page's origin. The Host header still contains the page's name.
package enum LoopbackHost {
  /// Returns whether an authority contains a name or an address of the loopback interface, with or without a port.
  ///
  /// Accepted are `localhost` and names that end in `.localhost` (RFC 6761, section 6.3), `::1`, and addresses in
  /// `127.0.0.0/8` as four decimal numbers. Case and a final dot are ignored.
  package static func isNamed(by authority: String?) -> Bool {
    // Any port will do, so that the default is never used.
    guard let authority, isHost(authority), let host = AuthorityParts(authority, defaultPort: 80)?.host else {
      return false
    }
    // Brackets are for IPv6 addresses alone: `[localhost]` and `[127.0.0.1]` are malformed.
    guard authority.beginsWithByte("[") == host.hasByte(":") else { return false }
    if let address = NetworkAddress(host) {
      return address.bytes.count == 4 ? address.bytes[0] == 127 : address.bytes == ipv6Loopback
    }
    let labels = host.parts(between: ".")
    return labels.last?.isIdentical(to: "localhost") == true && labels.allSatisfy { !$0.isEmpty }
  }

  private static let ipv6Loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]
}
