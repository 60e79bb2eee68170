// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
internal import StorageJSON
internal import StorageXML

/// A service's response with its whole body, not yet parsed.
package struct ReceivedAnswer: Sendable {
  package let response: HTTPResponse
  package let body: [UInt8]
  /// The confidential values of the request, which errors must not show.
  package let masks: [Secret]

  init(_ response: HTTPResponse, body: [UInt8], masks: [Secret]) {
    self.response = response
    self.body = body
    self.masks = masks
  }

  /// The HTTP status code.
  package var status: Int { response.status.code }

  /// The current time by the service's clock.
  ///
  /// The value is `nil` if the response has no single valid `Date` header, comes from a cache (it has an `Age` header),
  /// or has a date that no correct clock can show.
  package var issuerTime: Timestamp? {
    let dates = response.headerFields[values: .date]
    guard response.headerFields[.age] == nil, dates.count == 1, let time = Timestamp(httpDate: dates[0]) else {
      return nil
    }
    return Timestamp.plausible.contains(time) ? time : nil
  }
}

/// A service's response with its body parsed as JSON or XML.
struct ServiceAnswer: Sendable {
  private let received: ReceivedAnswer

  /// The body as a JSON object, with or without a byte order mark, or `nil` if it is not one.
  let object: JSONObject?

  /// The body as XML, or `nil` if it does not start with `<`, is not well-formed, or exceeds the size limits for a
  /// response with a credential.
  let document: XMLNode?

  /// The filter that prepares strings from the service for errors: it masks the request's confidential values and the
  /// secrets in the response.
  let text: ServiceText

  init(_ received: ReceivedAnswer) {
    self.received = received
    object = (try? JSONValue(parsing: received.body))?.object
    let beginsAsXML = received.body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
    document = beginsAsXML ? try? XMLNode.parse(received.body, limits: .serviceAnswer) : nil
    text = ServiceText(masking: received.masks + (object?.secrets ?? document?.secrets ?? []))
  }

  var response: HTTPResponse { received.response }

  var body: [UInt8] { received.body }

  /// The HTTP status code.
  var status: Int { received.status }

  var isSuccess: Bool { response.status.kind == .successful }

  /// The current time by the service's clock, or `nil` if it is not known.
  var issuerTime: Timestamp? { received.issuerTime }

  /// A description of a body that is not a JSON object, for errors.
  var unreadable: String {
    let first = body.first { $0 > UInt8(ascii: " ") }
    let type = response.headerFields[.contentType]?.lowercased() ?? ""
    if first == nil { return "The response is empty." }
    if type.hasPrefix("text/html") || first == UInt8(ascii: "<") { return "The response is a page or XML, not JSON." }
    if first == UInt8(ascii: "{") { return "The response is broken JSON, or was cut off." }
    return "The response is not a JSON object."
  }
}

extension Timestamp {
  /// The years in which a service's clock, or a time in a response, can plausibly be: 2020 up to and excluding 2100.
  static let plausible = Timestamp(unixSeconds: 1_577_836_800)..<Timestamp(unixSeconds: 4_102_444_800)
}

extension HTTPField.Name {
  static let age = known("Age")
}

extension XMLLimits {
  /// The size limits for an XML response with a credential or a refusal.
  fileprivate static let serviceAnswer: XMLLimits = {
    var limits = XMLLimits()
    limits.depth = 16
    limits.attributeCount = 16
    limits.elementCount = 256
    return limits
  }()
}

extension XMLNode {
  /// The strings that errors must not show: text of elements at any depth whose names contain a word for a secret or a
  /// token.
  fileprivate var secrets: [Secret] {
    let own = namesSecret(name) && !text.isEmpty ? [Secret(text)] : []
    return own + children.flatMap(\.secrets)
  }
}

/// Returns whether a field's name contains a word for a secret or a token, ignoring case.
func namesSecret(_ name: String) -> Bool {
  let name = name.asciiLowercased
  return ["secret", "token", "password"].contains { name.containsBytes(of: $0) }
}
