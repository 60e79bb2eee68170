// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of the distinguished encoding rules (DER) of ASN.1 (X.690), limited to the values in private keys.
enum DER {
  /// Returns the encoding of a value with the given tag and contents.
  static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
      }
    return [tag] + length + contents
  }

  /// Returns the encoding of a non-negative integer that is given as big-endian bytes.
  static func integer(_ number: [UInt8]) -> [UInt8] {
    let digits = Array(number.drop { $0 == 0 })
    return value(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
  }

  /// Returns the encoding of bytes as a BIT STRING.
  static func bits(_ bytes: [UInt8]) -> [UInt8] {
    value(0x03, [0] + bytes)
  }

  /// Returns the encoding of a sequence of encoded values.
  static func sequence(_ values: [[UInt8]]) -> [UInt8] {
    value(0x30, values.flatMap { $0 })
  }
}
