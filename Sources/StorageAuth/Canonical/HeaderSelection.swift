public import HTTPTypes
package import StorageCrypto

/// A header that is signed: where it stands, and enough of its name to sort it without looking again.
package struct SelectedHeader: BitwiseCopyable {
  /// The first sixteen bytes of the name, so that a number sorts as the name does.
  private let rank: UInt128

  /// The index among the request's fields; ``host`` for the authority.
  package let index: Int32

  /// Stands for the authority, which is no field.
  package static let host: Int32 = -1

  package init(name: Span<UInt8>, index: Int32) {
    rank =
      UInt128(truncatingIfNeeded: Self.word(of: name, at: 0)) << 64
      | UInt128(truncatingIfNeeded: Self.word(of: name, at: 8))
    self.index = index
  }

  /// Returns eight bytes as a number, the first one highest, with zeros behind the end.
  @inline(__always)
  private static func word(of name: Span<UInt8>, at start: Int) -> UInt64 {
    guard start < name.count else { return 0 }
    let end = min(start &+ 8, name.count)
    var word: UInt64 = 0
    for position in start..<end { word = word &<< 8 | UInt64(name[position]) }
    return word &<< UInt64(8 &* (8 &- (end &- start)))
  }

  /// Sorts headers by the bytes of their lower-case names.
  ///
  /// - Returns: The index of a field whose name is there twice, or `nil` if there is none.
  package static func sort(_ headers: inout ScratchList<SelectedHeader>, of fields: HTTPFields) -> Int? {
    headers.sort { first, second in
      if first.rank != second.rank { return first.rank < second.rank }
      return first.name(in: fields) < second.name(in: fields)
    }
    var index = 1
    while index < headers.count {
      let (before, after) = (headers[index &- 1], headers[index])
      if before.hasName(of: after, in: fields) {
        return Int(max(before.index, after.index))
      }
      index &+= 1
    }
    return nil
  }

  /// Returns whether two headers have the same name.
  package func hasName(of other: SelectedHeader, in fields: HTTPFields) -> Bool {
    rank == other.rank && name(in: fields).isIdentical(to: other.name(in: fields))
  }

  /// The name in lower case.
  package func name(in fields: HTTPFields) -> String {
    index == Self.host ? "host" : fields[Int(index)].name.canonicalName
  }
}

// A field is three texts, and a copy of it counts a reference to each: what is here reads one of them where it stands.

extension HTTPFields {
  /// Runs `body` over the lower-case name of a field.
  @inlinable @inline(__always)
  package func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let name = self[index].name.canonicalName
    let result = unsafe name.utf8.withContiguousStorageIfAvailable { unsafe body(Span(_unsafeElements: $0)) }
    return result ?? body(Array(name.utf8).span)
  }

  /// Runs `body` over the value of a field.
  @inlinable @inline(__always)
  package func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    // As text, a value that is not UTF-8 is another one, which then holds U+FFFD and so is not ASCII.
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
  /// Whether all bytes are ASCII characters.
  @inlinable @inline(__always)
  var isASCII: Bool {
    var seen: UInt8 = 0
    // Within bounds: the indices are the span's own. The loop has one way out, so that it takes many bytes at a time.
    for index in indices { seen |= unsafe self[unchecked: index] }
    return seen < 0x80
  }
}

extension HTTPFields {
  /// Returns whether the value of a field holds a tab or another control character.
  package func holdsControlCharacter(at index: Int) -> Bool {
    withValue(at: index) { value in
      var found: UInt8 = 0
      // Within bounds: the indices are the span's own. The loop has one way out, so that it takes many bytes at a time.
      for index in value.indices {
        let byte = unsafe value[unchecked: index]
        found |= (byte < UInt8(ascii: " ") ? 1 : 0) | (byte == 0x7f ? 1 : 0)
      }
      return found != 0
    }
  }
}

extension ByteWriter {
  /// Appends the value of a header field without the blanks at its ends, each run of blanks inside as one space.
  ///
  /// A blank is a space or a tab; quotation marks change nothing.
  package mutating func append(collapsingValueAt index: Int, of fields: HTTPFields) {
    fields.withValue(at: index) { append(collapsing: $0) }
  }

  private mutating func append(collapsing text: Span<UInt8>) {
    var blanks: UInt8 = 0
    // As above: within bounds, and with one way out.
    for index in text.indices {
      let byte = unsafe text[unchecked: index]
      blanks |= byte <= UInt8(ascii: " ") ? 1 : 0
    }
    guard blanks != 0 else { return append(text) }
    var index = 0
    var isFirst = true
    while index < text.count {
      while index < text.count, isBlank(text[index]) { index += 1 }
      let start = index
      while index < text.count, !isBlank(text[index]) { index += 1 }
      guard index > start else { return }
      if !isFirst { append(UInt8(ascii: " ")) }
      append(text.extracting(start..<index))
      isFirst = false
    }
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

extension HTTPField {
  /// Makes a field of what `body` writes: ASCII that a field may hold.
  package init(name: Name, writing body: (inout ByteWriter) -> Void) {
    self.init(name: name, value: String(writing: body))
  }
}

extension HTTPFields {
  /// Puts a field in the place of all that have its name, or adds it at the end.
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

  /// Returns the index of the first field with a name, or `nil` if there is none.
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
  /// The error for a header that is signed and there twice.
  public static func repeatedHeader(_ name: HTTPField.Name) -> SigningError {
    SigningError(
      .invalidHeader, "The header \(name.rawName), which is signed, is there twice.", remedy: "Send it once.")
  }
}
