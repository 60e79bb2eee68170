// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A request that `URLSession` sends as it was signed, with its body.
struct ExactRequest: Sendable {
  let urlRequest: URLRequest
  /// The body that the session reads from a stream, or `nil` if there is none or it is a part of ``urlRequest``.
  let streamedBody: HTTPBody?
  /// The authority of the request, for error messages.
  let host: String
  let isHead: Bool
  /// The scheme and the authority, which requests on one connection have in common.
  let origin: String
  /// Whether the request may be sent on a connection that has been used before.
  ///
  /// If the server closes such a connection, a session sends the request again on another connection, which is harmless
  /// for requests that write no object. The session asks for a streamed body before it sends the body again, unless the
  /// first connection ended before the session had read any bytes.
  let canReuseConnection: Bool

  /// Creates a request for `URLSession`, or throws an error if `URLSession` would change it.
  init(_ request: HTTPRequest, body: HTTPBody) throws(TransportError) {
    let address = try RequestAddress(request)
    var urlRequest = URLRequest(url: address.url)
    urlRequest.httpMethod = request.method.rawValue
    guard urlRequest.httpMethod == request.method.rawValue else {
      throw .unsendable("URLSession would change the method \(request.method).", to: address.authority)
    }
    if body.length > 0, [.get, .head].contains(request.method) {
      throw .unsendable("URLSession sends no body with \(request.method).", to: address.authority)
    }
    for field in try request.checkedFields(body, authority: address.authority) {
      urlRequest.setValue(field.value, forHTTPHeaderField: field.name.rawName)
      guard urlRequest.value(forHTTPHeaderField: field.name.rawName)?.utf8.elementsEqual(field.value.utf8) == true
      else {
        throw .unsendable("URLSession would change the header \(field.name).", to: address.authority)
      }
    }
    urlRequest.omitDefaultFields()
    streamedBody = urlRequest.setBody(body)
    self.urlRequest = urlRequest
    host = address.authority
    isHead = request.method == .head
    origin = "\(address.scheme)://\(address.authority)"
    canReuseConnection = [.get, .head, .delete].contains(request.method)
  }
}

extension TransportError {
  static func unsendable(_ reason: String, to host: String) -> TransportError {
    TransportError(
      .invalidRequest, "The request to \(host) cannot be sent unchanged: \(reason)",
      remedy: "Change the request, or send it with AsyncHTTPClientTransport.")
  }
}

/// The URL of a request that `URLSession` sends byte for byte.
struct RequestAddress {
  let scheme: String
  let authority: String
  let url: URL

  /// Creates the URL, or throws an error if `URL` or `URLSession` would change a part of it.
  init(_ request: HTTPRequest) throws(TransportError) {
    scheme = request.scheme ?? "https"
    authority = request.authority ?? ""
    let path = request.path ?? "/"
    func unsendable(_ reason: String) -> TransportError { .unsendable(reason, to: request.authority ?? "") }
    guard scheme == "http" || scheme == "https" else { throw unsendable("the scheme is neither http nor https.") }
    guard authority == authority.asciiLowercased else { throw unsendable("the host contains uppercase letters.") }
    guard isHost(authority) else { throw unsendable("the host is not valid.") }
    if authority.hasByteSuffix(scheme == "https" ? ":443" : ":80") || authority.hasByteSuffix(":") {
      throw unsendable("the port is the default port, which is left out of the header Host.")
    }
    try request.checkPath()
    guard path.utf8.count <= Self.pathByteLimit else {
      throw unsendable("the path has \(path.utf8.count) bytes; at most \(Self.pathByteLimit) are sent.")
    }
    guard !Self.hasDotSegment(path) else { throw unsendable("a segment of the path is . or .., which is removed.") }
    let urlText = "\(scheme)://\(authority)\(path)"
    guard let url = Self.url(urlText) else { throw unsendable("it has no valid URL.") }
    guard url.absoluteString.utf8.elementsEqual(urlText.utf8) else { throw unsendable("URL would change the path.") }
    self.url = url
  }

  /// Parses a URL, or returns `nil` if the text has characters that a URL cannot contain.
  private static func url(_ text: String) -> URL? {
    // Systems without the parameter never encode such characters.
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return URL(string: text) }
    return URL(string: text, encodingInvalidCharacters: false)
  }

  /// The maximum length of a path, which AsyncHTTPClientTransport has as well; services accept much shorter ones.
  private static let pathByteLimit = 60_000

  /// Returns whether a segment of a path is `.` or `..`, with each dot literal or percent-encoded.
  private static func hasDotSegment(_ path: String) -> Bool {
    let segments = path.utf8.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
    return segments.contains { segment in
      let dots = Substring(segment).replacing("%2e", with: ".").replacing("%2E", with: ".")
      return dots == "." || dots == ".."
    }
  }
}

