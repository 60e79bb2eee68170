// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField.Name {
  /// The name of the Content-MD5 header (RFC 1864).
  package static let contentMD5 = known("Content-MD5")

  /// Creates a header name from a literal, which must be a token (RFC 9110, section 5.6.2).
  ///
  /// A typing error stops a debug build where the name is created. In a release build, it results in a name that no
  /// program sends or reads, rather than in the name of another header.
  package static func known(
    _ text: StaticString, file: StaticString = #fileID, line: UInt = #line
  ) -> HTTPField.Name {
    if let name = HTTPField.Name(text.description) { return name }
    assertionFailure("\"\(text)\" is not a valid header name.", file: file, line: line)
    return mistyped
  }

  /// The replacement for an invalid header name.
  ///
  /// The `.date` fallback only satisfies the type checker.
  static let mistyped = HTTPField.Name("x-mistyped-name") ?? .date
}
