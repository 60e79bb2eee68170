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
  package static func sort(_ headers: inout ScratchList<SelectedHeader>, of fields: borrowing FieldDraft) -> Int? {
    let hasEqualNames = headers.sort { first, second in
      if first.rank != second.rank { return first.rank < second.rank ? -1 : 1 }
      return withBytes(of: first.name(in: fields)) { first in
        withBytes(of: second.name(in: fields)) { first.compared(to: $0) }
      }
    }
    guard hasEqualNames else { return nil }
    var index = 1
    while index < headers.count {
      let (previous, current) = (headers[index &- 1], headers[index])
      if previous.hasName(of: current, in: fields) { return Int(max(previous.index, current.index)) }
      index &+= 1
    }
    return nil
  }

  package func hasName(of other: SelectedHeader, in fields: borrowing FieldDraft) -> Bool {
    rank == other.rank && name(in: fields).isIdentical(to: other.name(in: fields))
  }

  package func name(in fields: borrowing FieldDraft) -> String {
    index == Self.host ? "host" : fields.canonicalName(at: Int(index))
  }
}

extension ByteWriter {
  /// Appends a header value without white space at its ends, and with each inner run of it collapsed to one space.
  ///
  /// White space is spaces and tabs, also within quotation marks. The rule is that of the IAM page "Create a signed AWS
  /// API request" (canonical headers); S3 applies it within quotation marks too.
  package mutating func append(collapsingValueOf header: SelectedHeader, in fields: borrowing FieldDraft) {
    let index = Int(header.index)
    if header.isCollapsed { return append(fields.value(at: index)) }
    if index < fields.fields.count {
      fields.fields.withValue(at: index) { append(collapsing: $0) }
    } else {
      withBytes(of: fields.value(at: index)) { append(collapsing: $0) }
    }
  }

  private mutating func append(collapsing text: Span<UInt8>) {
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

  @inline(__always)
  private static func blanks(_ lanes: ByteLanes) -> LaneSet {
    lanes.equal(UInt8(ascii: " ")).union(lanes.equal(UInt8(ascii: "\t")))
  }
}

extension Span<UInt8> {
  /// Returns the end of the name that starts at an index of a list of header names, which semicolons separate.
  package func endOfHeaderName(from start: Int) -> Int {
    end(ofRunFrom: start) { $0.equal(UInt8(ascii: ";")).inverted }
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
