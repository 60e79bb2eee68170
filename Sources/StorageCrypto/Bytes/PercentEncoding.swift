/// The bytes that stay as they are when text is percent-encoded; every other byte becomes `%XX` in upper case.
@usableFromInline
package struct PercentEncoding: Sendable {
  /// A bit for each byte below 64 that is kept.
  @usableFromInline let low: UInt64

  /// A bit for each byte from 64 to 127 that is kept.
  @usableFromInline let high: UInt64

  @inlinable
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  // The masks are constants, and not made from the characters, so that a loop over a text needs no look at a global.

  /// The unreserved characters of RFC 3986: letters, digits and `-_.~`.
  @inlinable package static var component: PercentEncoding {
    PercentEncoding(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  /// The unreserved characters and `/`, for the path of a URL.
  @inlinable package static var path: PercentEncoding {
    PercentEncoding(low: 0x03FF_E000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  /// Returns whether a byte stays as it is.
  @inlinable @inline(__always)
  package func keeps(_ byte: UInt8) -> Bool {
    let mask = byte & 0x40 == 0 ? low : high
    return byte < 0x80 && mask &>> UInt64(byte & 0x3f) & 1 != 0
  }
}

/// The case of the hexadecimal digits in an escape, or of a whole encoded text.
@usableFromInline
package enum EncodedCase: Sendable {
  /// Letters stay as they are, escapes are `%2F`.
  case asWritten
  /// Everything in lower case, escapes included: `%2f`.
  case lowered
  /// Letters in lower case, escapes in upper case: `%2F`.
  case loweredLetters
}

extension ByteWriter {
  /// Appends one byte percent-encoded.
  @inlinable @inline(__always)
  package mutating func append(
    percentEncoding byte: UInt8, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    if encoding.keeps(byte) {
      append(textCase == .asWritten ? byte : asciiLowercased(byte))
    } else {
      let start = reserve(3)
      put(UInt8(ascii: "%"), at: start)
      put(escapeDigit(byte &>> 4, textCase), at: start &+ 1)
      put(escapeDigit(byte & 0xf, textCase), at: start &+ 2)
    }
  }

  /// Appends bytes percent-encoded.
  @usableFromInline
  package mutating func append(
    percentEncoding bytes: Span<UInt8>, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    guard textCase == .asWritten else {
      for index in bytes.indices { append(percentEncoding: bytes[index], encoding, textCase) }
      return
    }
    var start = 0
    while start < bytes.count {
      var end = start
      // Within bounds: the index is below the count.
      while end < bytes.count, encoding.keeps(unsafe bytes[unchecked: end]) { end &+= 1 }
      if end > start { append(bytes.extracting(start..<end)) }
      if end < bytes.count {
        append(percentEncoding: bytes[end], encoding)
        end &+= 1
      }
      start = end
    }
  }

  /// Appends text percent-encoded.
  @inlinable
  package mutating func append(
    percentEncoding text: String, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    withBytes(of: text) { append(percentEncoding: $0, encoding, textCase) }
  }
}

extension Span<UInt8> {
  /// Whether all bytes stay as they are when they are percent-encoded.
  @inlinable
  package func isKept(by encoding: PercentEncoding) -> Bool {
    // Within bounds: the indices are the span's own.
    for index in indices where !encoding.keeps(unsafe self[unchecked: index]) { return false }
    return true
  }
}

/// Returns the digit of an escape for a value from 0 to 15.
@inlinable @inline(__always)
package func escapeDigit(_ value: UInt8, _ textCase: EncodedCase) -> UInt8 {
  value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: textCase == .lowered ? "a" : "A") &- 10)
}

/// Returns an ASCII letter in lower case, and any other byte as it is.
@inlinable @inline(__always)
package func asciiLowercased(_ byte: UInt8) -> UInt8 {
  byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

extension String {
  /// The text percent-encoded.
  package func percentEncoded(_ encoding: PercentEncoding = .component) -> String {
    String(writing: { $0.append(percentEncoding: self, encoding) })
  }

  /// The bytes of the text with every escape undone, or nothing where an escape is broken.
  package func percentDecodedBytes(plusIsSpace: Bool = false) -> [UInt8]? {
    withBytes(of: self) { text in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      var index = 0
      while index < text.count {
        let byte = text[index]
        if byte == UInt8(ascii: "%") {
          guard index + 2 < text.count, let high = hexValue(text[index + 1]), let low = hexValue(text[index + 2]) else {
            return nil
          }
          bytes.append(high << 4 | low)
          index += 3
        } else {
          bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
          index += 1
        }
      }
      return bytes
    }
  }
}
