public import HTTPTypes

extension RequestTarget {
  /// Returns the value of a parameter that may be there once, or `nil` if it is not there; empty where it has none.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``VerificationError/Code/ambiguous`` if it is there twice.
  public func uniqueValue(for name: WireText) throws(VerificationError) -> String? {
    var value: WireText?
    for parameter in parameters where parameter.name == name {
      guard value == nil else { throw .ambiguous("The parameter \(name) is there twice.") }
      value = parameter.value ?? ""
    }
    return value?.string
  }
}

extension HTTPFields {
  /// Returns the value of a field that may be there once, or `nil` if it is not there.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``VerificationError/Code/ambiguous`` if it is there twice.
  public func uniqueValue(for name: HTTPField.Name) throws(VerificationError) -> String? {
    var value: String?
    for field in self where field.name == name {
      guard value == nil else { throw .ambiguous("The header \(name.rawName) is there twice.") }
      value = field.value
    }
    return value
  }
}
