/// What a byte is to a URL.
@usableFromInline
package enum URLByte {
  /// The class of an unreserved character (RFC 3986, section 2.3): a letter, a digit, or one of `-_.~`.
  @inlinable package static var unreserved: UInt8 { UInt8(ascii: "0") }

  /// The class of `/`.
  @inlinable package static var slash: UInt8 { UInt8(ascii: "1") }

  /// The class of the other characters that may stand in a URL.
  @inlinable package static var other: UInt8 { UInt8(ascii: "2") }

  /// Returns the class of a byte; above ``other`` for one that may not stand in a URL.
  @inlinable @inline(__always)
  package static func kind(of byte: UInt8) -> UInt8 {
    // Within bounds: a byte counts to 255, and there are sixteen rows of sixteen classes.
    unsafe kinds.utf8Start[Int(byte)]
  }

  /// Returns whether a byte may stand in a URL.
  @inlinable @inline(__always)
  package static func mayStand(_ byte: UInt8) -> Bool { kind(of: byte) <= other }

  // A literal and not a global, so that a loop over a text in another module needs no call to get at it.
  @inlinable static var kinds: StaticString {
    """
    3333333333333333\
    3333333333333333\
    3223222222222001\
    0000000000222222\
    2000000000000000\
    0000000000022220\
    2000000000000000\
    0000000000022203\
    3333333333333333\
    3333333333333333\
    3333333333333333\
    3333333333333333\
    3333333333333333\
    3333333333333333\
    3333333333333333\
    3333333333333333
    """
  }
}

/// The bytes that stay as they are when text is percent-encoded; every other byte becomes `%XX` in upper case.
@usableFromInline
package struct PercentEncoding: Sendable {
  /// The last class of bytes that is kept.
  @usableFromInline let lastKept: UInt8

  @inlinable
  init(keepingUpTo lastKept: UInt8) {
    self.lastKept = lastKept
  }

  /// The unreserved characters of RFC 3986: letters, digits and `-_.~`.
  @inlinable package static var component: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.unreserved) }

  /// The unreserved characters and `/`, for the path of a URL.
  @inlinable package static var path: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.slash) }

  /// Whether a slash stays as it is.
  @inlinable @inline(__always)
  var keepsSlash: Bool { lastKept == URLByte.slash }

  /// Returns whether a byte stays as it is.
  @inlinable @inline(__always)
  package func keeps(_ byte: UInt8) -> Bool { URLByte.kind(of: byte) <= lastKept }
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
      // Within what is reserved: three bytes.
      let start = reserve(3)
      unsafe put(UInt8(ascii: "%"), at: start)
      unsafe put(escapeDigit(byte &>> 4, textCase), at: start &+ 1)
      unsafe put(escapeDigit(byte & 0xf, textCase), at: start &+ 2)
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
      var end = bytes.end(ofRunFrom: start, keptBy: encoding)
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
    end(ofRunFrom: 0, keptBy: encoding) == count
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
