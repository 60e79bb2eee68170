// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An HTTP response of the local server: status, headers and body.
struct Answer: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: Body

  /// The body of an HTTP response of the local server.
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Ranges of the files that contain an object's bytes, which are read while the response is sent.
    case extents([Extent], byteCount: Int64)
    /// No bytes, because the response answers a HEAD request; `byteCount` is the size of the body that a GET request
    /// receives.
    case head(byteCount: Int64)
  }

  init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with an XML document as its body.
  init(_ document: XMLNode, headers: HTTPFields = [:]) {
    self.init(.ok, headers: headers, body: .bytes(document.serialized()))
    self.headers[.contentType] = "application/xml"
  }
}

extension HTTPFields {
  /// Sets the value of a header field, unless `name` is not a valid field name.
  mutating func set(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    self[name] = value
  }

  /// Returns the first value of the header field with a name, or `nil` if the field is absent.
  func first(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { self[values: $0].first }
  }
}

extension Answer {
  /// Creates a response with a JSON document as its body.
  ///
  /// The media type is exactly `application/json`. One of the vendors' SDKs doesn't parse error documents with any
  /// other spelling.
  init(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .bytes(document.serialized))
  }
}

extension Timestamp {
  /// The time in the format of the services' documents, such as `2026-11-20T08:00:00.000Z`.
  ///
  /// The milliseconds are always zero, but must be present, because the vendors' SDKs reject any other format of the
  /// fraction.
  var iso8601Milliseconds: String { iso8601.dropLast() + ".000Z" }
}
