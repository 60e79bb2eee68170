// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension ByteWriter {
  /// Appends bytes as Base64 with padding (RFC 4648, section 4).
  package mutating func append(base64 bytes: Span<UInt8>) {
    forEachBase64Group(of: bytes) { writer, digits, count, _ in writer.append(lanes: digits, count: count) }
  }

  package mutating func append(base64 bytes: [UInt8]) { bytes.withElements { append(base64: $0) } }
  package mutating func append(base64 digest: Digest) { digest.withBytes { append(base64: $0) } }

  /// Appends a digest as percent-encoded Base64 with padding, for use in a URL.
  package mutating func append(percentEncodedBase64 digest: Digest) {
    digest.withBytes { bytes in
      forEachBase64Group(of: bytes) { writer, digits, count, isUnreserved in
        if isUnreserved { return writer.append(lanes: digits, count: count) }
        // Within the reserved space: at most eight digits of three bytes each.
        var location = writer.reserve(24)
        for digit in 0..<UInt64(truncatingIfNeeded: count) {
          writer.put(encoding: UInt8(truncatingIfNeeded: digits &>> (8 &* digit)), at: &location)
        }
        writer.releaseReserved(from: location)
      }
    }
  }

  /// Writes a percent-encoded Base64 digit to reserved space for three bytes.
  @inline(__always) private mutating func put(encoding digit: UInt8, at location: inout Int) {
    guard URLByte.byteClass(of: digit) != URLByte.unreserved else {
      unsafe put(digit, at: location)
      location &+= 1
      return
    }
    unsafe put(UInt8(ascii: "%"), at: location)
    unsafe put(escapeDigit(digit &>> 4, .asWritten), at: location &+ 1)
    unsafe put(escapeDigit(digit & 0xf, .asWritten), at: location &+ 2)
    location &+= 3
  }

  /// Calls `body` for each group of six bytes, and for the rest, with the eight or four Base64 digits of the group.
  ///
  /// The first digit is in the lowest byte. `isUnreserved` is `true` if all digits are letters or decimal digits.
  @inline(__always) private mutating func forEachBase64Group(
    of bytes: Span<UInt8>, _ body: (inout ByteWriter, _ digits: UInt64, _ count: Int, _ isUnreserved: Bool) -> Void
  ) {
    var index = 0
    while index &+ 6 <= bytes.count {
      let values = base64Values(of: bytes, at: index) | base64Values(of: bytes, at: index &+ 3) &<< 32
      // A value plus two reaches 64 exactly if the digit is a plus sign or a slash.
      let isUnreserved = (values &+ 0x0202_0202_0202_0202) & 0x4040_4040_4040_4040 == 0
      body(&self, base64Digits(of: values), 8, isUnreserved)
      index &+= 6
    }
    if index &+ 3 <= bytes.count {
      body(&self, base64Digits(of: base64Values(of: bytes, at: index)), 4, false)
      index &+= 3
    }
    guard index < bytes.count else { return }
    let hasTwoBytes = index &+ 1 < bytes.count
    let digits = base64Digits(of: base64Values(of: bytes[index], hasTwoBytes ? bytes[index &+ 1] : 0, 0))
    body(&self, hasTwoBytes ? digits & 0x00ff_ffff | 0x3d00_0000 : digits & 0xffff | 0x3d3d_0000, 4, false)
  }
}

/// Returns the values of the four Base64 digits for the three bytes at an index, which must be within the bytes.
@inline(__always) private func base64Values(of bytes: Span<UInt8>, at index: Int) -> UInt64 {
  // Within bounds: the callers have compared the index with the count.
  unsafe base64Values(of: bytes[unchecked: index], bytes[unchecked: index &+ 1], bytes[unchecked: index &+ 2])
}

/// Returns the values of the four Base64 digits for three bytes, with the value of the first digit in the lowest byte.
@inline(__always) private func base64Values(of first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt64 {
  let bits = UInt64(first) &<< 16 | UInt64(second) &<< 8 | UInt64(third)
  return bits &>> 18 | (bits &>> 4) & 0x3f00 | (bits &<< 10) & 0x3f_0000 | (bits &<< 24) & 0x3f00_0000
}

/// Returns the Base64 digits for eight values, each in one byte.
@inline(__always) private func base64Digits(of values: UInt64) -> UInt64 {
  // Each byte of the constants makes a byte reach 128 exactly if its value is at least 26, 52, 62 or 63.
  let ones: UInt64 = 0x0101_0101_0101_0101
  let small = (values &+ ones &* (128 - 26)) &>> 7 & ones
  let decimal = (values &+ ones &* (128 - 52)) &>> 7 & ones
  let plus = (values &+ ones &* (128 - 62)) &>> 7 & ones
  let slash = (values &+ ones &* (128 - 63)) &>> 7 & ones
  // Borrows between bytes cancel out, because each byte of the sum is a character.
  return values &+ ones &* 65 &+ small &* 6 &- decimal &* 75 &- plus &* 15 &+ slash &* 3
}

extension [UInt8] {
  package var base64: String { String(writing: { $0.append(base64: self) }) }

  /// Parses Base64 with padding (RFC 4648, section 4), whose unused bits must be zero.
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
