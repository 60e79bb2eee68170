// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The header fields of a request that is being signed: the request's own, read in place, and those that signing adds.
///
/// An added field replaces the request's fields of its name. A replaced field keeps its index, and has an empty name,
/// which no signature covers.
package struct FieldDraft<Base: SignableFields>: SignableFields {
  /// The request's own fields.
  package let base: Base

  package private(set) var added: AddedFields

  @usableFromInline let baseCount: Int

  @usableFromInline private(set) var replacesFields = false

  /// A bit mask of the lengths of the request's field names; the highest bit represents all lengths of 63 bytes or more.
  ///
  /// Most fields that a signature adds are not in the request yet. A length that no name in the request has proves that
  /// a field is new without comparing names.
  @usableFromInline let nameLengths: UInt64

  @inlinable
  package init(_ base: Base) {
    var lengths: UInt64 = 0
    let count = base.count
    for index in 0..<count { lengths |= base.withName(at: index) { lengthBit($0.count) } }
    self.init(base, count: count, nameLengths: lengths)
  }

  @usableFromInline
  init(_ base: Base, count: Int, nameLengths: UInt64) {
    self.base = base
    self.nameLengths = nameLengths
    baseCount = count
    added = AddedFields(nameLengths: nameLengths)
  }

  @inlinable package var count: Int { baseCount &+ added.count }

  @inlinable
  package func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    guard index < baseCount else { return added[index &- baseCount].name.canonicalName.withSpan(body) }
    return base.withName(at: index) { name in
      body(replacesFields && added.index(ofName: name) != nil ? name.extracting(0..<0) : name)
    }
  }

  @inlinable
  package func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    guard index < baseCount else { return added[index &- baseCount].value.withSpan(body) }
    return base.withValue(at: index, body)
  }

  @inlinable
  package func index(of name: HTTPField.Name) -> Int? {
    if let index = name.canonicalName.withSpan({ added.index(ofName: $0) }) { return baseCount &+ index }
    return nameLengths & lengthBit(name.canonicalName.utf8.count) == 0 ? nil : base.index(ofName: name.canonicalName)
  }

  /// Adds a field whose name has not been added before.
  @inlinable
  package mutating func add(_ field: consuming HTTPField) {
    if index(of: field.name) != nil { replacesFields = true }
    added.append(field)
  }
}

extension FieldDraft {
  /// Adds the field of the session token; a request that has one and a credential without one are rejected.
  package mutating func add(token: HTTPField?, named name: HTTPField.Name) throws(SigningError) {
    if let token { return add(token) }
    guard index(of: name) == nil else {
      throw SigningError(
        .invalidHeader, "The request has the header \(name.rawName), and the credential has no session token.",
        remedy: "Remove the header before the request is signed.")
    }
  }
}

extension HTTPRequest {
  /// Sets the fields that `body` returns for the request; if `token` is `nil`, the field of an earlier token is removed.
  @inline(__always)
  package mutating func addFields(
    withToken token: HTTPField?, named tokenName: HTTPField.Name,
    _ body: (HTTPRequest) throws(SigningError) -> AddedFields
  ) throws(SigningError) {
    if token == nil, headerFields.index(ofName: tokenName.canonicalName) != nil {
      var changed = without(tokenName)
      try body(changed).set(in: &changed.headerFields)
      self = changed
    } else {
      try body(self).set(in: &headerFields)
    }
  }

  package func without(_ name: HTTPField.Name) -> HTTPRequest {
    guard headerFields.index(ofName: name.canonicalName) != nil else { return self }
    var request = self
    request.headerFields[name] = nil
    return request
  }
}

/// Returns the bit of a name's length in a mask; the highest bit represents all lengths of 63 bytes or more.
@inlinable @inline(__always)
func lengthBit(_ length: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: min(length, 63)) }

/// The fields that signing adds to a request, in order: up to four, which are stored without an allocation.
package struct AddedFields {
  @usableFromInline var fields: (HTTPField?, HTTPField?, HTTPField?, HTTPField?) = (nil, nil, nil, nil)

  @usableFromInline package var count = 0

  /// The lengths of the names in the request, as in ``FieldDraft``.
  @usableFromInline let nameLengths: UInt64

  @inlinable init(nameLengths: UInt64) { self.nameLengths = nameLengths }

  @inlinable
  package subscript(_ index: Int) -> HTTPField {
    let field =
      switch index {
      case 0: fields.0
      case 1: fields.1
      case 2: fields.2
      default: fields.3
      }
    return field ?? HTTPField(name: .mistyped, value: "")
  }

  @inlinable
  func index(ofName name: Span<UInt8>) -> Int? {
    for index in 0..<count where name.hasBytes(of: self[index].name.canonicalName) {
      return index
    }
    return nil
  }

  @inlinable
  package mutating func append(_ field: consuming HTTPField) {
    switch count {
    case 0: fields.0 = field
    case 1: fields.1 = field
    case 2: fields.2 = field
    default: fields.3 = field
    }
    count &+= 1
  }

  package var array: [HTTPField] { (0..<count).map { self[$0] } }

  /// Replaces the fields of the request that have the names of the added fields, or appends the added fields.
  package func set(in fields: inout HTTPFields) {
    fields.reserveCapacity(fields.count &+ count)
    for index in 0..<count {
      let field = self[index]
      if nameLengths & lengthBit(field.name.canonicalName.utf8.count) == 0 {
        fields.append(field)
      } else {
        fields.replace(field)
      }
    }
  }
}
