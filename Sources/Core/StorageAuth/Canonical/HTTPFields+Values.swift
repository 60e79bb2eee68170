// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// Access to one string of a field in place, because copying a field retains each of its three strings.
extension HTTPFields {
  /// Calls a function with the bytes of a field's value, which need not be UTF-8.
  @inlinable @inline(__always)
  package func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    // If the value is not UTF-8, its string has different bytes; the string then contains U+FFFD and is not ASCII.
    let text = self[index].value
    let result = unsafe text.utf8.withContiguousStorageIfAvailable { bytes -> Result? in
      let bytes = unsafe Span(_unsafeElements: bytes)
      return bytes.isASCII ? body(bytes) : nil
    }
    if let result, let result { return result }
    return unsafe self[index].withUnsafeBytesOfValue { unsafe body(Span(_unsafeElements: $0)) }
  }

  /// Returns the traits of a field's value, which need not be UTF-8.
  package func traitsOfValue(at index: Int) -> FieldValueTraits {
    let text = self[index].value
    let traits = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe FieldValueTraits(Span(_unsafeElements: $0))
    }
    // See `withValue(at:)` for a value that is not UTF-8.
    if let traits, traits.isCollapsed { return traits }
    return unsafe self[index].withUnsafeBytesOfValue { unsafe FieldValueTraits(Span(_unsafeElements: $0)) }
  }
}

extension HTTPFields {
  /// Replaces all fields that have the given field's name, or appends the field if the name is new.
  package mutating func replace(_ field: consuming HTTPField) {
    guard let firstIndex = index(of: field.name) else { return append(field) }
    let name = field.name.canonicalName
    self[firstIndex] = field
    var index = count &- 1
    while index > firstIndex {
      if self[index].name.canonicalName.isIdentical(to: name) { remove(at: index) }
      index &-= 1
    }
  }

  /// Returns the index of the first field with a name, or `nil` if the field is missing.
  package func index(of name: HTTPField.Name) -> Int? {
    let name = name.canonicalName
    var index = 0
    while index < count {
      if self[index].name.canonicalName.isIdentical(to: name) { return index }
      index &+= 1
    }
    return nil
  }

  /// Returns all values of a header field joined by commas, or `nil` if the field is missing.
  ///
  /// The result equals the subscript's, which takes several times as long for the usual case of one field.
  package func value(of name: HTTPField.Name) -> String? {
    guard let firstIndex = index(of: name) else { return nil }
    var index = firstIndex &+ 1
    while index < count {
      if self[index].name.canonicalName.isIdentical(to: name.canonicalName) { return self[name] }
      index &+= 1
    }
    return self[firstIndex].value
  }

  /// Returns the value of a header field that may appear at most once, or `nil` if the field is missing.
  ///
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/ambiguous`` if the field appears twice.
  public func uniqueValue(for name: HTTPField.Name) throws(VerificationError) -> String? {
    var value: String?
    for field in self where field.name == name {
      guard value == nil else { throw .ambiguous("The header \(name.rawName) appears twice.") }
      value = field.value
    }
    return value
  }

  /// Returns a copy without the fields that have one of the names, such as those of an earlier signature.
  package func without(_ names: [HTTPField.Name]) -> HTTPFields {
    guard contains(where: { names.contains($0.name) }) else { return self }
    var fields = self
    fields.removeAll { names.contains($0.name) }
    return fields
  }
}

extension Span<UInt8> {
  @inlinable @inline(__always) var isASCII: Bool {
    var combinedBits: UInt8 = 0
    // Within bounds: the indices are the span's own. The loop has one exit, so that the compiler can vectorize it.
    for index in indices { combinedBits |= unsafe self[unchecked: index] }
    return combinedBits < 0x80
  }
}

/// The properties of a field value that matter to a signature scheme that collapses white space.
package struct FieldValueTraits {
  /// Whether the field value contains a control character, which no signature scheme can represent.
  package let holdsControl: Bool

  /// Whether the field value is ASCII and has no control characters and no leading, trailing or consecutive spaces.
  ///
  /// Collapsing white space leaves such a value unchanged.
  package let isCollapsed: Bool

  init(_ value: Span<UInt8>) {
    // Most values have visible characters only.
    if value.consists(of: { $0.lie(from: UInt8(ascii: "!"), through: UInt8(ascii: "~")) }) {
      (holdsControl, isCollapsed) = (false, true)
      return
    }
    var (combinedBits, control, spacePair): (UInt8, UInt8, UInt8) = (0, 0, 0)
    // The start of the value counts as a space, so that a leading space is found as a pair.
    var previous = UInt8(ascii: " ")
    // Within bounds: the indices are the span's own. The loop has one exit, so that the compiler can vectorize it.
    for index in value.indices {
      let byte = unsafe value[unchecked: index]
      combinedBits |= byte
      control |= (byte < UInt8(ascii: " ") ? 1 : 0) | (byte == 0x7f ? 1 : 0)
      spacePair |= (previous == UInt8(ascii: " ") ? 1 : 0) & (byte == UInt8(ascii: " ") ? 1 : 0)
      previous = byte
    }
    holdsControl = control != 0
    isCollapsed = combinedBits < 0x80 && control | spacePair == 0 && (value.isEmpty || previous != UInt8(ascii: " "))
  }
}

extension HTTPResponse {
  /// The number of bytes in the body, or `nil` if the head does not declare it.
  package var contentLength: Int64? { headerFields.value(of: .contentLength).flatMap { Int64(digits: $0) } }
}

extension HTTPField.Name {
  /// The name of the Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// Creates a header name from a literal, which must be a token (RFC 9110, section 5.6.2).
  ///
  /// A typing error stops a debug build where the name is created; in a release build, it results in a name that no
  /// program sends or reads. A literal's string is not reference-counted, so that a signature copies the name for free.
  package static func known(_ text: String, file: StaticString = #fileID, line: UInt = #line) -> HTTPField.Name {
    if let name = HTTPField.Name(text) { return name }
    assertionFailure("\"\(text)\" is not a valid header name.", file: file, line: line)
    return mistyped
  }

  /// The replacement for an invalid header name; the `.date` fallback only satisfies the type checker.
  static let mistyped = HTTPField.Name("x-mistyped-name") ?? .date
}
