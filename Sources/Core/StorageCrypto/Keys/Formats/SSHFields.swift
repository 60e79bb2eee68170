// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of consecutive fields in the data types of SSH (RFC 4251, section 5).
struct SSHFields {
  private(set) var bytes: [UInt8] = []

  /// Appends a 32-bit integer as an SSH `uint32`.
  mutating func append(_ value: UInt32) {
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
    }
  }

  /// Appends bytes as an SSH `string`.
  mutating func append(_ string: [UInt8]) {
    append(UInt32(truncatingIfNeeded: string.count))
    bytes += string
  }

  mutating func append(_ text: String) { append(Array(text.utf8)) }

  /// Appends a non-negative integer, given as big-endian bytes, as an SSH `mpint`.
  mutating func append(number: [UInt8]) {
    let digits = number.drop { $0 == 0 }
    let sign = (digits.first ?? 0) >= 0x80 ? 1 : 0
    append(UInt32(truncatingIfNeeded: digits.count + sign))
    if sign == 1 { bytes.append(0) }
    bytes += digits
  }

  mutating func append(raw: [UInt8]) { bytes += raw }

  mutating func wipeBytes() { wipe(&bytes) }
}
