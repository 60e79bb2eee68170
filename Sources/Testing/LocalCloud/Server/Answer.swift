// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An HTTP response of the local server: status, headers and body.
struct Answer: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: Body
  /// Whether the response repeats that of an earlier request, and the operation had no further effect.
  var isRepetition = false
  /// Whether the body is sent in the gzip format, and therefore without its length.
  var isCompressed = false
  var trafficLimit: TrafficLimit?

  enum Body: Sendable {
    case bytes([UInt8])
    /// Ranges of the files that contain an object's bytes, which are read while the response is sent.
    case extents([Extent], byteCount: Int64)

    static func whole(_ content: Content) -> Body { .extents(content.extents, byteCount: content.byteCount) }

    static func range(_ range: Range<Int64>, of content: Content) -> Body {
      .extents(content.extents(in: range), byteCount: range.upperBound - range.lowerBound)
    }
  }

  init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .bytes([])) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  init(_ document: XMLNode, headers: HTTPFields = [:]) {
    self.init(.ok, headers: headers, body: .bytes(document.serialized()))
    self.headers[.contentType] = "application/xml"
  }

  init(_ content: Content, in range: Range<Int64>) {
    self.init(headers: [.contentType: "application/octet-stream"], body: .range(range, of: content))
  }

  /// Creates a response with a JSON document, whose media type must have this spelling for one of the vendors' SDKs.
  init(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status, headers: [.contentType: "application/json", .cacheControl: "no-store"], body: .bytes(document.serialized))
  }
}

extension HTTPFields {
  /// Sets the value of a header field, unless `name` is not a valid field name.
  mutating func set(_ name: String, _ value: String) { if let name = HTTPField.Name(name) { self[name] = value } }

  func first(_ name: String) -> String? { isEmpty ? nil : HTTPField.Name(name).flatMap { first($0) } }
  /// Returns the first value of a header field; if the field is absent, no array of values is created.
  func first(_ name: HTTPField.Name) -> String? { contains(name) ? self[values: name].first : nil }
  /// Returns all values of a header field joined by commas, or `nil` if the field is absent.
  func joined(_ name: String) -> String? { isEmpty ? nil : HTTPField.Name(name).flatMap { self[$0] } }
}

extension Timestamp {
  /// The time such as `2026-11-20T08:00:00.000Z`; the vendors' SDKs reject any other format of the fraction.
  var iso8601Milliseconds: String { iso8601.dropLast() + ".000Z" }
}
