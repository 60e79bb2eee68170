// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A check of whether a host always refers to this machine, such as that of a URL or of a request's Host header.
///
/// A loopback server that responds to every host name is readable by any web page: after the page is loaded, the
/// attacker makes the page's name resolve to 127.0.0.1 (DNS rebinding), and the browser then treats the server as the
/// page's origin. The Host header still contains the page's name.
package enum LoopbackHost {
  /// Returns whether an authority contains a name or an address of the loopback interface, with or without a port.
  ///
  /// The function accepts `localhost` and names that end in `.localhost`, which always refer to this machine (RFC 6761,
  /// section 6.3), addresses in `127.0.0.0/8`, and `::1`. It ignores case and a final dot. It does not accept IPv4
  /// addresses in notations other than four decimal numbers.
  package static func isNamed(by authority: String?) -> Bool {
    guard let authority, let host = host(of: authority) else { return false }
    if let address = NetworkAddress(host) {
      return address.bytes.count == 4 ? address.bytes[0] == 127 : address.bytes == ipv6Loopback
    }
    let labels = host.asciiLowercased.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.last.map { $0.elementsEqual("localhost".utf8) } ?? false && labels.allSatisfy { !$0.isEmpty }
  }

  /// The bytes of the address `::1`.
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
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard isPort(bytes[end...]) else { return nil }
    let host = authority[..<end]
    return String(host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host)
  }

  /// Returns whether the part of an authority after the host is empty, or a colon followed by one to five digits.
  private static func isPort(_ rest: Substring.UTF8View) -> Bool {
    guard let first = rest.first else { return true }
    let digits = rest.dropFirst()
    return first == UInt8(ascii: ":") && (1...5).contains(digits.count) && digits.allSatisfy { $0.isASCIIDigit }
  }
}
