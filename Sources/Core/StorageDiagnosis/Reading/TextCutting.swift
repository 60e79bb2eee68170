// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

extension String {
  /// The lines of the string, including empty ones; only a line feed ends a line.
  package var lines: [String] { cut(at: "\n") }

  /// Returns the parts of the string between the occurrences of an ASCII character.
  package func cut(at mark: Unicode.Scalar) -> [String] { parts(between: mark).map { String($0) } }

  /// Returns the strings before and after the first occurrence of an ASCII character.
  ///
  /// The second string is `nil` if the character does not occur.
  package func cutOnce(at mark: Unicode.Scalar) -> (before: String, behind: String?) {
    let parts = utf8.split(separator: UInt8(ascii: mark), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  /// Returns the number of occurrences of an ASCII character in the string.
  package func count(of mark: Unicode.Scalar) -> Int {
    utf8.reduce(0) { $0 + ($1 == UInt8(ascii: mark) ? 1 : 0) }
  }

  /// Returns whether the string ends with the bytes of another string.
  package func ends(with other: String) -> Bool { utf8.reversed().starts(with: other.utf8.reversed()) }

  /// The string, percent-decoded once, or `nil` if an escape is malformed or the result is not UTF-8.
  package var unescaped: String? { percentDecodedBytes().flatMap { String(validating: $0, as: UTF8.self) } }
}
