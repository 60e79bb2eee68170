extension ByteWriter {
  /// Appends bytes in Base64 with padding (RFC 4648, part 4).
  package mutating func append(base64 bytes: Span<UInt8>) {
    forEachBase64Group(of: bytes) { writer, digits in
      // Within what is reserved: four digits.
      let start = writer.reserve(4)
      unsafe writer.put(digits.0, at: start)
      unsafe writer.put(digits.1, at: start &+ 1)
      unsafe writer.put(digits.2, at: start &+ 2)
      unsafe writer.put(digits.3, at: start &+ 3)
    }
  }

  /// Appends a digest in Base64 with padding, percent-encoded for a URL.
  package mutating func append(percentEncodedBase64 digest: Digest) {
    digest.withBytes { bytes in
      forEachBase64Group(of: bytes) { writer, digits in
        var place = writer.reserve(12)
        writer.put(encoding: digits.0, at: &place)
        writer.put(encoding: digits.1, at: &place)
        writer.put(encoding: digits.2, at: &place)
        writer.put(encoding: digits.3, at: &place)
        writer.giveBack(from: place)
      }
    }
  }

  /// Writes a Base64 digit, percent-encoded, where there is room for three bytes.
  @inline(__always)
  private mutating func put(encoding digit: UInt8, at place: inout Int) {
    if URLByte.kind(of: digit) == URLByte.unreserved {
      unsafe put(digit, at: place)
      place &+= 1
    } else {
      unsafe put(UInt8(ascii: "%"), at: place)
      unsafe put(escapeDigit(digit &>> 4, .asWritten), at: place &+ 1)
      unsafe put(escapeDigit(digit & 0xf, .asWritten), at: place &+ 2)
      place &+= 3
    }
  }

  @inline(__always)
  private mutating func forEachBase64Group(
    of bytes: Span<UInt8>, _ body: (inout ByteWriter, (UInt8, UInt8, UInt8, UInt8)) -> Void
  ) {
    var index = 0
    while index < bytes.count {
      let left = bytes.count &- index
      let first = bytes[index]
      let second = left > 1 ? bytes[index &+ 1] : 0
      let third = left > 2 ? bytes[index &+ 2] : 0
      body(
        &self,
        (
          base64Digit(first &>> 2),
          base64Digit((first & 0x03) &<< 4 | second &>> 4),
          left > 1 ? base64Digit((second & 0x0f) &<< 2 | third &>> 6) : UInt8(ascii: "="),
          left > 2 ? base64Digit(third & 0x3f) : UInt8(ascii: "=")
        ))
      index &+= 3
    }
  }

  /// Appends a digest in Base64 with padding.
  package mutating func append(base64 digest: Digest) {
    digest.withBytes { append(base64: $0) }
  }
}

private let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/// Returns the Base64 digit of the lower six bits of a value.
@inline(__always)
private func base64Digit(_ value: UInt8) -> UInt8 {
  // Within bounds: six bits count to 63, and the alphabet has 64 letters.
  unsafe alphabet.utf8Start[Int(value & 0x3f)]
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
