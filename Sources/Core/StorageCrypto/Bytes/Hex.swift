// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ByteWriter {
  /// Appends bytes as lowercase hexadecimal digits.
  package mutating func append(hex bytes: Span<UInt8>) {
    var index = 0
    while index &+ 4 <= bytes.count {
      // Within bounds: four bytes are left. Every bit pattern is valid, and the load does not require alignment.
      let four = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
      append(lanes: hexDigits(of: UInt32(littleEndian: four)))
      index &+= 4
    }
    while index < bytes.count {
      append(lanes: hexDigits(of: UInt32(bytes[index])), count: 2)
      index &+= 1
    }
  }

  package mutating func append(hex bytes: [UInt8]) { bytes.withElements { append(hex: $0) } }

  package mutating func append(hex digest: Digest) { digest.withBytes { append(hex: $0) } }
}

/// Returns the lowercase hexadecimal digits of four bytes, the lowest first, as the eight bytes of an integer.
@inline(__always)
private func hexDigits(of bytes: UInt32) -> UInt64 {
  // Each byte moves to the lower half of two lanes, then its upper four bits to the first and the others to the second.
  var spread = UInt64(bytes)
  spread = (spread | spread &<< 16) & 0x0000_ffff_0000_ffff
  spread = (spread | spread &<< 8) & 0x00ff_00ff_00ff_00ff
  let digits = (spread &>> 4 | spread &<< 8) & 0x0f0f_0f0f_0f0f_0f0f
  // A digit plus six reaches 16 exactly if it is a letter.
  let letters = (digits &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
  return digits &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") &- UInt8(ascii: "0") &- 10)
}

/// Returns the value of a hexadecimal digit in uppercase or lowercase, or `nil` for any other byte.
@inlinable
package func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

extension [UInt8] {
  package init?(hex text: String) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexValue(digits[index]), let low = hexValue(digits[index + 1]) else { return nil }
      append(high << 4 | low)
    }
  }
}
