/// Texts are compared byte for byte, as services compare them: for Swift an accent belongs to the character before it, so
/// that a star with an accent is no star, and two spellings of a letter are the same.
extension String {
  /// Whether two texts are the same bytes.
  package func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the bytes of another text are part of this one.
  package func containsBytes(of other: String) -> Bool {
    utf8.indices.contains { utf8[$0...].starts(with: other.utf8) }
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
}
