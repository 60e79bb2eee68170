// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// String operations that compare and split by UTF-8 bytes, as the storage services do.
///
/// Swift's own operations use characters: `*` with a combining accent is no asterisk, and `\u{37e}` equals a semicolon.
/// Functions that other modules call often are inlinable, so that the compiler can specialize them.
extension StringProtocol {
  /// The string with the letters `A` to `Z` converted to lowercase and all other characters unchanged.
  ///
  /// `lowercased()` maps U+212A (KELVIN SIGN) to `k`, which would make two different names equal.
  package var asciiLowercased: String { String(self).asciiLowercased }
  package var asciiUppercased: String { String(self).asciiUppercased }

  @inlinable package func isIdentical(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
  @inlinable package func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

  @inlinable package func hasByteSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  @inlinable package func removingBytePrefix(_ prefix: some StringProtocol) -> SubSequence? {
    guard hasBytePrefix(prefix) else { return nil }
    return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
  }

  @inlinable package func removingByteSuffix(_ suffix: some StringProtocol) -> SubSequence? {
    guard hasByteSuffix(suffix) else { return nil }
    return self[..<utf8.index(endIndex, offsetBy: -suffix.utf8.count)]
  }

  @inlinable package func hasByte(_ character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
  @inlinable package func beginsWithByte(_ character: Unicode.Scalar) -> Bool { utf8.first == UInt8(ascii: character) }

  /// Splits the string at an ASCII character, comparing bytes, and keeps empty parts.
  package func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [SubSequence] {
    splitBytes(self, at: separator, maxSplits: maxSplits)
  }

  /// Splits the string at an ASCII character, comparing bytes, and omits empty parts.
  @inlinable package func words(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [SubSequence] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// Returns the part before the first occurrence of an ASCII character, or the whole string without one.
  @inlinable package func bytes(before separator: Unicode.Scalar) -> SubSequence {
    self[..<(utf8.firstIndex(of: UInt8(ascii: separator)) ?? endIndex)]
  }

  /// Returns the part from the first occurrence of an ASCII character, or an empty string without one.
  package func bytes(from separator: Unicode.Scalar) -> SubSequence {
    self[(utf8.firstIndex(of: UInt8(ascii: separator)) ?? endIndex)...]
  }

  /// Returns the part after the first occurrence of an ASCII character, or an empty string without one.
  package func bytes(after separator: Unicode.Scalar) -> SubSequence {
    utf8.firstIndex(of: UInt8(ascii: separator)).map { self[utf8.index(after: $0)...] } ?? self[endIndex...]
  }

  /// The string without leading and trailing spaces and tabs, which HTTP does not count as part of a value.
  package var trimmingBlanks: SubSequence { trimming { $0 == " " || $0 == "\t" } }

  /// The string without leading and trailing whitespace and line breaks, or `nil` if only these are in it.
  package var trimmed: String? {
    let text = trimming { $0.properties.isWhitespace }
    return text.isEmpty ? nil : String(text)
  }

  /// Trims scalars, not characters: a space and a combining mark are one character for Swift, but the space is trimmed.
  private func trimming(_ isTrimmed: (Unicode.Scalar) -> Bool) -> SubSequence {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
      let last = scalars.lastIndex(where: { !isTrimmed($0) })
    else { return self[endIndex...] }
    return self[first..<scalars.index(after: last)]
  }

  /// The parts of the string between whitespace and line breaks, without empty parts, compared by Unicode scalars.
  package var whitespaceSeparated: [Substring] {
    unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { Substring(self[$0.startIndex..<$0.endIndex]) }
  }

  /// Whether the string consists only of whitespace and line breaks, or is empty.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
  /// The string without its leading spaces.
  package var droppingBlanks: SubSequence { self[(utf8.firstIndex { $0 != UInt8(ascii: " ") } ?? endIndex)...] }

  /// Returns the percent-decoded string, or `nil` if an escape is malformed or the bytes are not UTF-8.
  package func percentDecoded(plusIsSpace: Bool = false) -> String? {
    String(self).percentDecodedBytes(plusIsSpace: plusIsSpace).flatMap { String(utf8: $0) }
  }
}

extension String {
  package var asciiLowercased: String { mapping("A"..."Z") { $0 | 0x20 } }
  package var asciiUppercased: String { mapping("a"..."z") { $0 & ~0x20 } }

  private func mapping(_ letters: ClosedRange<Unicode.Scalar>, _ transform: (UInt8) -> UInt8) -> String {
    let (first, last) = (UInt8(ascii: letters.lowerBound), UInt8(ascii: letters.upperBound))
    return withBytes(of: self) { bytes in
      guard bytes.indices.contains(where: { first <= bytes[$0] && bytes[$0] <= last }) else { return self }
      return String(writing: { writer in
        for index in bytes.indices {
          let byte = bytes[index]
          writer.append(first <= byte && byte <= last ? transform(byte) : byte)
        }
      })
    }
  }

  /// Returns whether two strings have the same UTF-8 bytes; not generic, because every signed header is compared.
  @inlinable @inline(__always)
  package func isIdentical(to other: String) -> Bool { utf8.count == other.utf8.count && hasBytes(of: other) }

  @usableFromInline func hasBytes(of other: String) -> Bool {
    withBytes(of: self) { bytes in withBytes(of: other) { bytes.isIdentical(to: $0) } }
  }

  package func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
    splitBytes(self, at: separator, maxSplits: maxSplits)
  }

  package func hasBytePrefix(_ prefix: String) -> Bool {
    withBytes(of: self) { bytes in
      withBytes(of: prefix) { prefix in
        guard prefix.count <= bytes.count else { return false }
        for index in prefix.indices where bytes[index] != prefix[index] { return false }
        return true
      }
    }
  }

  package func removingBytePrefix(_ prefix: String) -> Substring? {
    guard hasBytePrefix(prefix) else { return nil }
    return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
  }

  /// Returns whether the UTF-8 bytes contain another string's, in linear time (Knuth, Morris and Pratt).
  package func containsBytes(of other: String) -> Bool {
    let pattern = Array(other.utf8)
    guard !pattern.isEmpty else { return true }
    // For each prefix of the pattern, the length of its longest proper prefix that is also its suffix.
    var borders = [0]
    var border = 0
    for byte in pattern.dropFirst() {
      while border > 0, pattern[border] != byte { border = borders[border - 1] }
      if pattern[border] == byte { border += 1 }
      borders.append(border)
    }
    var matchedByteCount = 0
    for byte in utf8 {
      while matchedByteCount > 0, pattern[matchedByteCount] != byte { matchedByteCount = borders[matchedByteCount - 1] }
      if pattern[matchedByteCount] == byte { matchedByteCount += 1 }
      if matchedByteCount == pattern.count { return true }
    }
    return false
  }

  /// Returns the string, cut between two scalars at a limit in bytes, with an ellipsis and the original length.
  package func shortened(to byteLimit: Int) -> String {
    let bytes = utf8
    guard bytes.count > byteLimit else { return self }
    var end = bytes.index(bytes.startIndex, offsetBy: max(0, byteLimit))
    while end > bytes.startIndex, UTF8.isContinuation(bytes[end]) { end = bytes.index(before: end) }
    return "\(self[..<end])… (\(bytes.count) bytes)"
  }

  /// Returns whether the string encodes a number of bytes, such as a hash value, in lowercase hexadecimal digits.
  package func isLowerHex(byteCount: Int) -> Bool {
    utf8.count == 2 * byteCount
      && utf8.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }

  /// Returns whether the string is `[a-z0-9-]+` with no hyphen at its ends, as a bucket name or a region is.
  package func isScopePart(atMost limit: Int = .max) -> Bool {
    !isEmpty && utf8.count <= limit && utf8.first != UInt8(ascii: "-") && utf8.last != UInt8(ascii: "-")
      && utf8.allSatisfy { byte in
        byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
      }
  }

  /// Creates a string from bytes, or returns `nil` if they are not UTF-8.
  @inlinable package init?(utf8 bytes: some Collection<UInt8>) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      self.init(validating: bytes, as: UTF8.self)
    } else {
      self.init(unchangedUTF8: bytes)
    }
  }

