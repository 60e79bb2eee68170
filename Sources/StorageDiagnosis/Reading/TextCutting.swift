internal import StorageAuth
internal import StorageCrypto

extension String {
  /// The lines of the text, the empty ones too; only a line feed ends one.
  var lines: [String] { cut(at: "\n") }

  /// The text cut at every occurrence of an ASCII character.
  func cut(at mark: Unicode.Scalar) -> [String] { parts(between: mark).map { String($0) } }

  /// The text before and behind the first occurrence of an ASCII character; nothing behind where there is none.
  func cutOnce(at mark: Unicode.Scalar) -> (before: String, behind: String?) {
    let parts = utf8.split(separator: UInt8(ascii: mark), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  /// How often an ASCII character occurs.
  func count(of mark: Unicode.Scalar) -> Int {
    utf8.reduce(0) { $0 + ($1 == UInt8(ascii: mark) ? 1 : 0) }
  }

  /// Whether the text ends with the bytes of another.
  func ends(with other: String) -> Bool { utf8.reversed().starts(with: other.utf8.reversed()) }

  /// The text with every escape undone once; nothing where an escape is broken or the result is not UTF-8.
  var unescaped: String? { percentDecodedBytes().flatMap { String(validating: $0, as: UTF8.self) } }
}
