// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The header fields of a request that is being signed.
///
/// It also stores the lengths of the names. Most fields that a signature adds are not in the request yet, and a length
/// that no name has proves this without comparing names.
package struct FieldDraft: ~Copyable {
  package private(set) var fields: HTTPFields

  /// A bit for each length that a name has; the highest bit stands for all greater lengths.
  private var nameLengths: UInt64 = 0

  /// Creates a draft with the fields of a request.
  ///
  /// - Parameters:
  ///   - fields: The fields.
  ///   - additions: The number of fields for which capacity is reserved.
  package init(_ fields: HTTPFields, adding additions: Int = 0) {
    self.fields = fields
    if additions > 0 { self.fields.reserveCapacity(fields.count &+ additions) }
    for index in fields.indices { nameLengths |= Self.bit(of: fields[index].name) }
  }

  private static func bit(of name: HTTPField.Name) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: min(name.canonicalName.utf8.count, 63))
  }

  /// Returns the index of the first field with a name, or `nil` if there is none.
  package func index(of name: HTTPField.Name) -> Int? {
    nameLengths & Self.bit(of: name) == 0 ? nil : fields.index(of: name)
  }

  /// Replaces all fields with the same name, or appends the field.
  package mutating func set(_ field: consuming HTTPField) {
    let bit = Self.bit(of: field.name)
    if nameLengths & bit != 0 { return fields.replace(field) }
    nameLengths |= bit
    fields.append(field)
  }

  /// Removes all fields with a name.
  package mutating func remove(_ name: HTTPField.Name) {
    if index(of: name) != nil { fields[name] = nil }
  }
}
