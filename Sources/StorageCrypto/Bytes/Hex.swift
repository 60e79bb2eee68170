extension ByteWriter {
  /// Appends bytes in lower-case hexadecimal.
  package mutating func append(hex bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count {
      let end = min(start &+ 64, bytes.count)
      // Within what is reserved: two digits for each byte.
      var place = reserve(2 &* (end &- start))
      for index in start..<end {
        unsafe put(hexDigit(bytes[index] &>> 4), at: place)
        unsafe put(hexDigit(bytes[index] & 0xf), at: place &+ 1)
        place &+= 2
      }
      start = end
    }
  }

  /// Appends a digest in lower-case hexadecimal.
  package mutating func append(hex digest: Digest) {
    digest.withBytes { append(hex: $0) }
  }
}

/// Returns the lower-case hexadecimal digit of a value from 0 to 15.
@inline(__always)
private func hexDigit(_ value: UInt8) -> UInt8 {
  value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
}

/// The value of a hexadecimal digit in either case, or nothing.
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
  /// Reads hexadecimal text in either case; nothing for anything else.
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
