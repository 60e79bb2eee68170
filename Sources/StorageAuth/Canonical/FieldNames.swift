// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField.Name {
  /// The Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// Creates a name from a literal, which must be a token (RFC 9110, section 5.6.2).
  ///
  /// A typing error stops a debug build at the place where the name is created. In a release build it results in a name
  /// that no program sends or reads, and not in the name of another header.
  package static func known(
    _ text: StaticString, file: StaticString = #fileID, line: UInt = #line
  ) -> HTTPField.Name {
    if let name = HTTPField.Name(text.description) { return name }
    assertionFailure("\"\(text)\" is not a valid header name.", file: file, line: line)
    return mistyped
  }

  /// The replacement for an invalid name; the `.date` fallback only satisfies the type checker.
  static let mistyped = HTTPField.Name("x-mistyped-name") ?? .date
}
