// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// The header fields of a request that is being signed.
///
/// The fields that the signature adds are appended to those of the request, or are kept apart for a caller that wants
/// only them, so that the request's fields are not copied. An index counts the request's fields first.
///
/// The draft also stores the lengths of the field names, so that most new names are recognized without a comparison.
package struct FieldDraft: ~Copyable {
  /// The destination of the fields that a signature adds.
  package enum Additions {
    /// The fields of the request.
    case joined
    /// A list of their own.
    case apart
  }

  /// The fields of the request, with those that the signature adds unless they are kept apart.
  @usableFromInline package private(set) var fields: HTTPFields
  /// The names and values that the signature adds, if they are kept apart.
  @usableFromInline private(set) var additions: [(name: HTTPField.Name, value: String)] = []
  private let isApart: Bool
  /// The name of a field that the request has and must not have, which additions that are kept apart cannot remove.
  private var removedName: HTTPField.Name?
  /// A bit mask of the lengths of field names; the highest bit represents all lengths of 63 bytes or more.
  private var nameLengths: UInt64 = 0

  package init(_ fields: HTTPFields, adding additionalCount: Int = 0, _ destination: Additions = .joined) {
    self.fields = fields
    isApart = destination == .apart
    if isApart {
      additions.reserveCapacity(additionalCount)
    } else if additionalCount > 0 {
      self.fields.reserveCapacity(fields.count &+ additionalCount)
    }
    for index in fields.indices { nameLengths |= Self.lengthBit(of: fields[index].name) }
  }

  private static func lengthBit(of name: HTTPField.Name) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: min(name.canonicalName.utf8.count, 63))
  }

  /// Returns the index of the first field with a name, or `nil` if there is none.
  package func index(of name: HTTPField.Name) -> Int? {
    if nameLengths & Self.lengthBit(of: name) == 0 { return nil }
    if let index = fields.index(of: name) { return index }
    return additions.firstIndex { $0.name == name }.map { fields.count &+ $0 }
  }

  /// Replaces the fields with the given field's name, or appends the field.
  package mutating func set(_ field: consuming HTTPField) {
    if isApart { return keepApart(field.value, named: field.name) }
    let lengthBit = Self.lengthBit(of: field.name)
    let isNew = nameLengths & lengthBit == 0
    nameLengths |= lengthBit
    if isNew { fields.append(field) } else { fields.replace(field) }
  }

  /// Sets a field to a value in ASCII characters that are allowed in a field value.
  package mutating func set(_ value: String, named name: HTTPField.Name) {
    if isApart { keepApart(value, named: name) } else { set(HTTPField(name: name, value: value)) }
  }

  /// Adds a field to the additions in place of all fields with its name.
  private mutating func keepApart(_ value: String, named name: HTTPField.Name) {
    if index(of: name) != nil {
      fields[name] = nil
      additions.removeAll { $0.name == name }
    }
    nameLengths |= Self.lengthBit(of: name)
    additions.append((name, value))
  }

  /// Removes the fields with a name; if the additions are kept apart, ``authorization()`` then throws an error.
  package mutating func remove(_ name: HTTPField.Name) {
    guard index(of: name) != nil else { return }
    if isApart { removedName = name }
    fields[name] = nil
  }

  /// Sets the header field of the session token, or removes it if the credential has no session token.
  package mutating func set(_ token: HTTPField?, named name: HTTPField.Name) {
    if let token { set(token) } else { remove(name) }
  }

  /// Returns the names and values that the signature adds, in the order in which they were set.
  ///
  /// - Throws: A ``SigningError`` if the request has a field that must be removed, which no addition can do.
  package func authorization() throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    guard let removedName else { return additions }
    throw SigningError(
      .invalidHeader, "The request has the header \(removedName.rawName), which the credential does not need.",
      remedy: "Remove the header before the request is signed.")
  }
}

/// Access to one string of a field, because copying a field retains each of its three strings.
///
/// No function here is generic: across modules, the compiler does not specialize those of noncopyable types.
extension FieldDraft {
  @inlinable @inline(__always) package var indices: Range<Int> { 0..<(fields.count &+ additions.count) }

  package func name(at index: Int) -> HTTPField.Name {
    index < fields.count ? fields[index].name : additions[index &- fields.count].name
  }

  @inlinable @inline(__always) package func canonicalName(at index: Int) -> String {
    index < fields.count ? fields[index].name.canonicalName : additions[index &- fields.count].name.canonicalName
  }

  package func value(at index: Int) -> String {
    index < fields.count ? fields[index].value : additions[index &- fields.count].value
  }

  package func traitsOfValue(at index: Int) -> FieldValueTraits {
    if index < fields.count { return fields.traitsOfValue(at: index) }
    return withBytes(of: additions[index &- fields.count].value) { FieldValueTraits($0) }
  }
}

extension ByteWriter {
  /// Appends the bytes of a field's value, which need not be UTF-8.
  package mutating func append(valueAt index: Int, of fields: borrowing FieldDraft) {
    if index < fields.fields.count {
      fields.fields.withValue(at: index) { append($0) }
    } else {
      append(fields.additions[index &- fields.fields.count].value)
    }
  }

  /// Appends the percent-encoded bytes of a field's value, which need not be UTF-8.
  package mutating func append(percentEncodingValueAt index: Int, of fields: borrowing FieldDraft) {
    if index < fields.fields.count {
      fields.fields.withValue(at: index) { append(percentEncoding: $0) }
    } else {
      append(percentEncoding: fields.additions[index &- fields.fields.count].value)
    }
  }
}
