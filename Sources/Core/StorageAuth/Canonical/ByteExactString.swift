// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// A string that equals only a string with the same UTF-8 bytes, for the names and values in requests.
///
/// As `String` values, canonically equivalent texts are equal: U+212A (KELVIN SIGN) is `K`, and `é` is `e` with a
/// combining accent. A storage service compares bytes, so a name that was looked up as a `String` may differ from the
/// name that was signed. Bucket names, keys, parameters and the prefixes of policies therefore have this type, which
/// cannot be compared with a `String` by accident.
///
/// ```swift
/// if verified.target.key == "reports/2026.csv" { … }   // a literal is a byte-exact string
/// let path = verified.target.key?.string               // as `String`, to be shown or sent
/// ```
public struct ByteExactString: Sendable {
  /// The text as a `String`, to be shown or sent; compare byte-exact strings rather than these strings.
  public let string: String

  /// Creates a byte-exact string with the UTF-8 bytes of a string.
  public init(_ string: String) { self.string = string }
  /// Creates a byte-exact string with the UTF-8 bytes of a substring.
  public init(_ string: Substring) { self.string = String(string) }

  /// The UTF-8 bytes of the text.
  public var utf8: String.UTF8View { string.utf8 }
  /// Whether the text is empty.
  public var isEmpty: Bool { string.isEmpty }

  /// Returns whether the text starts with a prefix, comparing UTF-8 bytes.
  public func starts(with prefix: ByteExactString) -> Bool { utf8.starts(with: prefix.utf8) }
  /// Returns whether the text ends with a suffix, comparing UTF-8 bytes.
  public func ends(with suffix: ByteExactString) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

  /// Returns the percent-encoded text, in which only ASCII letters, digits, `-`, `.`, `_` and `~` are unchanged.
  ///
  /// - Parameter keepsSlashes: Whether `/` is left unencoded too, as in an object's path.
  public func percentEncoded(keepingSlashes keepsSlashes: Bool = false) -> String {
    string.percentEncoded(keepsSlashes ? .path : .component)
  }

  /// The text with the letters `A` to `Z` converted to lowercase and all other characters unchanged.
  public var asciiLowercased: ByteExactString { ByteExactString(string.asciiLowercased) }
}

extension ByteExactString: Hashable, Comparable {
  /// Returns whether two texts have the same UTF-8 bytes.
  public static func == (first: ByteExactString, second: ByteExactString) -> Bool {
    first.string.isIdentical(to: second.string)
  }

  /// Returns whether the UTF-8 bytes of the first text precede those of the second.
  public static func < (first: ByteExactString, second: ByteExactString) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  /// Hashes the text's UTF-8 bytes, so that equivalent spellings of a text have different hash values.
  public func hash(into hasher: inout Hasher) {
    withBytes(of: string) { bytes in
      for index in stride(from: 0, to: bytes.count, by: 8) { hasher.combine(bytes.word(from: index)) }
      // The count marks the end, so that the hashes of ("a", "bc") and ("ab", "c") differ.
      hasher.combine(bytes.count)
    }
  }
}

extension ByteExactString: ExpressibleByStringInterpolation, CustomStringConvertible, CustomDebugStringConvertible {
  /// Creates a byte-exact string from a string literal.
  public init(stringLiteral text: String) { self.init(text) }
  /// The text as is, which may contain control characters.
  public var description: String { string }
  /// The text as a Swift string literal, with control characters escaped.
  public var debugDescription: String { string.debugDescription }
}

extension ByteWriter {
  /// Appends the text with all bytes escaped that the encoding does not keep.
  package mutating func append(percentEncoding text: ByteExactString, _ encoding: PercentEncoding = .component) {
    append(percentEncoding: text.string, encoding)
  }
}
