// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ByteWriter {
  /// Appends bytes as Base64 with padding (RFC 4648, section 4).
  package mutating func append(base64 bytes: Span<UInt8>) {
    forEachBase64Group(of: bytes) { writer, digits, _ in writer.append(lanes: UInt64(digits), count: 4) }
  }

  package mutating func append(base64 bytes: [UInt8]) { bytes.withElements { append(base64: $0) } }

  package mutating func append(base64 digest: Digest) { digest.withBytes { append(base64: $0) } }

  /// Appends a digest as percent-encoded Base64 with padding, for use in a URL.
  package mutating func append(percentEncodedBase64 digest: Digest) {
    digest.withBytes { bytes in
      forEachBase64Group(of: bytes) { writer, digits, isKept in
        if isKept { return writer.append(lanes: UInt64(digits), count: 4) }
        // Within the reserved space: four digits of three bytes each.
        var location = writer.reserve(12)
        for digit in 0..<4 as Range<UInt32> {
          writer.put(encoding: UInt8(truncatingIfNeeded: digits &>> (8 &* digit)), at: &location)
        }
        writer.giveBack(from: location)
      }
    }
  }

  /// Writes a percent-encoded Base64 digit to reserved space for three bytes.
  @inline(__always)
  private mutating func put(encoding digit: UInt8, at location: inout Int) {
    guard URLByte.kind(of: digit) != URLByte.unreserved else {
      unsafe put(digit, at: location)
      location &+= 1
      return
    }
    unsafe put(UInt8(ascii: "%"), at: location)
    unsafe put(escapeDigit(digit &>> 4, .asWritten), at: location &+ 1)
    unsafe put(escapeDigit(digit & 0xf, .asWritten), at: location &+ 2)
    location &+= 3
  }

  /// Calls `body` for each group of three bytes, with the four Base64 digits of the group.
  ///
  /// The first digit is in the lowest byte. `isKept` is `true` if all digits are letters or decimal digits.
  @inline(__always)
  private mutating func forEachBase64Group(
    of bytes: Span<UInt8>, _ body: (inout ByteWriter, _ digits: UInt32, _ isKept: Bool) -> Void
  ) {
    var index = 0
    while index &+ 3 <= bytes.count {
      // Within bounds: three bytes are left.
      let (first, second, third) = unsafe (
        bytes[unchecked: index], bytes[unchecked: index &+ 1], bytes[unchecked: index &+ 2]
      )
      let values = base64Values(of: UInt32(first) &<< 16 | UInt32(second) &<< 8 | UInt32(third))
      // A value plus two reaches 64 exactly if the digit is a plus sign or a slash.
      body(&self, base64Digits(of: values), (values &+ 0x0202_0202) & 0x4040_4040 == 0)
      index &+= 3
    }
    guard index < bytes.count else { return }
    let hasTwo = index &+ 1 < bytes.count
    let bits = UInt32(bytes[index]) &<< 16 | (hasTwo ? UInt32(bytes[index &+ 1]) &<< 8 : 0)
    let digits = base64Digits(of: base64Values(of: bits))
    body(&self, hasTwo ? digits & 0x00ff_ffff | 0x3d00_0000 : digits & 0xffff | 0x3d3d_0000, false)
  }
}

private let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/// Returns the values of the four Base64 digits for 24 bits, with that of the highest six bits in the lowest byte.
@inline(__always)
private func base64Values(of bits: UInt32) -> UInt32 {
  bits &>> 18 | (bits &>> 4) & 0x3f00 | (bits &<< 10) & 0x3f_0000 | (bits &<< 24) & 0x3f00_0000
}

@inline(__always)
private func base64Digits(of values: UInt32) -> UInt32 {
  base64Digit(values) | base64Digit(values &>> 8) &<< 8 | base64Digit(values &>> 16) &<< 16
    | base64Digit(values &>> 24) &<< 24
}

@inline(__always)
private func base64Digit(_ value: UInt32) -> UInt32 {
  // Within bounds: six bits are at most 63, and the alphabet has 64 characters.
  UInt32(unsafe alphabet.utf8Start[Int(value & 0x3f)])
}

extension [UInt8] {
  /// Creates an array from Base64 with padding (RFC 4648, section 4), whose unused bits must be zero.
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
