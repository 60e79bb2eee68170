// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The classes of bytes by their use in a URL.
@usableFromInline package enum URLByte {
  /// The class of an unreserved character (RFC 3986, section 2.3): a letter, a digit, or one of `-_.~`.
  @inlinable package static var unreserved: UInt8 { UInt8(ascii: "0") }
  @inlinable package static var slash: UInt8 { UInt8(ascii: "1") }
  /// The class of all other characters that are valid in a URL.
  @inlinable package static var other: UInt8 { UInt8(ascii: "2") }

  /// Returns the class of a byte, which is greater than ``other`` if the byte is invalid in a URL.
  @inlinable @inline(__always) package static func byteClass(of byte: UInt8) -> UInt8 {
    // Within bounds: a byte is at most 255, and there are sixteen rows of sixteen classes.
    unsafe byteClasses.utf8Start[Int(byte)]
  }

  @inlinable @inline(__always) package static func isAllowed(_ byte: UInt8) -> Bool { byteClass(of: byte) <= other }

  // A literal rather than a global, so that a loop in another module reads it without a call.
  @inlinable static var byteClasses: StaticString {
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

/// A percent-encoding, which keeps some bytes and escapes all others as `%XX` (RFC 3986, section 2.1, in uppercase).
@usableFromInline package struct PercentEncoding: Sendable {
  /// The last class of bytes that the encoding keeps.
  @usableFromInline let lastKeptClass: UInt8

  @inlinable init(keepingUpTo lastKeptClass: UInt8) { self.lastKeptClass = lastKeptClass }

  /// The encoding that escapes all bytes except the unreserved characters of RFC 3986: letters, digits and `-_.~`.
  @inlinable package static var component: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.unreserved) }
  /// The encoding for a URL path, which escapes neither the unreserved characters nor `/`.
  @inlinable package static var path: PercentEncoding { PercentEncoding(keepingUpTo: URLByte.slash) }

  @inlinable @inline(__always) var keepsSlash: Bool { lastKeptClass == URLByte.slash }

  @inlinable @inline(__always)
  package func keeps(_ byte: UInt8) -> Bool { URLByte.byteClass(of: byte) <= lastKeptClass }
}

/// The letter case of a percent-encoded string and of the hexadecimal digits in its escapes.
@usableFromInline package enum EncodedCase: Sendable {
  /// Letters keep their case, and escapes are uppercase, such as `%2F`.
  case asWritten
  /// All letters are lowercase, including the digits of escapes, such as `%2f`.
  case lowered
  /// Letters are lowercase, and escapes are uppercase, such as `%2F`.
  case loweredLetters
}

extension ByteWriter {
  @inlinable @inline(__always) package mutating func append(
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

  @usableFromInline package mutating func append(
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

  @inlinable package mutating func append(
    percentEncoding text: String, _ encoding: PercentEncoding = .component, _ textCase: EncodedCase = .asWritten
  ) { withBytes(of: text) { append(percentEncoding: $0, encoding, textCase) } }
}

extension Span<UInt8> {
  @inlinable package func isKept(by encoding: PercentEncoding) -> Bool { end(ofRunFrom: 0, keptBy: encoding) == count }
}

/// Returns the hexadecimal digit for a value from 0 to 15, for use in an escape.
@inlinable @inline(__always) package func escapeDigit(_ value: UInt8, _ textCase: EncodedCase) -> UInt8 {
  value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: textCase == .lowered ? "a" : "A") &- 10)
}

@inlinable @inline(__always)
package func asciiLowercased(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

extension String {
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
        let start = index
        bytes.append(decodedByte(text, at: &index, plusIsSpace: plusIsSpace))
        // An escape has three bytes.
        if text[start] == UInt8(ascii: "%"), index < start + 3 { return nil }
      }
      return bytes
    }
  }
}

/// Decodes the next byte, and moves the index past it; the percent sign of a malformed escape is a byte of its own.
@inline(__always) private func decodedByte(_ text: Span<UInt8>, at index: inout Int, plusIsSpace: Bool) -> UInt8 {
  let byte = text[index]
  if byte == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
    let low = hexValue(text[index + 2])
  {
    index += 3
    return high << 4 | low
  }
  index += 1
  return plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
}

