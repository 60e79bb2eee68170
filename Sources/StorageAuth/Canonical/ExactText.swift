internal import StorageCrypto

extension String {
  /// Returns whether two texts are the same bytes; for every header of every signature, so that it is no generic function.
  @inlinable @inline(__always)
  package func isIdentical(to other: String) -> Bool {
    utf8.count == other.utf8.count && hasBytes(of: other)
  }

  /// Returns whether the bytes are those of a text with as many of them.
  @usableFromInline
  func hasBytes(of other: String) -> Bool {
    withBytes(of: self) { bytes in withBytes(of: other) { bytes.isIdentical(to: $0) } }
  }
}

/// Returns the parts of a text between the bytes of a character; compiled for each type that is cut often.
@inline(__always)
private func cut<Text: StringProtocol>(
  _ text: Text, at separator: Unicode.Scalar, atMost splits: Int
) -> [Text.SubSequence] {
  let (bytes, separator) = (text.utf8, UInt8(ascii: separator))
  var parts: [Text.SubSequence] = []
  var (start, index) = (text.startIndex, text.startIndex)
  while index != text.endIndex, parts.count < splits {
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
  /// The parts between the bytes of an ASCII character, the empty ones too.
  ///
  /// - Parameters:
  ///   - separator: The character.
  ///   - splits: How many separators count, from the start.
  package func parts(between separator: Unicode.Scalar, atMost splits: Int = .max) -> [Substring] {
    cut(self, at: separator, atMost: splits)
  }
}

extension String {
  /// The parts between the bytes of an ASCII character, the empty ones too.
  ///
  /// - Parameters:
  ///   - separator: The character.
  ///   - splits: How many separators count, from the start.
  package func parts(between separator: Unicode.Scalar, atMost splits: Int = .max) -> [Substring] {
    cut(self, at: separator, atMost: splits)
  }

  /// Whether the first bytes are those of another text.
  package func hasBytePrefix(_ prefix: String) -> Bool {
    withBytes(of: self) { bytes in
      withBytes(of: prefix) { prefix in
        guard prefix.count <= bytes.count else { return false }
        for index in prefix.indices where bytes[index] != prefix[index] { return false }
        return true
      }
    }
  }

  /// The text behind a prefix; `nil` if the first bytes are others.
  package func removingBytePrefix(_ prefix: String) -> Substring? {
    guard hasBytePrefix(prefix) else { return nil }
    return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
  }
}

/// Texts are compared and cut byte for byte, as services do: for Swift an accent belongs to the character before it, so that
/// a star with an accent is no star, `\u{37e}` is a semicolon and `\u{212a}` in lower case is `k`.
extension StringProtocol {
  /// Whether two texts are the same bytes.
  package func isIdentical(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the first bytes are those of another text.
  package func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Whether the last bytes are those of another text.
  package func hasByteSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  /// The text behind a prefix; `nil` if the first bytes are others.
  package func removingBytePrefix(_ prefix: some StringProtocol) -> SubSequence? {
    guard hasBytePrefix(prefix) else { return nil }
    return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
  }

  /// The text before a suffix; `nil` if the last bytes are others.
  package func removingByteSuffix(_ suffix: some StringProtocol) -> SubSequence? {
    guard hasByteSuffix(suffix) else { return nil }
    return self[..<utf8.index(endIndex, offsetBy: -suffix.utf8.count)]
  }

  /// Whether one of the bytes is an ASCII character.
  package func hasByte(_ character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }

  /// Whether the first byte is an ASCII character.
  package func beginsWithByte(_ character: Unicode.Scalar) -> Bool { utf8.first == UInt8(ascii: character) }

  /// The parts between the bytes of an ASCII character, the empty ones too.
  ///
  /// - Parameters:
  ///   - separator: The character.
  ///   - splits: How many separators count, from the start.
  package func parts(between separator: Unicode.Scalar, atMost splits: Int = .max) -> [SubSequence] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: splits, omittingEmptySubsequences: false)
      .map { self[$0.startIndex..<$0.endIndex] }
  }

  /// The parts between the bytes of an ASCII character that are not empty.
  ///
  /// - Parameters:
  ///   - separator: The character.
  ///   - splits: How many separators count, from the start.
  package func words(between separator: Unicode.Scalar, atMost splits: Int = .max) -> [SubSequence] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: splits).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// The text before the first byte of an ASCII character; all of it where there is none.
  package func bytes(before separator: Unicode.Scalar) -> SubSequence {
    self[..<(utf8.firstIndex(of: UInt8(ascii: separator)) ?? endIndex)]
  }

  /// The text from the first byte of an ASCII character on; empty where there is none.
  package func bytes(from separator: Unicode.Scalar) -> SubSequence {
    self[(utf8.firstIndex(of: UInt8(ascii: separator)) ?? endIndex)...]
  }

  /// The text from the first byte on that is no blank.
  package var droppingBlanks: SubSequence {
    self[(utf8.firstIndex { $0 != UInt8(ascii: " ") } ?? endIndex)...]
  }
}

extension String {
  /// Whether the bytes of another text are part of this one; linear in both (Knuth, Morris and Pratt).
  package func containsBytes(of other: String) -> Bool {
    let pattern = Array(other.utf8)
    guard !pattern.isEmpty else { return true }
    var borders = [0]
    var border = 0
    for byte in pattern.dropFirst() {
      while border > 0, pattern[border] != byte { border = borders[border - 1] }
      if pattern[border] == byte { border += 1 }
      borders.append(border)
    }
    var matched = 0
    for byte in utf8 {
      while matched > 0, pattern[matched] != byte { matched = borders[matched - 1] }
      if pattern[matched] == byte { matched += 1 }
      if matched == pattern.count { return true }
    }
    return false
  }

  /// The text, cut at the end of a character where it has more bytes than a limit; then it says how many there were.
  package func shortened(to byteLimit: Int) -> String {
    let bytes = utf8
    guard bytes.count > byteLimit else { return self }
    var end = bytes.index(bytes.startIndex, offsetBy: max(0, byteLimit))
    while end > bytes.startIndex, UTF8.isContinuation(bytes[end]) { end = bytes.index(before: end) }
    return "\(self[..<end])… (\(bytes.count) bytes)"
  }
}
