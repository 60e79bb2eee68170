// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension ByteWriter {
  package mutating func append(hex bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      let digits = ByteLanes(bytes, from: index).hexDigits
      append(digits.first, digits.second, count: 2 &* min(bytes.count &- index, 16))
      index &+= 16
    }
  }

  package mutating func append(hex bytes: [UInt8]) { bytes.withElements { append(hex: $0) } }
  package mutating func append(hex digest: Digest) { digest.withBytes { append(hex: $0) } }
}

extension ByteLanes {
  /// The lowercase hexadecimal digits of the bytes, those of the first eight bytes and those of the others.
  @inline(__always) fileprivate var hexDigits: (first: ByteLanes, second: ByteLanes) {
    var digits = SIMD32<UInt8>()
    digits.evenHalf = ByteLanes(bytes &>> 4).digits
    digits.oddHalf = ByteLanes(bytes & 0x0f).digits
    return (ByteLanes(digits.lowHalf), ByteLanes(digits.highHalf))
  }

  @inline(__always) private var digits: SIMD16<UInt8> {
    let zeros = SIMD16(repeating: UInt8(ascii: "0"))
    return bytes
      &+ zeros.replacing(with: SIMD16(repeating: UInt8(ascii: "a") - 10), where: lie(from: 10, through: 15).mask)
  }
}

/// Returns the value of a hexadecimal digit in uppercase or lowercase, or `nil` for any other byte.
@inlinable package func hexValue(_ digit: UInt8) -> UInt8? {
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
