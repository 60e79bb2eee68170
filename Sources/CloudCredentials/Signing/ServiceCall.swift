package import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A call of a cloud's service: a request and the whole of its body, both of which are signed.
package struct ServiceCall: Sendable {
  /// The head; its authority is the host that is signed.
  package var request: HTTPRequest

  /// The body, as it is sent.
  package var body: [UInt8]

  package init(_ request: HTTPRequest, body: [UInt8] = []) {
    self.request = request
    self.body = body
  }

  /// The hash of the body in lower-case hexadecimal.
  var bodyHash: String { SHA256.hash(body).hex }

  /// The path without its query.
  var path: String {
    let path = String((request.path ?? "/").bytes(before: "?"))
    return path.isEmpty ? "/" : path
  }

  /// The text after the first `?`; empty where there is none.
  var query: String {
    String((request.path ?? "").bytes(from: "?").dropFirst())
  }

  /// The value of a header as it is signed: without blanks around it; `host` is the authority.
  func signedValue(of name: String) throws(SigningError) -> String {
    if name == "host" { return request.authority ?? "" }
    let values = HTTPField.Name(name).map { request.headerFields[values: $0] } ?? []
    guard let value = values.first, values.count == 1 else {
      throw SigningError(
        .invalidHeader, "The header \(name), which is signed, is missing or there twice.", remedy: "Send it once.")
    }
    return value.trimmingBlanks()
  }
}

extension String {
  /// The text without blanks and line breaks around it.
  func trimmingBlanks() -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
    else {
      return ""
    }
    return String(self[first..<utf8.index(after: last)])
  }
}
