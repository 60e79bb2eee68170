// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  package var query: String { String((request.path ?? "").bytes(after: "?")) }

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

extension ServiceCall {
  /// Sets the header of the session token, or removes it if the key is permanent.
  package mutating func setToken(of key: AccessKey, named name: HTTPField.Name) {
    request.headerFields[name] = nil
    if let field = key.tokenField(named: name) { request.headerFields.append(field) }
  }

  /// Returns the names of the headers `host` and `content-type` and of those with a prefix, in lowercase and sorted.
  package func signedHeaders(prefixed prefix: String) -> [String] {
    var names: Set = ["host"]
    for field in request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix(prefix) { names.insert(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the canonical request: the method, the path, the query, the signed headers and the hash of the body.
  ///
  /// - Parameter canonicalValue: A function that returns the canonical value for the value of a signed header.
  package func canonicalRequest(
    query: String, signing names: [String], value canonicalValue: (String) -> String = { $0 }
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(canonicalValue(try signedValue(of: name)))\n" }
    return """
      \(request.method.rawValue)
      \(path)
      \(query)
      \(headers)
      \(names.joined(separator: ";"))
      \(bodyHash)
      """
  }
}

extension String {
  /// Returns the string without spaces, tabs and line ends around it; other Unicode whitespace is part of a value.
  package func trimmingASCIIWhitespace() -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(self[first..<utf8.index(after: last)])
  }
}
