// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The structure of a host with an optional port, parsed in one pass over its bytes, because every signature needs it.
package struct HostName: BitwiseCopyable {
  /// The index at which the host ends; the rest of the authority is the port, with its colon.
  package let end: Int

  /// Whether the host is an IP address or `localhost`, which a bucket name cannot precede.
  package let isAddressOrLocalhost: Bool

  /// The index of the host's first dot, or `nil` if the host contains no dot.
  let firstDot: Int?

  let dots: Int

  /// Whether the parsed string is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
  package let isWellFormed: Bool

  package init(_ authority: Span<UInt8>) {
    if authority.count > 0, authority[0] == UInt8(ascii: "[") {
      self.init(bracketed: authority)
    } else {
      self.init(withoutBrackets: authority)
    }
  }

  private init(withoutBrackets authority: Span<UInt8>) {
    var index = 0
    var dots = 0
    var firstDot = 0
    var isWellFormed = true
    while index < authority.count {
      let left = authority.count &- index
      let lanes = ByteLanes(authority, from: index)
      let isDot = lanes.equal(UInt8(ascii: "."))
      // The range from `-` to `9` contains `-`, `.`, `/` and the digits.
      let isHost = lanes.areLetters.union(lanes.lie(from: UInt8(ascii: "-"), through: UInt8(ascii: "9")))
        .subtracting(lanes.equal(UInt8(ascii: "/"))).union(lanes.equal(UInt8(ascii: "_")))
      let stop = isHost.inverted.first
      let found = isDot.lanes(before: stop)
      if dots == 0 { firstDot = index &+ found.first }
      dots &+= found.count
      index &+= min(stop, left)
      if stop < min(left, 16) {
        if authority[index] == UInt8(ascii: ":") { break }
        isWellFormed = false
        index &+= 1
      }
    }
    let host = authority.extracting(..<index)
    end = index
    self.dots = dots
    self.firstDot = dots > 0 ? firstDot : nil
    self.isWellFormed = isWellFormed && index > 0 && Self.isPort(authority.extracting(index...))
    isAddressOrLocalhost =
      dots == 3
      ? host.end(ofRunFrom: 0) { $0.areDigits.union($0.equal(UInt8(ascii: "."))) } == index
      : index == 9 && Self.equalsIgnoringCase(host, "localhost")
  }

  /// Parses an IPv6 address in brackets, with an optional port.
  private init(bracketed authority: Span<UInt8>) {
    var index = 1
    var isWellFormed = true
    while index < authority.count, authority[index] != UInt8(ascii: "]") {
      switch authority[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"):
        break
      default: isWellFormed = false
      }
      index &+= 1
    }
    end = min(index &+ 1, authority.count)
    self.isWellFormed =
      isWellFormed && index >= 3 && index < authority.count && Self.isPort(authority.extracting(end...))
    dots = 0
    firstDot = nil
    isAddressOrLocalhost = true
  }

  /// Returns whether a string is empty, or a colon followed by a valid port number.
  private static func isPort(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: ":"), (2...6).contains(text.count) else { return false }
    var port = 0
    for index in 1..<text.count {
      guard text[index].isASCIIDigit else { return false }
      port = port * 10 + Int(text[index] - UInt8(ascii: "0"))
    }
    return (1...65_535).contains(port)
  }

  static func equalsIgnoringCase(_ text: Span<UInt8>, _ lowered: StaticString) -> Bool {
    guard text.count == lowered.utf8CodeUnitCount else { return false }
    return lowered.withUTF8Buffer { lowered in
      let lowered = unsafe Span(_unsafeElements: lowered)
      var index = 0
      while index < text.count {
        let lanes = ByteLanes(text, from: index).lowercased
        if lanes.equal(ByteLanes(lowered, from: index)).inverted.first < 16 { return false }
        index &+= 16
      }
      return true
    }
  }
}

/// Returns whether a string is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
package func isHost(_ text: String) -> Bool { withBytes(of: text) { HostName($0).isWellFormed } }

package func hostWithoutPort(_ authority: String) -> String {
  withBytes(of: authority) { bytes in
    let end = HostName(bytes).end
    return end == bytes.count ? authority : String(writing: { $0.append(bytes.extracting(0..<end)) })
  }
}

/// Returns whether a host, with or without a port, is an IP address or `localhost`, which a bucket name cannot precede.
package func isAddressOrLocalhost(_ authority: String) -> Bool {
  withBytes(of: authority) { HostName($0).isAddressOrLocalhost }
}

/// Returns whether a host, with or without a port, always refers to this machine.
///
/// Such hosts are `localhost`, names that end in `.localhost`, addresses in 127.0.0.0/8, and `[::1]`.
package func isLoopbackHost(_ authority: String) -> Bool {
  let host = hostWithoutPort(authority).asciiLowercased
  if host == "localhost" || host.hasByteSuffix(".localhost") || host == "[::1]" { return true }
  return host.hasBytePrefix("127.") && isAddressOrLocalhost(host)
}

/// The host and the port of an authority.
struct AuthorityParts {
  /// The host in lowercase, without brackets and without a final dot.
  let host: String
  let port: Int

  /// Parses a well-formed authority; the result is `nil` if the port is not a number from 1 to 65535.
  init?(_ authority: String, defaultPort: Int) {
    let name = hostWithoutPort(authority)
    let digits = authority.removingBytePrefix(name)?.removingBytePrefix(":")
    guard let port = digits.map({ Int(digits: $0) }) ?? defaultPort, (1...65_535).contains(port) else { return nil }
    let bare = name.hasBytePrefix("[") ? String(name.dropFirst().dropLast()) : name
    host = (bare.removingByteSuffix(".").map(String.init) ?? bare).asciiLowercased
    self.port = port
  }
}
