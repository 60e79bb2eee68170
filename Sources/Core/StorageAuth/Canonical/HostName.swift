// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The structure of a host with an optional port, parsed in one pass over its bytes, because every signature needs it.
package struct HostName: BitwiseCopyable {
  /// The index at which the host ends; the rest of the authority is the port, with its colon.
  package let end: Int
  /// Whether the host is an IP address or `localhost`, which a bucket name cannot precede.
  package let isAddressOrLocalhost: Bool
  /// The index of the first dot in the host, or `nil` for a host without dots and for an address in brackets.
  let firstDot: Int?
  let dotCount: Int
  /// Whether the parsed string is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
  package let isWellFormed: Bool

  package init(_ authority: Span<UInt8>) {
    if authority.count > 0, authority[0] == UInt8(ascii: "[") {
      self.init(bracketed: authority)
    } else {
      self.init(withoutBrackets: authority)
    }
  }

  /// Parses a host name or an IPv4 address, with an optional port; the bytes are inspected sixteen at a time.
  @inline(__always) private init(withoutBrackets authority: Span<UInt8>) {
    var index = 0
    var dotCount = 0
    var firstDot = 0
    var isWellFormed = true
    while index < authority.count {
      let remainingByteCount = authority.count &- index
      let lanes = ByteLanes(authority, from: index)
      let isDot = lanes.equal(UInt8(ascii: "."))
      // The range from `-` to `9` contains `-`, `.`, `/` and the digits.
      let isHostByte = lanes.areLetters.union(lanes.lie(from: UInt8(ascii: "-"), through: UInt8(ascii: "9")))
        .subtracting(lanes.equal(UInt8(ascii: "/"))).union(lanes.equal(UInt8(ascii: "_")))
      let hostByteCount = isHostByte.inverted.first
      let dots = isDot.lanes(before: hostByteCount)
      if dotCount == 0 { firstDot = index &+ dots.first }
      dotCount &+= dots.count
      index &+= min(hostByteCount, remainingByteCount)
      if hostByteCount < min(remainingByteCount, 16) {
        if authority[index] == UInt8(ascii: ":") { break }
        isWellFormed = false
        index &+= 1
      }
    }
    let host = authority.extracting(..<index)
    end = index
    self.dotCount = dotCount
    self.firstDot = dotCount > 0 ? firstDot : nil
    self.isWellFormed = isWellFormed && index > 0 && Self.isPort(authority.extracting(index...))
    // Three dots between digits are an IPv4 address; the 9 bytes are those of `localhost`.
    isAddressOrLocalhost =
      dotCount == 3
      ? host.end(ofRunFrom: 0) { $0.areDigits.union($0.equal(UInt8(ascii: "."))) } == index
      : index == 9 && Self.equalsIgnoringCase(host, "localhost")
  }

  /// Parses an IPv6 address in brackets, with an optional port.
  private init(bracketed authority: Span<UInt8>) {
    var index = 1
    var isWellFormed = true
    while index < authority.count, authority[index] != UInt8(ascii: "]") {
      let byte = authority[index]
      if !byte.isASCIILetterOrDigit, byte != UInt8(ascii: "."), byte != UInt8(ascii: ":") { isWellFormed = false }
      index &+= 1
    }
    end = min(index &+ 1, authority.count)
    self.isWellFormed =
      isWellFormed && index >= 3 && index < authority.count && Self.isPort(authority.extracting(end...))
    dotCount = 0
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

  /// Returns whether a text equals a lowercase text, in any letter case of ASCII.
  package static func equalsIgnoringCase(_ text: Span<UInt8>, _ lowercaseText: StaticString) -> Bool {
    guard text.count == lowercaseText.utf8CodeUnitCount else { return false }
    return lowercaseText.withUTF8Buffer { equalsIgnoringCase(text, lowercase: unsafe Span(_unsafeElements: $0)) }
  }

  package static func equalsIgnoringCase(_ text: Span<UInt8>, lowercase lowercaseText: String) -> Bool {
    guard text.count == lowercaseText.utf8.count else { return false }
    return withBytes(of: lowercaseText) { equalsIgnoringCase(text, lowercase: $0) }
  }

  /// Compares texts of the same length.
  private static func equalsIgnoringCase(_ text: Span<UInt8>, lowercase lowercaseText: Span<UInt8>) -> Bool {
    var index = 0
    while index < text.count {
      let lanes = ByteLanes(text, from: index).lowercased
      if lanes.equal(ByteLanes(lowercaseText, from: index)).inverted.first < 16 { return false }
      index &+= 16
    }
    return true
  }
}

/// Returns whether a string is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
package func isHost(_ text: String) -> Bool { withBytes(of: text) { HostName($0).isWellFormed } }

/// Returns a host without its port, in its own spelling.
package func hostWithoutPort(_ authority: String) -> String {
  withBytes(of: authority) { bytes in
    let end = HostName(bytes).end
    return end == bytes.count ? authority : String(writing: { $0.append(bytes.extracting(0..<end)) })
  }
}

package func isAddressOrLocalhost(_ authority: String) -> Bool {
  withBytes(of: authority) { HostName($0).isAddressOrLocalhost }
}

/// The host and the port of an authority.
struct AuthorityParts {
  /// The host in lowercase, without the brackets of an IPv6 address or the final dot of a name.
  let host: String
  let port: Int

  /// Parses a well-formed authority; the result is `nil` if the port is not a number from 1 to 65535.
  init?(_ authority: String, defaultPort: Int) {
    let writtenHost = hostWithoutPort(authority)
    let portDigits = authority.removingBytePrefix(writtenHost)?.removingBytePrefix(":")
    guard let port = portDigits.map({ Int(digits: $0) }) ?? defaultPort, (1...65_535).contains(port) else { return nil }
    self.port = port
    let isBracketed = writtenHost.hasBytePrefix("[")
    let name = writtenHost.removingByteSuffix(".") ?? writtenHost[...]
    host = (isBracketed ? writtenHost.dropFirst().dropLast() : name).asciiLowercased
  }
}
