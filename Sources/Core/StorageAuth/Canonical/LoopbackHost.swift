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
    guard let authority, let host = host(of: authority) else { return false }
    if let address = NetworkAddress(host) {
      return address.bytes.count == 4 ? address.bytes[0] == 127 : address.bytes == ipv6Loopback
    }
    let labels = host.asciiLowercased.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.last?.elementsEqual("localhost".utf8) == true && labels.allSatisfy { !$0.isEmpty }
  }

  private static let ipv6Loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]

  /// Returns the host without port, brackets and final dot, or `nil` for a malformed authority or a user name.
  private static func host(of authority: String) -> String? {
    let bytes = authority.utf8
    guard bytes.allSatisfy({ $0.isASCIILetterOrDigit || "._-:[]".utf8.contains($0) }) else { return nil }
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let address = authority[authority.utf8.index(after: authority.startIndex)..<end]
      return address.utf8.contains(UInt8(ascii: ":")) && isPort(bytes[bytes.index(after: end)...])
        ? String(address) : nil
    }
    guard isPort(authority.bytes(from: ":").utf8) else { return nil }
    let host = authority.bytes(before: ":")
    return String(host.removingByteSuffix(".") ?? host)
  }

  /// Returns whether the part of an authority after the host is empty, or a colon followed by one to five digits.
  private static func isPort(_ rest: Substring.UTF8View) -> Bool {
    guard let first = rest.first else { return true }
    let digits = rest.dropFirst()
    return first == UInt8(ascii: ":") && (1...5).contains(digits.count) && digits.allSatisfy { $0.isASCIIDigit }
  }
}