/// The lowercase names of fields that `URLSession` sets itself, or that apply to the connection.
private let reservedFieldNames: Set<String> = [
  "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
  "upgrade", "www-authenticate",
]

extension HTTPRequest {
  /// Returns the fields to set on a `URLRequest`, after the check that `URLSession` sends them unchanged.
  fileprivate func checkedFields(_ body: HTTPBody, authority: String) throws(TransportError) -> [HTTPField] {
    var fields: [HTTPField] = []
    var fieldNames: Set<HTTPField.Name> = []
    for field in headerFields {
      let name = field.name.canonicalName
      func unsendable(_ reason: String) -> TransportError { .unsendable(reason, to: authority) }
      guard fieldNames.insert(field.name).inserted else {
        throw unsendable("the header \(name) occurs twice, and URLSession would join both values.")
      }
      if reservedFieldNames.contains(name) { throw unsendable("the header \(name) is reserved by URLSession.") }
      if name == "host", field.value != authority {
        throw unsendable("the header host is not the authority of the URL.")
      }
      if name == "content-length", field.value != "\(body.length)" {
        throw unsendable("the header content-length is not the length of the body.")
      }
      if let reason = field.unsendableReason { throw unsendable("the header \(name) \(reason).") }
      fields.append(field)
    }
    if body.length > 0, fieldNames.insert(.contentLength).inserted {
      fields.append(HTTPField(name: .contentLength, value: "\(body.length)"))
    }
    if fieldNames.insert(.acceptEncoding).inserted {
      fields.append(HTTPField(name: .acceptEncoding, value: "identity"))
    }
    return try finalFields(fields.filter { $0.name.canonicalName != "host" }, body, to: authority)
  }
}

#if canImport(FoundationNetworking)
  extension HTTPField {
    /// The change that Foundation would make to the field, or `nil` if Foundation sends it unchanged.
    fileprivate var unsendableReason: String? { nil }
  }

  extension HTTPRequest {
    /// Returns the fields with the host, which Foundation would otherwise take from the URL.
    private func finalFields(
      _ fields: [HTTPField], _ body: HTTPBody, to authority: String
    ) throws(TransportError) -> [HTTPField] {
      fields + [HTTPField(name: .known("Host"), value: authority)]
    }
  }

  extension URLRequest {
    /// Prevents Foundation and libcurl from adding header fields that the request does not have.
    ///
    /// libcurl neither sends nor adds a field whose value is blank. With a `Transfer-Encoding`, it does not add its own
    /// for a body from a stream, whose length it takes from `Content-Length`.
    mutating func omitDefaultFields() {
      let names = [
        "User-Agent", "Accept", "Accept-Language", "Connection", "Content-Type", "Content-Length", "Transfer-Encoding",
        "Expect",
      ]
      for name in names where value(forHTTPHeaderField: name) == nil { setValue(" ", forHTTPHeaderField: name) }
    }

    /// Returns the body, which is always streamed: Foundation does not rewind other bodies to send them again.
    func setBody(_ body: HTTPBody) -> HTTPBody? { body.length > 0 ? body : nil }
  }
#else
  extension HTTPField {
    /// The change that the system may make to the field, or `nil` if it sends the field unchanged.
    // Its treatment of an empty value and of characters outside of ASCII is not documented.
    fileprivate var unsendableReason: String? {
      if value.isEmpty { return "is empty" }
      return value.utf8.allSatisfy { $0 < 0x80 } ? nil : "contains characters outside of ASCII"
    }
  }

  extension HTTPRequest {
    /// Returns the fields without the host, which the system takes from the URL.
    private func finalFields(
      _ fields: [HTTPField], _ body: HTTPBody, to authority: String
    ) throws(TransportError) -> [HTTPField] {
      if method == .post, body.length > 0, headerFields[.contentType] == nil {
        throw .unsendable("URLSession adds a Content-Type to a POST that has none.", to: authority)
      }
      return fields
    }
  }

  extension URLRequest {
    /// Keeps the fields that the system adds: `Accept`, `Accept-Language`, `Connection` and `User-Agent`.
    func omitDefaultFields() {}

    /// Sets a body in memory, and returns a body to stream.
    mutating func setBody(_ body: HTTPBody) -> HTTPBody? {
      if case .bytes(let bytes) = body.content { httpBody = Data(bytes) }
      if case .stream = body.content, body.length > 0 { return body }
      return nil
    }
  }
#endif
