// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
package import StorageCrypto

/// A signed header, represented by its field index and by the start of its name as a sort key.
@usableFromInline
package struct SelectedHeader: BitwiseCopyable {
  /// The first sixteen bytes of the header name as integers that sort in the same order as the name.
  @usableFromInline let rank: (UInt64, UInt64)

  /// The header's index among the request's fields, or ``host`` for the request's authority.
  @usableFromInline package let index: Int32

  /// Whether the value is known to be ASCII, and to remain unchanged when white space is collapsed.
  @usableFromInline package let isCollapsed: Bool

  /// The index that represents the request's authority, which is signed as the `host` header but is not a field.
  @inlinable package static var host: Int32 { -1 }

  package init(name: Span<UInt8>, index: Int32, isCollapsed: Bool = false) {
    self.isCollapsed = isCollapsed
    rank = (name.word(from: 0).byteSwapped, name.word(from: 8).byteSwapped)
    self.index = index
  }

  /// Sorts headers by the bytes of their lowercase names, and returns the index of a field whose name appears twice.
  package static func sort(_ headers: inout ScratchList<SelectedHeader>, of fields: HTTPFields) -> Int? {
    let hasRepeated = headers.sort { first, second in
      if first.rank != second.rank { return first.rank < second.rank ? -1 : 1 }
      return withBytes(of: first.name(in: fields)) { first in
        withBytes(of: second.name(in: fields)) { first.compared(to: $0) }
      }
    }
    guard hasRepeated else { return nil }
    var index = 1
    while index < headers.count {
      let (before, after) = (headers[index &- 1], headers[index])
      if before.hasName(of: after, in: fields) { return Int(max(before.index, after.index)) }
      index &+= 1
    }
    return nil
  }

  package func hasName(of other: SelectedHeader, in fields: HTTPFields) -> Bool {
    rank == other.rank && name(in: fields).isIdentical(to: other.name(in: fields))
  }

  package func name(in fields: HTTPFields) -> String {
    index == Self.host ? "host" : fields[Int(index)].name.canonicalName
  }
}

// Copying a field retains each of its three strings. The functions below therefore read one string in place.

extension HTTPFields {
  @inlinable @inline(__always)
  package func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let name = self[index].name.canonicalName
    let result = unsafe name.utf8.withContiguousStorageIfAvailable { unsafe body(Span(_unsafeElements: $0)) }
    return result ?? body(ContiguousArray(name.utf8).span)
  }

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
}

extension Span<UInt8> {
  @inlinable @inline(__always)
  var isASCII: Bool {
    var seen: UInt8 = 0
    // Within bounds: the indices are the span's own. The loop has one exit, so that the compiler can vectorize it.
    for index in indices { seen |= unsafe self[unchecked: index] }
    return seen < 0x80
  }
}

/// The properties of a field value that matter to a signature scheme that collapses white space.
package struct FieldValueTraits {
  package let holdsControl: Bool

  /// Whether the field value is ASCII and has no control characters and no leading, trailing or consecutive spaces.
  ///
  /// Collapsing white space leaves such a value unchanged.
  package let isCollapsed: Bool

  fileprivate init(_ value: Span<UInt8>) {
    var (all, control, pair): (UInt8, UInt8, UInt8) = (0, 0, 0)
    var before = UInt8(ascii: " ")
    // Within bounds: the indices are the span's own. The loop has one exit, so that the compiler can vectorize it.
    for index in value.indices {
      let byte = unsafe value[unchecked: index]
      all |= byte
      control |= (byte < UInt8(ascii: " ") ? 1 : 0) | (byte == 0x7f ? 1 : 0)
      pair |= (before == UInt8(ascii: " ") ? 1 : 0) & (byte == UInt8(ascii: " ") ? 1 : 0)
      before = byte
    }
    holdsControl = control != 0
    isCollapsed = all < 0x80 && control | pair == 0 && (value.isEmpty || before != UInt8(ascii: " "))
  }
}

extension HTTPFields {
  package func traitsOfValue(at index: Int) -> FieldValueTraits {
    let text = self[index].value
    let traits = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe FieldValueTraits(Span(_unsafeElements: $0))
    }
    // If the value is not UTF-8, its string has different bytes; the string then contains U+FFFD and is not ASCII.
    if let traits, traits.isCollapsed { return traits }
    return unsafe self[index].withUnsafeBytesOfValue { unsafe FieldValueTraits(Span(_unsafeElements: $0)) }
  }
}

