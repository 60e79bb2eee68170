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

/// A decoded name-value pair of a URL's query or of a form body.
package struct FormPair: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  package var encoded: String { "\(name.percentEncoded())=\(value.percentEncoded())" }

  /// Parses a query or a form body, or returns `nil` for an invalid escape or bytes that are not UTF-8.
  package static func read(_ text: String) -> [FormPair]? {
    var pairs: [FormPair] = []
    for item in text.words(between: "&") {
      let parts = item.parts(between: "=", atMost: 1)
      guard let name = decoded(parts[0]), let value = decoded(parts.count > 1 ? parts[1] : "") else { return nil }
      pairs.append(FormPair(name, value))
    }
    return pairs
  }

  package static func written(_ pairs: [FormPair]) -> String { pairs.map(\.encoded).joined(separator: "&") }

  /// Returns pairs sorted by the bytes of their names, then by the bytes of their values.
  package static func sorted(_ pairs: [FormPair]) -> [FormPair] {
    pairs.sorted { first, second in
      if first.name != second.name { return first.name.utf8.lexicographicallyPrecedes(second.name.utf8) }
      return first.value.utf8.lexicographicallyPrecedes(second.value.utf8)
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    String(text).percentDecodedBytes(plusIsSpace: true).flatMap { String(utf8: $0) }
  }
}
