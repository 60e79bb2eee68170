private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

extension ByteWriter {
  /// Appends bytes in Base64 with padding (RFC 4648, part 4).
  package mutating func append(base64 bytes: Span<UInt8>) {
    forEachBase64Digit(of: bytes) { writer, digit in writer.append(digit) }
  }

  /// Appends a digest in Base64 with padding, percent-encoded for a URL.
  package mutating func append(percentEncodedBase64 digest: Digest) {
    digest.withBytes { bytes in
      forEachBase64Digit(of: bytes) { writer, digit in writer.append(percentEncoding: digit) }
    }
  }

  @inline(__always)
  private mutating func forEachBase64Digit(
    of bytes: Span<UInt8>, _ body: (inout ByteWriter, UInt8) -> Void
  ) {
    let digits = alphabet.span
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let first = bytes[index]
      let second = left > 1 ? bytes[index + 1] : 0
      let third = left > 2 ? bytes[index + 2] : 0
      body(&self, digits[Int(first >> 2)])
      body(&self, digits[Int((first & 0x03) << 4 | second >> 4)])
      body(&self, left > 1 ? digits[Int((second & 0x0f) << 2 | third >> 6)] : UInt8(ascii: "="))
      body(&self, left > 2 ? digits[Int(third & 0x3f)] : UInt8(ascii: "="))
      index += 3
    }
  }

  /// Appends a digest in Base64 with padding.
  package mutating func append(base64 digest: Digest) {
    digest.withBytes { append(base64: $0) }
  }
}

extension [UInt8] {
  /// Reads Base64 with padding (RFC 4648, part 4); nothing for anything else, also for bits that nobody may set.
  package init?(base64 text: String) {
    var bytes: [UInt8] = []
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    bytes.reserveCapacity(digits.count / 4 * 3)
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits.dropLast(padding) {
      guard let value = base64Value(digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    guard bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
    self = bytes
  }
}

private func base64Value(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
  case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
  case UInt8(ascii: "+"): 62
  case UInt8(ascii: "/"): 63
  default: nil
  }
}
