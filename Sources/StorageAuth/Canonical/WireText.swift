// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// A text from a request, or one that is compared with such a text; two texts are equal only if their bytes are.
///
/// As `String` values, canonically equivalent texts are equal: U+212A (KELVIN SIGN) is `K`, and `é` is `e` with a
/// combining accent. A storage service compares bytes, so that a name that was looked up as a `String` may differ from
/// the name that was signed. Bucket names, keys, parameters and the prefixes of policies therefore have this type,
/// which cannot be compared with a `String` by accident.
///
/// ```swift
/// if verified.target.key == "reports/2026.csv" { … }   // a literal is a wire text
/// let path = verified.target.key?.string               // as `String`, to be shown or sent
/// ```
public struct WireText: Sendable {
  /// The text as a `String`; compare wire texts rather than these strings.
  public let string: String

  /// Creates a wire text with the UTF-8 bytes of a string.
  public init(_ string: String) {
    self.string = string
  }

  /// Creates a wire text with the UTF-8 bytes of a substring.
  public init(_ string: Substring) {
    self.string = String(string)
  }

  /// The bytes in UTF-8.
  public var utf8: String.UTF8View { string.utf8 }

  /// A Boolean value that indicates whether the text has no bytes.
  public var isEmpty: Bool { string.isEmpty }

  /// Returns whether the text starts with the bytes of a prefix.
  public func starts(with prefix: WireText) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Returns whether the text ends with the bytes of a suffix.
  public func ends(with suffix: WireText) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

  /// Returns the percent-encoded text, in which only ASCII letters, digits, `-`, `.`, `_` and `~` are not encoded as
  /// `%XX`.
  ///
  /// - Parameter keepsSlashes: Whether `/` is not encoded either, as in the path of an object.
  public func percentEncoded(keepingSlashes keepsSlashes: Bool = false) -> String {
    string.percentEncoded(keepsSlashes ? .path : .component)
  }

  /// The text with the letters from `A` to `Z` in lower case and all other characters unchanged.
  public var asciiLowercased: WireText { WireText(string.asciiLowercased) }
}

extension WireText: Hashable, Comparable {
  /// Returns whether two texts have the same bytes.
  public static func == (first: WireText, second: WireText) -> Bool { first.string.isIdentical(to: second.string) }

  /// Returns whether a text precedes another one in the order of their bytes.
  public static func < (first: WireText, second: WireText) -> Bool { first.utf8.lexicographicallyPrecedes(second.utf8) }

  /// Hashes the bytes, so that equivalent spellings of a text do not all have the same hash.
  public func hash(into hasher: inout Hasher) {
    for byte in utf8 { hasher.combine(byte) }
    hasher.combine(0xff as UInt8)
  }
}

extension WireText: ExpressibleByStringInterpolation, CustomStringConvertible, CustomDebugStringConvertible {
  /// Creates a wire text from a literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// The raw text, which may contain control characters.
  public var description: String { string }

  /// The text as a Swift literal, with control characters escaped.
  public var debugDescription: String { string.debugDescription }
}

extension ByteWriter {
  /// Appends a percent-encoded text.
  package mutating func append(percentEncoding text: WireText, _ encoding: PercentEncoding = .component) {
    append(percentEncoding: text.string, encoding)
  }
}

extension StringProtocol {
  /// The string with the letters from `A` to `Z` in lower case and all other characters unchanged.
  ///
  /// `lowercased()` maps U+212A (KELVIN SIGN) to `k`, which would make two names equal.
  package var asciiLowercased: String {
    mapping("A"..."Z") { $0 | 0x20 }
  }

  /// The string with the letters from `a` to `z` in upper case and all other characters unchanged.
  package var asciiUppercased: String {
    mapping("a"..."z") { $0 & ~0x20 }
  }

  private func mapping(_ letters: ClosedRange<Unicode.Scalar>, _ transform: (UInt8) -> UInt8) -> String {
    let text = String(self)
    let (first, last) = (UInt8(ascii: letters.lowerBound), UInt8(ascii: letters.upperBound))
    return withBytes(of: text) { bytes in
      guard bytes.indices.contains(where: { first <= bytes[$0] && bytes[$0] <= last }) else { return text }
      return String(writing: { writer in
        for index in bytes.indices {
          let byte = bytes[index]
          writer.append(first <= byte && byte <= last ? transform(byte) : byte)
        }
      })
    }
  }
}
