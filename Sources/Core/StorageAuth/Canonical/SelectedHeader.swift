// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
package import StorageCrypto

/// A signed header, represented by its field index and by the first 24 bytes of its name as a sort key.
///
/// Most names are not longer, so that they are compared and written without reading the field.
@usableFromInline package struct SelectedHeader: BitwiseCopyable {
  /// The first 24 bytes of the header name as big-endian integers, which sort in the same order as the name.
  @usableFromInline let rank: (UInt64, UInt64, UInt64)
  /// The header's index among the request's fields, or ``hostIndex`` for the request's authority.
  @usableFromInline package let index: Int32
  /// The number of bytes of the name, at most 255.
  private let nameByteCount: UInt8
  /// Whether the value is known to be ASCII, and to remain unchanged when white space is collapsed.
  @usableFromInline package let isCollapsed: Bool
  /// Whether the header has the name of the header in front of it in a sorted list.
  package private(set) var repeatsName = false

  /// The index that represents the request's authority, which is signed as the `host` header but is not a field.
  @inlinable package static var hostIndex: Int32 { -1 }

  package init(name: Span<UInt8>, index: Int32, isCollapsed: Bool = false) {
    self.isCollapsed = isCollapsed
    rank = (name.word(from: 0).byteSwapped, name.word(from: 8).byteSwapped, name.word(from: 16).byteSwapped)
    nameByteCount = UInt8(clamping: name.count)
    self.index = index
  }

  /// Sorts headers by the bytes of their lowercase names, and marks each header that repeats the name before it.
  ///
  /// - Returns: The index of a field whose name appears twice, or `nil` if every name appears once.
  package static func sort(_ headers: inout ScratchList<SelectedHeader>, of fields: borrowing FieldDraft) -> Int? {
    let hasEqualNames = headers.sort { $0.compared(to: $1, in: fields) }
    guard hasEqualNames else { return nil }
    var repeatedIndex: Int?
    for index in 1..<headers.count where headers[index].compared(to: headers[index &- 1], in: fields) == 0 {
      headers[index].repeatsName = true
      // The larger index is that of a field, because the index of the host is negative.
      repeatedIndex = repeatedIndex ?? Int(max(headers[index].index, headers[index &- 1].index))
    }
    return repeatedIndex
  }

  /// Compares the names: negative if this header sorts first, and zero if the names are equal.
  @inline(__always) private func compared(to other: SelectedHeader, in fields: borrowing FieldDraft) -> Int {
    if rank.0 != other.rank.0 { return rank.0 < other.rank.0 ? -1 : 1 }
    if rank.1 != other.rank.1 { return rank.1 < other.rank.1 ? -1 : 1 }
    if rank.2 != other.rank.2 { return rank.2 < other.rank.2 ? -1 : 1 }
    if isNameInRank || other.isNameInRank { return Int(nameByteCount) &- Int(other.nameByteCount) }
    return withBytes(of: fields.canonicalName(at: Int(index))) { name in
      withBytes(of: fields.canonicalName(at: Int(other.index))) { name.compared(to: $0) }
    }
  }

  /// Whether ``rank`` contains the whole name, as it does for the `host` header.
  private var isNameInRank: Bool { nameByteCount <= 24 }

  /// The bytes of ``rank`` in the order of the name, which is the order in memory.
  @inline(__always) private var nameStart: (first: ByteLanes, second: ByteLanes) {
    (ByteLanes(rank.0.byteSwapped, rank.1.byteSwapped), ByteLanes(rank.2.byteSwapped))
  }

  /// Whether the name is known to contain only characters that percent-encoding keeps.
  package var hasUnreservedName: Bool {
    let count = Int(nameByteCount)
    return isNameInRank && nameStart.first.areUnreserved(before: count)
      && (count <= 16 || nameStart.second.areUnreserved(before: count &- 16))
  }

  package func appendName(in fields: borrowing FieldDraft, to writer: inout ByteWriter) {
    if isNameInRank {
      writer.append(nameStart.first, nameStart.second, count: Int(nameByteCount))
    } else {
      writer.append(fields.canonicalName(at: Int(index)))
    }
  }

  package func name(in fields: borrowing FieldDraft) -> String {
    index == Self.hostIndex ? "host" : fields.canonicalName(at: Int(index))
  }
}

extension ByteWriter {
  /// Appends a header value without white space at its ends, and with each inner run of it collapsed to one space.
  ///
  /// White space is spaces and tabs. The rule is from the IAM page "Create a signed AWS API request" (canonical
  /// headers); S3 applies it within quotation marks too. The header is a field, not the authority.
  package mutating func append(collapsingValueOf header: SelectedHeader, in fields: borrowing FieldDraft) {
    let index = Int(header.index)
    if header.isCollapsed { return append(fields.value(at: index)) }
    // The fields that the signer adds have the indexes after those of the request, and are read as strings.
    if index < fields.fields.count {
      fields.fields.withValue(at: index) { appendCollapsed($0) }
    } else {
      withBytes(of: fields.value(at: index)) { appendCollapsed($0) }
    }
  }

  private mutating func appendCollapsed(_ text: Span<UInt8>) {
    var index = 0
    var isFirst = true
    while true {
      index = text.end(ofRunFrom: index) { Self.blanks($0) }
      guard index < text.count else { return }
      let wordStart = index
      index = text.end(ofRunFrom: wordStart) { Self.blanks($0).inverted }
      if !isFirst { append(UInt8(ascii: " ")) }
      append(text.extracting(wordStart..<index))
      isFirst = false
    }
  }

  @inline(__always) private static func blanks(_ lanes: ByteLanes) -> LaneSet {
    lanes.equal(UInt8(ascii: " ")).union(lanes.equal(UInt8(ascii: "\t")))
  }
}

extension Span<UInt8> {
  /// Returns the end of the name that starts at an index of a list of header names, which semicolons separate.
  package func endOfHeaderName(from start: Int) -> Int { end(ofRunFrom: start, without: UInt8(ascii: ";")) }
}

extension SigningError {
  /// Creates the error for a header that must be signed but appears twice in the request, with the header's name.
  public static func repeatedHeader(_ name: HTTPField.Name) -> SigningError {
    SigningError(.invalidHeader, "The header \(name.rawName), which is signed, appears twice.", remedy: "Send it once.")
  }
}
