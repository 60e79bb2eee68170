// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A reader of values in the Distinguished Encoding Rules of ASN.1 (ITU-T X.690).
///
/// Every function returns `nil` if the next value is truncated, has another type, or is out of range. A value of the
/// right type is consumed even if it is out of range. Lengths may have more bytes than the minimum that DER requires.
package struct DERReader {
  /// The maximum length of an object identifier, in bytes; those of key algorithms have at most eleven.
  private static let identifierByteLimit = 32

  private var remainingBytes: ArraySlice<UInt8>

  package init(_ bytes: some Sequence<UInt8>) { remainingBytes = ArraySlice(bytes) }

  package var nextTag: UInt8? { remainingBytes.first }

  /// Reads the next value, which must have the given tag, and returns its contents.
  package mutating func contents(taggedWith tag: UInt8) -> ArraySlice<UInt8>? {
    guard remainingBytes.first == tag else { return nil }
    var afterTag = remainingBytes.dropFirst()
    guard let lengthByte = afterTag.popFirst() else { return nil }
    var count = UInt64(lengthByte)
    if lengthByte >= 0x80 {
      // The long form: the byte counts the bytes of the length, which follow it. Four of them are more than enough.
      let digits = afterTag.prefix(Int(lengthByte & 0x7f))
      guard (1...4).contains(digits.count), digits.count == Int(lengthByte & 0x7f) else { return nil }
      count = digits.reduce(0) { $0 << 8 | UInt64($1) }
      afterTag = afterTag.dropFirst(digits.count)
    }
    guard let count = Int(exactly: count), count <= afterTag.count else { return nil }
    remainingBytes = afterTag.dropFirst(count)
    return afterTag.prefix(count)
  }

  package mutating func sequence() -> DERReader? { contents(taggedWith: DERTag.sequence).map { DERReader($0) } }
  package mutating func octets() -> [UInt8]? { contents(taggedWith: DERTag.octets).map { Array($0) } }

  /// Reads the next INTEGER, which must be non-negative and have at most seven bytes.
  package mutating func integer() -> Int? {
    guard let digits = contents(taggedWith: DERTag.integer), let first = digits.first, first < 0x80, digits.count < 8
    else { return nil }
    return Int(exactly: digits.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// Reads the next INTEGER, which must be non-negative, and returns its bytes without leading zeros.
  package mutating func magnitude() -> [UInt8]? {
    guard let digits = contents(taggedWith: DERTag.integer), let first = digits.first, first < 0x80 else { return nil }
    return Array(digits.drop { $0 == 0 })
  }

  /// Reads the next BIT STRING, which must consist of whole bytes.
  package mutating func bits() -> [UInt8]? {
    guard let bytes = contents(taggedWith: DERTag.bits), bytes.first == 0 else { return nil }
    return Array(bytes.dropFirst())
  }

  /// Reads the next OBJECT IDENTIFIER, and returns it in dotted decimal notation.
  package mutating func identifier() -> String? {
    guard let bytes = contents(taggedWith: DERTag.identifier), bytes.count <= Self.identifierByteLimit,
      (bytes.last ?? 0x80) < 0x80
    else { return nil }
    var arcs: [UInt64] = []
    var value: UInt64 = 0
    for byte in bytes {
      // A longer value would lose its first bits when the next seven are added.
      guard value < 1 << 56 else { return nil }
      value = value << 7 | UInt64(byte & 0x7f)
      guard byte < 0x80 else { continue }
      if arcs.isEmpty {
        // The first value has the first two arcs: X * 40 + Y (X.690, section 8.19.4).
        let root = min(value / 40, 2)
        arcs = [root, value - root * 40]
      } else {
        arcs.append(value)
      }
      value = 0
    }
    return arcs.map { "\($0)" }.joined(separator: ".")
  }
}

/// The tags of the values in keys (X.690, section 8).
enum DERTag {
  static let integer: UInt8 = 0x02
  static let bits: UInt8 = 0x03
  static let octets: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let identifier: UInt8 = 0x06
  static let sequence: UInt8 = 0x30
  /// The explicit tags `[0]` and `[1]`, such as those of the parameters and the public key of an ECPrivateKey.
  static let explicit0: UInt8 = 0xa0
  static let explicit1: UInt8 = 0xa1
}

/// An encoder of the values in keys by the same rules.
enum DER {
  static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    // The short form of the length has one byte, the long form a byte that counts the bytes after it.
    let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: contents.count >> (8 * $0)) }.drop { $0 == 0 }
    let length = contents.count < 0x80 ? [UInt8(contents.count)] : [0x80 | UInt8(digits.count)] + digits
    return [tag] + length + contents
  }

  /// Returns the encoding of a non-negative integer that is given as big-endian bytes.
  static func integer(_ number: [UInt8]) -> [UInt8] {
    let digits = Array(number.drop { $0 == 0 })
    // Zero needs a byte, and a first bit that is set would make the integer negative.
    return value(DERTag.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
  }

  static func bits(_ bytes: [UInt8]) -> [UInt8] { value(DERTag.bits, [0] + bytes) }
  static func sequence(_ values: [[UInt8]]) -> [UInt8] { value(DERTag.sequence, values.flatMap { $0 }) }
}
