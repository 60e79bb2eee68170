package import HTTPTypes

/// The fields of a request that is being signed.
///
/// The lengths of the names are kept beside them. Most fields that a signature adds are not there before, and an absent
/// length tells so without a look at the names.
package struct FieldDraft: ~Copyable {
  /// The fields.
  package private(set) var fields: HTTPFields

  /// A bit for each length that a name has; the highest one for all lengths above it.
  private var nameLengths: UInt64 = 0

  /// Starts with the fields of a request.
  ///
  /// - Parameters:
  ///   - fields: The fields.
  ///   - additions: How many fields there is to be room for.
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

  /// Puts a field in the place of all that have its name, or adds it at the end.
  package mutating func set(_ field: consuming HTTPField) {
    let bit = Self.bit(of: field.name)
    if nameLengths & bit != 0 { return fields.replace(field) }
    nameLengths |= bit
    fields.append(field)
  }

  /// Removes the fields that have a name.
  package mutating func remove(_ name: HTTPField.Name) {
    if index(of: name) != nil { fields[name] = nil }
  }
}
