// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageCrypto

extension HTTPRequest {
  /// Checks that the path with its query can be part of a URL, so that an HTTP client need not change it.
  ///
  /// A client that changes the path makes the signature wrong. Clients encode characters that a URL cannot contain
  /// (RFC 3986, sections 3.3 and 3.4). They append a path without a slash at its start to the host. Foundation's `URL`
  /// replaces a path that is not UTF-8.
  ///
  /// - Throws: ``TransportError`` with the code `invalidRequest`.
  package func checkPath() throws(TransportError) {
    let path = path ?? "/"
    guard path.utf8.first == UInt8(ascii: "/") else { throw invalidPath("does not start with a slash") }
    guard path.utf8.allSatisfy(\.isAllowedInPath) else {
      throw invalidPath("contains a character that must be percent-encoded")
    }
    guard let bytes = path.percentDecodedBytes() else {
      throw invalidPath("contains a percent sign without two hexadecimal digits")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw invalidPath("is not in UTF-8") }
  }

  private func invalidPath(_ problem: String) -> TransportError {
    TransportError(
      .invalidRequest, "The path of the request to \(authority ?? "") \(problem).",
      remedy: "Encode the path before the request is signed.")
  }
}

extension UInt8 {
  fileprivate var isAllowedInPath: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    // The range from `$` to `;` contains `%`, `/` and the digits; the range from `?` to `Z` contains `@`.
    case UInt8(ascii: "!"), UInt8(ascii: "$")...UInt8(ascii: ";"), UInt8(ascii: "="): true
    case UInt8(ascii: "?")...UInt8(ascii: "Z"): true
    default: false
    }
  }
}
