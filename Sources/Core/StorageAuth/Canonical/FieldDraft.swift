// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

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

extension FieldDraft {
  /// Sets the header field of the session token, or removes it if the credential has no session token.
  package mutating func set(_ token: HTTPField?, named name: HTTPField.Name) {
    if let token { set(token) } else { remove(name) }
  }
}
