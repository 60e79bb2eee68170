// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The classes of bytes in a URL.
@usableFromInline
package enum URLByte {
  /// The class of an unreserved character (RFC 3986, section 2.3): a letter, a digit, or one of `-_.~`.
  @inlinable package static var unreserved: UInt8 { UInt8(ascii: "0") }

  /// The class of `/`.
  @inlinable package static var slash: UInt8 { UInt8(ascii: "1") }

  /// The class of the other characters that are valid in a URL.
  @inlinable package static var other: UInt8 { UInt8(ascii: "2") }

  /// Returns the class of a byte, which is greater than ``other`` if the byte is not valid in a URL.
  @inlinable @inline(__always)
  package static func kind(of byte: UInt8) -> UInt8 {
    // Within bounds: a byte is at most 255, and there are sixteen rows of sixteen classes.
    unsafe kinds.utf8Start[Int(byte)]
  }

  /// Returns whether a byte is valid in a URL.
  @inlinable @inline(__always)
  package static func mayStand(_ byte: UInt8) -> Bool { kind(of: byte) <= other }

  // A literal rather than a global, so that a loop in another module reads it without a call.
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

/// The bytes that are not changed by percent-encoding; every other byte becomes `%XX` in upper case (RFC 3986, section
/// 2.1).
@usableFromInline
package struct PercentEncoding: Sendable {
  /// The last class of bytes that is not escaped.
  @usableFromInline let lastKept: UInt8

  @inlinable
  init(keepingUpTo lastKept: UInt8) {
    self.lastKept = lastKept
  }

  /// The encoding that escapes all bytes except the unreserved characters of RFC 3986: letters, digits and `-_.~`.
  @inlinable package static var component: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.unreserved) }

  /// The encoding for the path of a URL, which does not escape `/` either.
  @inlinable package static var path: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.slash) }

  /// Whether a slash is not escaped.
  @inlinable @inline(__always)
  var keepsSlash: Bool { lastKept == URLByte.slash }

  /// Returns whether a byte is not escaped.
  @inlinable @inline(__always)
  package func keeps(_ byte: UInt8) -> Bool { URLByte.kind(of: byte) <= lastKept }
}

/// The case of the hexadecimal digits in an escape, or of a whole encoded string.
@usableFromInline
package enum EncodedCase: Sendable {
  /// Letters keep their case, and escapes are `%2F`.
  case asWritten
  /// Everything is in lower case, including escapes: `%2f`.
  case lowered
  /// Letters are in lower case, and escapes in upper case: `%2F`.
  case loweredLetters
}

extension ByteWriter {
  /// Appends one percent-encoded byte.
  @inlinable @inline(__always)
  package mutating func append(
    percentEncoding byte: UInt8, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    if encoding.keeps(byte) {
      append(textCase == .asWritten ? byte : asciiLowercased(byte))
    } else {
      // Within the reserved space: three bytes.
      let start = reserve(3)
      unsafe put(UInt8(ascii: "%"), at: start)
      unsafe put(escapeDigit(byte &>> 4, textCase), at: start &+ 1)
      unsafe put(escapeDigit(byte & 0xf, textCase), at: start &+ 2)
    }
  }

  /// Appends percent-encoded bytes.
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

  /// Appends a percent-encoded string.
  @inlinable
  package mutating func append(
    percentEncoding text: String, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) {
    withBytes(of: text) { append(percentEncoding: $0, encoding, textCase) }
  }
}

extension Span<UInt8> {
  /// Returns whether an encoding escapes none of the bytes.
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

/// Returns an ASCII letter in lower case, or any other byte unchanged.
@inlinable @inline(__always)
package func asciiLowercased(_ byte: UInt8) -> UInt8 {
  byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

extension String {
  /// Returns the percent-encoded string.
  package func percentEncoded(_ encoding: PercentEncoding = .component) -> String {
    String(writing: { $0.append(percentEncoding: self, encoding) })
  }

  /// Returns the bytes of the percent-decoded string, or `nil` if an escape is malformed.
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