extension ByteWriter {
  /// Appends a header value without white space at its ends, and with each inner run of it collapsed to one space.
  ///
  /// White space is spaces and tabs, also within quotation marks. The rule is that of the IAM page "Create a signed AWS
  /// API request" (canonical headers); S3 applies it within quotation marks too.
  package mutating func append(collapsingValueOf header: SelectedHeader, in fields: HTTPFields) {
    let index = Int(header.index)
    if header.isCollapsed { return append(fields[index].value) }
    fields.withValue(at: index) { append(collapsing: $0) }
  }

  private mutating func append(collapsing text: Span<UInt8>) {
    var index = 0
    var isFirst = true
    while true {
      index = text.end(ofRunFrom: index) { Self.blanks($0) }
      guard index < text.count else { return }
      let start = index
      index = text.end(ofRunFrom: start) { Self.blanks($0).inverted }
      if !isFirst { append(UInt8(ascii: " ")) }
      append(text.extracting(start..<index))
      isFirst = false
    }
  }

  @inline(__always)
  private static func blanks(_ lanes: ByteLanes) -> LaneSet {
    lanes.equal(UInt8(ascii: " ")).union(lanes.equal(UInt8(ascii: "\t")))
  }
}

extension HTTPField {
  /// Creates a field whose value a closure writes, in ASCII characters that are allowed in a field value.
  package init(name: Name, writing body: (inout ByteWriter) -> Void) {
    self.init(name: name, value: String(writing: body))
  }
}

extension HTTPFields {
  /// Replaces all fields that have the given field's name, or appends the field if the name is new.
  package mutating func replace(_ field: consuming HTTPField) {
    guard let first = index(of: field.name) else { return append(field) }
    let name = field.name.canonicalName
    self[first] = field
    var index = count &- 1
    while index > first {
      if self[index].name.canonicalName.isIdentical(to: name) { remove(at: index) }
      index &-= 1
    }
  }

  package func index(of name: HTTPField.Name) -> Int? {
    let name = name.canonicalName
    var index = 0
    while index < count {
      if self[index].name.canonicalName.isIdentical(to: name) { return index }
      index &+= 1
    }
    return nil
  }
}

extension SigningError {
  /// Creates the error for a header that must be signed but appears twice in the request.
  ///
  /// - Parameter name: The name of the repeated header.
  public static func repeatedHeader(_ name: HTTPField.Name) -> SigningError {
    SigningError(.invalidHeader, "The header \(name.rawName), which is signed, appears twice.", remedy: "Send it once.")
  }
}

/// The header fields of a request that is being signed.
///
/// The draft also stores the lengths of the field names. Most fields that a signature adds are not in the request yet.
/// A length that no existing name has proves that a field is new without comparing names.
package struct FieldDraft: ~Copyable {
  package private(set) var fields: HTTPFields

  /// A bit mask of the field name lengths; the highest bit represents all lengths of 63 bytes or more.
  private var nameLengths: UInt64 = 0

  package init(_ fields: HTTPFields, adding additions: Int = 0) {
    self.fields = fields
    if additions > 0 { self.fields.reserveCapacity(fields.count &+ additions) }
    for index in fields.indices { nameLengths |= Self.bit(of: fields[index].name) }
  }

  private static func bit(of name: HTTPField.Name) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: min(name.canonicalName.utf8.count, 63))
  }

  package func index(of name: HTTPField.Name) -> Int? {
    nameLengths & Self.bit(of: name) == 0 ? nil : fields.index(of: name)
  }

  package mutating func set(_ field: consuming HTTPField) {
    let bit = Self.bit(of: field.name)
    if nameLengths & bit != 0 { return fields.replace(field) }
    nameLengths |= bit
    fields.append(field)
  }

  package mutating func remove(_ name: HTTPField.Name) {
    if index(of: name) != nil { fields[name] = nil }
  }
}

extension HTTPField.Name {
  /// The name of the Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// Creates a header name from a literal, which must be a token (RFC 9110, section 5.6.2).
  ///
  /// A typing error stops a debug build where the name is created. In a release build, it results in a name that no
  /// program sends or reads, rather than in the name of another header.
  package static func known(_ text: StaticString, file: StaticString = #fileID, line: UInt = #line) -> HTTPField.Name {
    if let name = HTTPField.Name(text.description) { return name }
    assertionFailure("\"\(text)\" is not a valid header name.", file: file, line: line)
    return mistyped
  }

  /// The replacement for an invalid header name; the `.date` fallback only satisfies the type checker.
  static let mistyped = HTTPField.Name("x-mistyped-name") ?? .date
}
