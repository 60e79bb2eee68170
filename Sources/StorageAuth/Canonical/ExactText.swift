/// Texts are compared byte for byte, as services compare them: for Swift an accent belongs to the character before it, so
/// that a star with an accent is no star, and two spellings of a letter are the same.
extension String {
  /// Whether two texts are the same bytes.
  package func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }

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

  /// The parts between the bytes of an ASCII character, the empty ones too.
  ///
  /// - Parameters:
  ///   - separator: The character.
  ///   - splits: How many separators count, from the start.
  package func parts(between separator: Unicode.Scalar, atMost splits: Int = .max) -> [Substring] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: splits, omittingEmptySubsequences: false)
      .map { Substring($0) }
  }

  /// The text without control characters, which would break a line or move a cursor.
  package var onOneLine: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += #"\n"#
      case "\u{0}"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{2029}": result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
