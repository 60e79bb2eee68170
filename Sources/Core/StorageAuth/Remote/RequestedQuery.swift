// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The signed query parameters of a request, in which each name appears once.
package struct RequestedQuery {
  /// The decoded values by name; a parameter without `=` has an empty value.
  private let values: [ByteExactString: String]
  /// Whether the parameter names were converted to lowercase before signing.
  private let hasLowercaseNames: Bool

  init(_ request: AuthorizedRequest) throws(SigningRefusal) {
    var values: [ByteExactString: String] = [:]
    for parameter in request.target.parameters {
      guard values.updateValue(parameter.value?.string ?? "", forKey: parameter.name) == nil else {
        throw .unknownOperation("A parameter appears twice.")
      }
    }
    self.values = values
    hasLowercaseNames = request.signableNames.ignoresParameterCase
  }

  var isEmpty: Bool { values.isEmpty }

  subscript(name: ByteExactString) -> String? { values[hasLowercaseNames ? name.asciiLowercased : name] }

  func contains(_ name: ByteExactString) -> Bool { self[name] != nil }

  /// Throws an error if the request has a query parameter that is not listed.
  func requireOnly(_ names: ByteExactString...) throws(SigningRefusal) {
    let allowedNames = Set(hasLowercaseNames ? names.map(\.asciiLowercased) : names)
    guard values.keys.allSatisfy(allowedNames.contains) else {
      throw .unknownOperation("A parameter changes the operation of the request, or is unknown.")
    }
  }

  /// Throws an error if a query parameter is missing, or has a value although it must not have a value.
  func requireFlag(_ name: ByteExactString) throws(SigningRefusal) {
    guard self[name] == "" else { throw .unknownOperation("The parameter \(name) is missing, or has a value.") }
  }

  /// Throws an error unless the upload ID is visible ASCII, because a service may ignore an invalid one.
  func requireUploadID() throws(SigningRefusal) {
    guard let id = self["uploadId"], !id.isEmpty, id.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw .unknownOperation("The upload ID is missing or invalid.")
    }
  }

  /// Throws an error unless the part number is a number that every service reads in the same way.
  func requirePartNumber() throws(SigningRefusal) {
    guard let number = self["partNumber"], Self.isPartNumber(number) else {
      throw .unknownOperation("The part number is missing or invalid.")
    }
  }

  /// The part numbers of a multipart upload, which are the same in OSS, COS and S3.
  private static let partNumbers = 1...10_000

  /// Returns whether a string is a part number from 1 to 10,000 in canonical decimal form.
  package static func isPartNumber(_ text: String) -> Bool {
    Int(digits: text).map { partNumbers.contains($0) && $0.description == text } ?? false
  }
}
