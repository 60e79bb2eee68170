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

  /// The text from the first byte on that is no blank.
  package var droppingBlanks: SubSequence {
    self[(utf8.firstIndex { $0 != UInt8(ascii: " ") } ?? endIndex)...]
  }
}

extension String {
  /// Whether the bytes of another text are part of this one.
  package func containsBytes(of other: String) -> Bool {
    utf8.indices.contains { utf8[$0...].starts(with: other.utf8) }
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