extension ByteWriter {
  package mutating func append(decoding text: Span<UInt8>, plusIsSpace: Bool) {
    var index = 0
    while index < text.count {
      let start = index
      index = text.end(ofRunFrom: start) { $0.equal(UInt8(ascii: "%")).union($0.equal(UInt8(ascii: "+"))).inverted }
      if index > start { append(text.extracting(start..<index)) }
      if index < text.count { append(decodedByte(text, at: &index, plusIsSpace: plusIsSpace)) }
    }
  }

  /// Appends a percent-encoded string in its canonical encoding, by decoding and encoding it again.
  package mutating func append(
    normalizing text: Span<UInt8>, plusIsSpace: Bool, _ encoding: PercentEncoding = .component,
    _ textCase: EncodedCase = .asWritten
  ) {
    var index = 0
    while index < text.count {
      if textCase == .asWritten {
        let start = index
        index = text.end(ofRunFrom: start, keptBy: encoding)
        if index > start { append(text.extracting(start..<index)) }
        if index == text.count { break }
      }
      append(percentEncoding: decodedByte(text, at: &index, plusIsSpace: plusIsSpace), encoding, textCase)
    }
  }
}

/// The sort order: by the decoded bytes or the canonical encoding, or by either of them in lowercase.
package enum EncodedOrder: Sendable {
  case decoded
  case decodedLowered
  case encoded
  case encodedLowered
}

/// Returns how many leading bytes are equal and not escaped; up to seven at the end of a string may not be counted.
@inline(__always) private func commonStart(of first: Span<UInt8>, _ second: Span<UInt8>) -> Int {
  let end = min(first.count, second.count)
  var index = 0
  while index &+ 8 <= end {
    let word = first.word(from: index)
    let differences = word ^ second.word(from: index)
    let commonCount = min(differences.firstLane, ByteLanes(word).equal(UInt8(ascii: "%")).first)
    if commonCount < 8 { return index &+ commonCount }
    index &+= 8
  }
  return index
}

/// Compares two percent-encoded strings, and returns a negative integer, zero or a positive integer as `strcmp` does.
package func compare(_ first: Span<UInt8>, _ second: Span<UInt8>, by order: EncodedOrder, plusIsSpace: Bool) -> Int {
  let start = commonStart(of: first, second)
  var firstIndex = start
  var secondIndex = start
  while firstIndex < first.count, secondIndex < second.count {
    let byte = first[firstIndex]
    if byte == second[secondIndex], byte != UInt8(ascii: "%") {
      firstIndex &+= 1
      secondIndex &+= 1
      continue
    }
    var firstByte = decodedByte(first, at: &firstIndex, plusIsSpace: plusIsSpace)
    var secondByte = decodedByte(second, at: &secondIndex, plusIsSpace: plusIsSpace)
    if order == .encodedLowered || order == .decodedLowered {
      firstByte = asciiLowercased(firstByte)
      secondByte = asciiLowercased(secondByte)
    }
    if firstByte == secondByte { continue }
    if order == .encoded || order == .encodedLowered {
      // An escape starts with `%`, which sorts before every byte that is not escaped. Two escapes sort by their bytes.
      let keepsFirst = PercentEncoding.component.keeps(firstByte)
      let keepsSecond = PercentEncoding.component.keeps(secondByte)
      if keepsFirst != keepsSecond { return keepsFirst ? 1 : -1 }
    }
    return Int(firstByte) - Int(secondByte)
  }
  return (first.count - firstIndex).signum() - (second.count - secondIndex).signum()
}

/// Returns whether every `%` in a string starts an escape, and every byte is valid in a URL.
package func isWellFormedURLText(_ text: Span<UInt8>) -> Bool {
  var index = 0
  while index < text.count {
    let byte = text[index]
    if byte <= UInt8(ascii: " ") || byte >= 0x7f || byte == UInt8(ascii: "#") { return false }
    if byte == UInt8(ascii: "%") {
      guard index + 2 < text.count, hexValue(text[index + 1]) != nil, hexValue(text[index + 2]) != nil else {
        return false
      }
      index += 2
    }
    index += 1
  }
  return true
}
