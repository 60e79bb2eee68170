internal import HTTPTypes
internal import StorageXML

/// What goes back to the client.
struct Answer: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: Body

  /// The body of an answer.
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// The bytes of an object, read while they are sent.
    case extents([Extent], byteCount: Int64)
    /// No bytes, and the number of those that a GET would send.
    case head(byteCount: Int64)
  }

  init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer that is a document.
  init(_ document: XMLNode, headers: HTTPFields = [:]) {
    self.init(.ok, headers: headers, body: .bytes(document.serialized()))
    self.headers[.contentType] = "application/xml"
  }
}

extension HTTPFields {
  /// Sets a header by its name; a name that is not one is left out.
  mutating func set(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    self[name] = value
  }

  /// The first value of a header by its name.
  func first(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { self[values: $0].first }
  }
}
