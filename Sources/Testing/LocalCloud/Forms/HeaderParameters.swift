// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A header value with parameters, such as `form-data; name="key"`, parsed strictly.
struct HeaderParameters: Sendable {
  /// The part of the header value before the parameters, in lowercase.
  let value: String

  private let parameters: [String: String]

  /// Creates the value by parsing a header value with parameters, or returns `nil` if the header value is malformed.
  ///
  /// A header value is malformed if a parameter occurs twice, is incomplete, or is followed by bytes other than the
  /// next parameter. A quoted string ends at the next quotation mark, because browsers encode a quotation mark within
  /// the string as `%22`.
  init?(_ text: String) {
    var rest = text[...]
    value = Self.trimmed(rest.bytes(before: ";")).asciiLowercased
    rest = rest.bytes(from: ";")
    var parameters: [String: String] = [:]
    while !rest.isEmpty {
      rest = Self.behindFirstByte(of: rest)
      rest = rest[rest.utf8.drop(while: Self.isBlank).startIndex...]
      let name = rest.bytes(before: "=")
      rest = rest[name.endIndex...]
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), !rest.isEmpty else { return nil }
      rest = Self.behindFirstByte(of: rest)
      let content: Substring
      if rest.beginsWithByte("\"") {
        rest = Self.behindFirstByte(of: rest)
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        content = rest[..<end]
        rest = Self.behindFirstByte(of: rest[end...])
        rest = rest[rest.utf8.drop(while: Self.isBlank).startIndex...]
      } else {
        content = Self.trimmed(rest.bytes(before: ";"))
        rest = rest.bytes(from: ";")
        guard !content.isEmpty, content.utf8.allSatisfy({ Self.isTokenByte($0) || "/:=?()@,".utf8.contains($0) }) else {
          return nil
        }
      }
      guard rest.isEmpty || rest.beginsWithByte(";"),
        parameters.updateValue(String(content), forKey: name.asciiLowercased) == nil
      else {
        return nil
      }
    }
    self.parameters = parameters
  }

  /// The value of the parameter with a lowercase name, or `nil` if the parameter is absent.
  subscript(name: String) -> String? { parameters[name] }

  /// Returns a string without its first byte, which must be ASCII.
  ///
  /// The function works on bytes, so that a combining mark after the first byte remains in the result.
  private static func behindFirstByte(of text: Substring) -> Substring {
    text[text.utf8.index(after: text.utf8.startIndex)...]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return text[bytes.startIndex..<bytes.endIndex]
  }

  /// Returns whether a byte is allowed in an HTTP token (RFC 9110, section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
