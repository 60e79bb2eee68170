// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A request to a cloud service's API with its whole body, both of which the signature covers.
package struct ServiceCall: Sendable {
  /// The head of the request, whose authority is the `host` in the signature.
  package var request: HTTPRequest

  package var body: [UInt8]

  package init(_ request: HTTPRequest, body: [UInt8] = []) {
    self.request = request
    self.body = body
  }

  package var bodyHash: String { SHA256.hash(body).hex }

  package var path: String {
    let path = String((request.path ?? "/").bytes(before: "?"))
    return path.isEmpty ? "/" : path
  }

  /// The query without its `?`, or an empty string.
  package var query: String { String((request.path ?? "").bytes(from: "?").dropFirst()) }

  /// Returns the trimmed value of a header that must appear exactly once; that of `host` is the authority.
  package func signedValue(of name: String) throws(SigningError) -> String {
    if name == "host" { return request.authority ?? "" }
    let values = HTTPField.Name(name).map { request.headerFields[values: $0] } ?? []
    guard let value = values.first, values.count == 1 else {
      throw SigningError(
        .invalidHeader, "The header \(name), which is signed, is missing or repeated.", remedy: "Send it once.")
    }
    return value.trimmingASCIIWhitespace()
  }
}

extension String {
  package func trimmingASCIIWhitespace() -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(self[first..<utf8.index(after: last)])
  }
}
