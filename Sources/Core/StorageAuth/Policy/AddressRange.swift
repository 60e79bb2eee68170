// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A range of IP addresses that start with the same bits: a single address, or a network such as `203.0.113.0/24`.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  /// The address range in its original spelling.
  public let description: String

  package var isVersion6: Bool { address.bytes.count == 16 }

  private let address: NetworkAddress
  private let length: Int

  /// Parses an address range; the result is `nil` if the string is invalid or has bits set beyond the prefix length.
  ///
  /// - Parameter text: An address such as `203.0.113.7`, or a network such as `203.0.113.0/24`.
  public init?(_ text: String) {
    self.init(networkOf: text)
    guard (length..<address.bytes.count * 8).allSatisfy({ !address.bit($0) }) else { return nil }
  }

  /// Parses the network of an address with a prefix length, ignoring the bits beyond the prefix length.
  ///
  /// Documents of vendors contain ranges such as `10.217.182.3/24`.
  package init?(networkOf text: String) {
    let parts = text.parts(between: "/")
    guard parts.count <= 2, let address = NetworkAddress(parts[0]) else { return nil }
    let bitCount = address.bytes.count * 8
    guard let length = parts.count == 1 ? bitCount : Int(digits: parts[1]), (0...bitCount).contains(length),
      parts.count == 1 || parts[1] == String(length)
    else { return nil }
    self.address = address
    self.length = length
    description = text
  }

  /// Returns whether an IP address belongs to the range.
  ///
  /// - Parameter other: The address to look for in the range.
  public func contains(_ other: NetworkAddress) -> Bool {
    other.bytes.count == address.bytes.count && (0..<length).allSatisfy { other.bit($0) == address.bit($0) }
  }

  /// Returns whether every address in another range belongs to this range.
  ///
  /// - Parameter other: The range to compare with this range.
  public func contains(_ other: AddressRange) -> Bool { other.length >= length && contains(other.address) }
}

extension NetworkAddress {
  fileprivate func bit(_ index: Int) -> Bool { bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0 }
}
