// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, compared by its bytes.
public struct NetworkAddress: Sendable, Hashable {
  /// The bytes of the address: 4 bytes for IPv4, 16 bytes for IPv6.
  package let bytes: [UInt8]

  /// Parses an IP address such as `203.0.113.7` or `2001:db8::7`; the result is `nil` for any other string.
  ///
  /// An IPv4-mapped IPv6 address (`::ffff:203.0.113.7`; RFC 4291, section 2.5.5.2) becomes the IPv4 address.
  public init?(_ text: some StringProtocol) {
    guard let bytes = text.hasByte(":") ? Self.parseIPv6(text) : Self.parseIPv4(text) else { return nil }
    let mappedPrefix = Self.mappedPrefix
    self.bytes = bytes.starts(with: mappedPrefix) ? Array(bytes.dropFirst(mappedPrefix.count)) : bytes
  }

  fileprivate static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]

  private static func parseIPv4(_ text: some StringProtocol) -> [UInt8]? {
    let parts = text.parts(between: ".")
    // Some parsers read a number with a leading zero as octal, so that its value would be ambiguous.
    let bytes = parts.compactMap { $0.utf8.count == 1 || !$0.beginsWithByte("0") ? UInt8(digits: $0) : nil }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func parseIPv6(_ text: some StringProtocol) -> [UInt8]? {
    // `::` stands for one or more groups of zeros, and may appear once.
    let halves = String(text).split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2, let lastBytes = parseGroups(halves[halves.count - 1], isLast: true) else { return nil }
    if halves.count == 1 { return lastBytes.count == 16 ? lastBytes : nil }
    guard let firstBytes = parseGroups(halves[0], isLast: false) else { return nil }
    let zeroCount = 16 - firstBytes.count - lastBytes.count
    return zeroCount >= 2 ? firstBytes + Array(repeating: 0, count: zeroCount) + lastBytes : nil
  }

  /// Parses groups of up to four hexadecimal digits in an IPv6 address; the last group may be an IPv4 address.
  private static func parseGroups(_ text: Substring, isLast: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let parts = text.parts(between: ":")
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, part.hasByte("."), let ipv4Bytes = parseIPv4(part) {
        bytes += ipv4Bytes
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

/// A range of IP addresses that start with the same bits: a single address, or a network such as `203.0.113.0/24`.
///
/// Ranges are equal only if they also have the same spelling.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  /// The address range in its original spelling.
  public let description: String
  /// Whether the range is written with IPv6 addresses, which can be IPv4-mapped.
  package var isIPv6: Bool { description.hasByte(":") }
  private let address: NetworkAddress
  private let prefixLength: Int

  /// Parses a range such as `203.0.113.0/24`, or returns `nil` for another string or bits beyond the prefix length.
  public init?(_ text: String) {
    self.init(networkOf: text)
    guard (prefixLength..<address.bytes.count * 8).allSatisfy({ !address.isBitSet($0) }) else { return nil }
  }

  /// Parses a range such as `10.217.182.3/24`, as documents of vendors contain, ignoring bits beyond the prefix length.
  package init?(networkOf text: String) {
    let parts = text.parts(between: "/")
    guard parts.count <= 2, let address = NetworkAddress(parts[0]) else { return nil }
    var prefixLength = address.bytes.count * 8
    if parts.count == 2 {
      // The prefix length counts the bits of the written address, of which an IPv4-mapped one has 96 more.
      let isMapped = address.bytes.count == 4 && parts[0].hasByte(":")
      let mappedBitCount = isMapped ? NetworkAddress.mappedPrefix.count * 8 : 0
      guard let length = Int(digits: parts[1]), parts[1] == String(length),
        (mappedBitCount...mappedBitCount + prefixLength).contains(length)
      else { return nil }
      prefixLength = length - mappedBitCount
    }
    self.address = address
    self.prefixLength = prefixLength
    description = text
  }

  /// Returns whether an IP address belongs to the range.
  public func contains(_ candidate: NetworkAddress) -> Bool {
    candidate.bytes.count == address.bytes.count
      && (0..<prefixLength).allSatisfy { candidate.isBitSet($0) == address.isBitSet($0) }
  }

  /// Returns whether every address in another range belongs to this range.
  public func contains(_ other: AddressRange) -> Bool { other.prefixLength >= prefixLength && contains(other.address) }
}

extension NetworkAddress {
  fileprivate func isBitSet(_ index: Int) -> Bool { bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0 }
}
