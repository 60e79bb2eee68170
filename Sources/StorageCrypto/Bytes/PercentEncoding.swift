/// Which bytes stay as they are when text is percent-encoded; every other byte becomes `%XX` in upper case.
package struct PercentEncoding: Sendable {
  private let low: UInt64
  private let high: UInt64

  private init(alsoKeeping extra: StaticString) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    let kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~" + extra.description
    for byte in kept.utf8 {
      if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }
    self.low = low
    self.high = high
  }

  /// The unreserved characters of RFC 3986: letters, digits and `-_.~`.
  package static let component = PercentEncoding(alsoKeeping: "")

  /// The unreserved characters and `/`, for the path of a URL.
  package static let path = PercentEncoding(alsoKeeping: "/")

  /// Whether a byte stays as it is.
  package func keeps(_ byte: UInt8) -> Bool {
    byte < 64 ? low & (1 << UInt64(byte)) != 0 : byte < 128 && high & (1 << UInt64(byte - 64)) != 0
  }
}

/// The case of the hexadecimal digits in an escape, or of a whole encoded text.
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
  package mutating func append(
    percentEncoding byte: UInt8, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    if encoding.keeps(byte) {
      append(textCase == .asWritten ? byte : asciiLowercased(byte))
    } else {
      append(UInt8(ascii: "%"))
      append(escapeDigit(byte >> 4, textCase))
      append(escapeDigit(byte & 0xf, textCase))
    }
  }

  /// Appends bytes percent-encoded.
  package mutating func append(
    percentEncoding bytes: Span<UInt8>, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    var start = 0
    while start < bytes.count {
      var end = start
      if textCase == .asWritten {
        while end < bytes.count, encoding.keeps(bytes[end]) { end += 1 }
        if end > start { append(bytes.extracting(start..<end)) }
      }
      if end < bytes.count {
        append(percentEncoding: bytes[end], encoding, textCase)
        end += 1
      }
      start = end
    }
  }

  /// Appends text percent-encoded.
  package mutating func append(
    percentEncoding text: String, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    withBytes(of: text) { append(percentEncoding: $0, encoding, textCase) }
  }
}

/// The digit of an escape for a value from 0 to 15.
package func escapeDigit(_ value: UInt8, _ textCase: EncodedCase) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: textCase == .lowered ? "a" : "A") - 10 + value
}

/// An ASCII letter in lower case; any other byte as it is.
package func asciiLowercased(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
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
