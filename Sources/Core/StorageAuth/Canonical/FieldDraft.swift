// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The header fields of a request that is being signed.
///
/// The draft also stores the lengths of the field names. Most fields that a signature adds are not in the request yet.
/// A length that no existing name has proves that a field is new without comparing names.
package struct FieldDraft: ~Copyable {
  package private(set) var fields: HTTPFields

  /// A bit mask of the lengths of field names; the highest bit represents all lengths of 63 bytes or more.
  private var nameLengths: UInt64 = 0

  package init(_ fields: HTTPFields, adding additionalCount: Int = 0) {
    self.fields = fields
    if additionalCount > 0 { self.fields.reserveCapacity(fields.count &+ additionalCount) }
    for index in fields.indices { nameLengths |= Self.lengthBit(of: fields[index].name) }
  }

  private static func lengthBit(of name: HTTPField.Name) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: min(name.canonicalName.utf8.count, 63))
  }

  package func index(of name: HTTPField.Name) -> Int? {
    nameLengths & Self.lengthBit(of: name) == 0 ? nil : fields.index(of: name)
  }

  /// Replaces the fields with the given field's name, or appends the field.
  package mutating func set(_ field: consuming HTTPField) {
    let lengthBit = Self.lengthBit(of: field.name)
    if nameLengths & lengthBit != 0 { return fields.replace(field) }
    nameLengths |= lengthBit
    fields.append(field)
  }

  package mutating func remove(_ name: HTTPField.Name) {
    if index(of: name) != nil { fields[name] = nil }
  }

  /// Sets the header field of the session token, or removes it if the credential has no session token.
  package mutating func set(_ token: HTTPField?, named name: HTTPField.Name) {
    if let token { set(token) } else { remove(name) }
  }
}