  /// Creates a string as ``init(utf8:)`` does on systems without `String(validating:as:)`.
  @inlinable package init?(unchangedUTF8 bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    // What is not UTF-8 was replaced by U+FFFD.
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}

/// Splits a string at an ASCII character, and keeps empty parts; specialized for each string type that is split often.
@inline(__always) private func splitBytes<Text: StringProtocol>(
  _ text: Text, at separator: Unicode.Scalar, maxSplits: Int
) -> [Text.SubSequence] {
  let (bytes, separator) = (text.utf8, UInt8(ascii: separator))
  var parts: [Text.SubSequence] = []
  var (start, index) = (text.startIndex, text.startIndex)
  while index != text.endIndex, parts.count < maxSplits {
    let next = bytes.index(after: index)
    if bytes[index] == separator {
      parts.append(text[start..<index])
      start = next
    }
    index = next
  }
  parts.append(text[start...])
  return parts
}

extension Substring {
  package func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
    splitBytes(self, at: separator, maxSplits: maxSplits)
  }
}

extension [String] {
  /// Returns whether the strings, which ascend by their bytes, contain a name.
  package func containsSorted(_ name: String) -> Bool {
    var (start, end) = (0, count)
    while start < end {
      let middle = (start + end) / 2
      if self[middle].utf8.lexicographicallyPrecedes(name.utf8) { start = middle + 1 } else { end = middle }
    }
    return start < count && self[start].isIdentical(to: name)
  }
}

extension UInt8 {
  @inlinable package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  package var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }
  var isVisibleASCII: Bool { UInt8(ascii: " ") < self && self < 0x7f }
  var isASCIIControl: Bool { self < UInt8(ascii: " ") || self == 0x7f }
}

/// Parsing of untrusted integers, and arithmetic on them that never traps.
///
/// Swift's own operators trap on overflow, which would end the process for all of its tenants.
extension FixedWidthInteger {
  /// Parses an integer that consists only of ASCII digits, as protocols encode sizes, positions and counts.
  ///
  /// The result is `nil` for any other text and above 2^60, so that sums of a few integers fit in `Int64`.
  @inlinable package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0.isASCIIDigit }) else { return nil }
    self.init(text, radix: 10)
    if let limit = Self(exactly: Int64(1) << 60), self > limit { return nil }
  }

  /// Parses an integer like ``init(digits:)``, with a minus sign before the digits if it is negative.
  package init?(signedDigits text: some StringProtocol) where Self: SignedInteger {
    guard let digits = text.removingBytePrefix("-") else {
      self.init(digits: text)
      return
    }
    guard let magnitude = Self(digits: digits) else { return nil }
    self = -magnitude
  }

  /// Returns the sum of two integers, or `nil` if the sum does not fit in the type.
  package func checkedAdding(_ other: Self) -> Self? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }

  /// Returns the sum of two integers, or the nearest representable value if the sum does not fit in the type.
  package func saturatingAdding(_ other: Self) -> Self { checkedAdding(other) ?? (other < 0 ? .min : .max) }
}
