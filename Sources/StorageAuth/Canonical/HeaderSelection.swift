public import HTTPTypes
package import StorageCrypto

/// A header that is signed: where it stands, and enough of its name to sort it without looking again.
@usableFromInline
package struct SelectedHeader: BitwiseCopyable {
  /// The first sixteen bytes of the name, so that a number sorts as the name does.
  @usableFromInline let rank: UInt128

  /// The index among the request's fields; ``host`` for the authority.
  @usableFromInline package let index: Int32

  /// Stands for the authority, which is no field.
  @inlinable package static var host: Int32 { -1 }

  package init(name: Span<UInt8>, index: Int32) {
    rank =
      UInt128(truncatingIfNeeded: name.word(from: 0).byteSwapped) << 64
      | UInt128(truncatingIfNeeded: name.word(from: 8).byteSwapped)
    self.index = index
  }

  /// Sorts headers by the bytes of their lower-case names.
  ///
  /// - Returns: The index of a field whose name is there twice, or `nil` if there is none.
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
      value.contains { $0.lie(from: 0, through: 0x1f).union($0.equal(0x7f)) }
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
