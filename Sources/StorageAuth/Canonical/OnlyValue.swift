package import HTTPTypes

extension RequestTarget {
  /// The value of a parameter that may be there once.
  ///
  /// - Throws: ``VerificationError/Code/ambiguous`` if it is there twice.
  package func only(_ name: WireText) throws(VerificationError) -> String? {
    var value: WireText?
    for parameter in parameters where parameter.name == name {
      guard value == nil else { throw .ambiguous("The parameter \(name) is there twice.") }
      value = parameter.value ?? ""
    }
    return value?.string
  }
}

extension HTTPFields {
  /// The value of a field that may be there once.
  ///
  /// - Throws: ``VerificationError/Code/ambiguous`` if it is there twice.
  package func onlyValue(of name: HTTPField.Name) throws(VerificationError) -> String? {
    var value: String?
    for field in self where field.name == name {
      guard value == nil else { throw .ambiguous("The header \(name.rawName) is there twice.") }
      value = field.value
    }
    return value
  }
}
