// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The header fields of a request, after the check that `URLSession` sends them unchanged.
struct FieldCheck {
  /// The fields to set on a `URLRequest`.
  let fields: [HTTPField]

  /// Fields that `URLSession` sets itself, or that apply to the connection.
  private static let reserved: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
    "upgrade", "www-authenticate",
  ]

  init(_ request: HTTPRequest, body: HTTPBody, authority: String) throws(TransportError) {
    var fields: [HTTPField] = []
    var names: Set<HTTPField.Name> = []
    for field in request.headerFields {
      let name = field.name.canonicalName
      func refuse(_ reason: String) -> TransportError { .unsendable(reason, to: authority) }
      guard names.insert(field.name).inserted else {
        throw refuse("the header \(name) occurs twice, and URLSession would join both values.")
      }
      guard !Self.reserved.contains(name) else { throw refuse("the header \(name) is reserved by URLSession.") }
      if name == "host", field.value != authority { throw refuse("the header host is not the authority of the URL.") }
      if name == "content-length", field.value != "\(body.length)" {
        throw refuse("the header content-length is not the length of the body.")
      }
      if let reason = Self.change(of: field) { throw refuse("the header \(name) \(reason).") }
      fields.append(field)
    }
    if body.length > 0, names.insert(.contentLength).inserted {
      fields.append(HTTPField(name: .contentLength, value: "\(body.length)"))
    }
    if names.insert(.acceptEncoding).inserted { fields.append(HTTPField(name: .acceptEncoding, value: "identity")) }
    self.fields = try Self.finished(fields, body: body, of: request, to: authority)
  }
}

#if canImport(FoundationNetworking)
  extension FieldCheck {
    /// Returns how Foundation would change a header field, or `nil` if Foundation sends the field unchanged.
    private static func change(of field: HTTPField) -> String? { nil }

    /// Returns the fields with the host, which Foundation would otherwise take from the URL.
    private static func finished(
      _ fields: [HTTPField], body: HTTPBody, of request: HTTPRequest, to authority: String
    ) throws(TransportError) -> [HTTPField] {
      fields.filter { $0.name.canonicalName != "host" } + Self.host(authority)
    }

    private static func host(_ authority: String) -> [HTTPField] {
      HTTPField.Name("Host").map { [HTTPField(name: $0, value: authority)] } ?? []
    }
  }

  extension URLRequest {
    /// Prevents Foundation and libcurl from adding header fields that the request does not have.
    ///
    /// libcurl sends no field whose value is blank, and does not add the field itself either. With a `Transfer-Encoding`,
    /// it does not add its own for a body from a stream, whose length it takes from `Content-Length`.
    mutating func omitDefaultFields() {
      let names = [
        "User-Agent", "Accept", "Accept-Language", "Connection", "Content-Type", "Content-Length", "Transfer-Encoding",
        "Expect",
      ]
      for name in names where value(forHTTPHeaderField: name) == nil { setValue(" ", forHTTPHeaderField: name) }
    }

    /// Returns the body, which is always streamed: Foundation does not rewind other bodies to send them again.
    func setBody(_ body: HTTPBody) -> HTTPBody? {
      body.length > 0 ? body : nil
    }
  }
#else
  extension FieldCheck {
    /// Returns how the system would change a header field, or `nil` if it sends the field unchanged.
    ///
    /// The encoding of other characters and an empty value are not documented.
    private static func change(of field: HTTPField) -> String? {
      if field.value.isEmpty { return "is empty" }
      return field.value.utf8.allSatisfy { $0 < 0x80 } ? nil : "contains characters outside of ASCII"
    }

    /// Returns the fields without the host, which the system takes from the URL.
    private static func finished(
      _ fields: [HTTPField], body: HTTPBody, of request: HTTPRequest, to authority: String
    ) throws(TransportError) -> [HTTPField] {
      if request.method == .post, body.length > 0, request.headerFields[.contentType] == nil {
        throw .unsendable("URLSession adds a Content-Type to a POST that has none.", to: authority)
      }
      return fields.filter { $0.name.canonicalName != "host" }
    }
  }
#endif

#if !canImport(FoundationNetworking)
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
