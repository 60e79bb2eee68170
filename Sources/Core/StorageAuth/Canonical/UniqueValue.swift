// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension RequestTarget {
  /// Returns the value of a query parameter that may appear at most once, or `nil` if the parameter is missing.
  ///
  /// For a parameter without `=`, the result is an empty string.
  ///
  /// - Parameter name: The parameter name, which is compared case-sensitively.
  /// - Throws: A ``VerificationError`` with the code `ambiguous` if the parameter appears twice.
  public func uniqueValue(for name: ByteExactString) throws(VerificationError) -> String? {
    var value: ByteExactString?
    for parameter in parameters where parameter.name == name {
      guard value == nil else { throw .ambiguous("The parameter \(name) appears twice.") }
      value = parameter.value ?? ""
    }
    return value?.string
  }
}

extension HTTPFields {
  /// Returns the value of a header field that may appear at most once, or `nil` if the field is missing.
  ///
  /// - Parameter name: The field name.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/ambiguous`` if the field appears twice.
  public func uniqueValue(for name: HTTPField.Name) throws(VerificationError) -> String? {
    var value: String?
    for field in self where field.name == name {
      guard value == nil else { throw .ambiguous("The header \(name.rawName) appears twice.") }
      value = field.value
    }
    return value
  }
}
