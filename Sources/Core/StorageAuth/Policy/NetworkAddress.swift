// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, compared by its bytes.
public struct NetworkAddress: Sendable, Hashable {
  /// The bytes of the address: 4 bytes for IPv4, 16 bytes for IPv6.
  package let bytes: [UInt8]

  /// Parses an IP address such as `203.0.113.7` or `2001:db8::7`; the result is `nil` for any other string.
  ///
  /// An IPv4-mapped IPv6 address (`::ffff:203.0.113.7`; RFC 4291, section 2.5.5.2) becomes the IPv4 address.
  ///
  /// - Parameter text: An IPv4 or IPv6 address without a port.
  public init?(_ text: some StringProtocol) {
    guard let bytes = text.hasByte(":") ? Self.parseIPv6(text) : Self.parseIPv4(text) else { return nil }
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
    self.bytes = bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
  }

  private static func parseIPv4(_ text: some StringProtocol) -> [UInt8]? {
    let parts = text.parts(between: ".")
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      // Some parsers read a number with a leading zero as octal, so that its value would be ambiguous.
      guard let byte = UInt8(digits: part), part.utf8.count == 1 || !part.hasBytePrefix("0") else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func parseIPv6(_ text: some StringProtocol) -> [UInt8]? {
    let halves = String(text).split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    var ends: [[UInt8]] = []
    for (index, half) in halves.enumerated() {
      guard let bytes = parseGroups(half, isLast: index == halves.count - 1) else { return nil }
      ends.append(bytes)
    }
    guard ends.count == 2 else { return ends[0].count == 16 ? ends[0] : nil }
    let gap = 16 - ends[0].count - ends[1].count
    return gap >= 2 ? ends[0] + Array(repeating: 0, count: gap) + ends[1] : nil
  }

  /// Parses groups of up to four hexadecimal digits in an IPv6 address; the last group may be an IPv4 address.
  private static func parseGroups(_ text: Substring, isLast: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let parts = text.parts(between: ":")
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, part.hasByte("."), let last = parseIPv4(part) {
        bytes += last
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
          let group = UInt16(part, radix: 16)
        else { return nil }
        bytes += [UInt8(group >> 8), UInt8(group & 0xff)]
      }
    }
    return bytes
  }
}
