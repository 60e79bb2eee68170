// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

package struct ReceivedResponse: Sendable {
  package let response: HTTPResponse
  package let body: [UInt8]
  package let masks: [Secret]

  package var status: Int { response.status.code }

  /// The current time according to the service's clock, read from the response's `Date` header.
  ///
  /// It is `nil` without exactly one plausible `Date` header, or if a cache sent the response (header `Age`).
  package var issuerTime: Timestamp? {
    let dates = response.headerFields[values: .date]
    guard response.headerFields[.age] == nil, dates.count == 1 else { return nil }
    return Timestamp(httpDate: dates[0]).flatMap { Timestamp.plausible.contains($0) ? $0 : nil }
  }
}

/// A service's response with its body parsed as JSON or XML.
package struct ServiceResponse: Sendable {
  private let received: ReceivedResponse

  /// The body as a JSON object, or `nil` if it is none; a byte order mark is skipped.
  package let object: JSONObject?

  /// The body as XML, or `nil` if it is not well-formed, or exceeds the limits for a response with a credential.
  package let document: XMLNode?

  /// The filter for texts in error messages, which masks the request's confidential values and the secrets here.
  package let text: ServiceText

  init(_ received: ReceivedResponse) {
    self.received = received
    object = (try? JSONValue(parsing: received.body))?.object
    let beginsAsXML = received.body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
    var root = beginsAsXML ? try? XMLNode.parse(received.body, limits: .serviceAnswer) : nil
    root?.removeNamespacePrefixes()
    document = root
    text = ServiceText(masking: received.masks + (object?.secrets ?? document?.secrets ?? []))
  }

  package var response: HTTPResponse { received.response }

  package var body: [UInt8] { received.body }

  package var status: Int { received.status }

  package var isSuccess: Bool { response.status.kind == .successful }

  package var issuerTime: Timestamp? { received.issuerTime }

  /// A message that says in what way the response body is not a JSON object.
  var unreadable: String {
    let first = body.first { $0 > UInt8(ascii: " ") }
    let type = response.headerFields[.contentType]?.lowercased() ?? ""
    if first == nil { return "The response is empty." }
    if type.hasBytePrefix("text/html") || first == UInt8(ascii: "<") {
      return "The response is a page or XML, not JSON."
    }
    if first == UInt8(ascii: "{") { return "The response is broken JSON, or was cut off." }
    return "The response is not a JSON object."
  }
}

extension Timestamp {
  /// The plausible range for a service's clock and for times in its responses: from 2020 up to, but not including, 2100.
  static let plausible = Timestamp(unixSeconds: 1_577_836_800)..<Timestamp(unixSeconds: 4_102_444_800)
}

extension HTTPField.Name {
  static let age = known("Age")
}

extension XMLLimits {
  /// The size limits for an XML response that contains a credential or a refusal.
  fileprivate static let serviceAnswer: XMLLimits = {
    var limits = XMLLimits()
    limits.depth = 16
    limits.attributeCount = 16
    limits.elementCount = 256
    return limits
  }()
}

extension XMLNode {
  /// The texts of elements, at any depth, whose names contain a word for a secret or a token.
  fileprivate var secrets: [Secret] {
    let own = namesSecret(name) && !text.isEmpty ? [Secret(text)] : []
    return own + children.flatMap(\.secrets)
  }
}

func namesSecret(_ name: String) -> Bool {
  let name = name.asciiLowercased
  return ["secret", "token", "password"].contains { name.containsBytes(of: $0) }
}

/// The error code, the message and the request ID in a service's error response.
package struct ServiceRefusal: Sendable {
  package let code: String
  package let message: String
  package var requestID: String?

  package init(code: String, message: String, requestID: String? = nil) {
    self.code = code
    self.message = message
    self.requestID = requestID
  }
}

/// The rules for interpreting the error codes of a vendor's services.
package struct RefusalRules: Sendable {
  /// Prefixes of the error codes for a wrong signing time.
  package let clock: [String]
  /// Prefixes of the error codes for temporary conditions, after which a retry can succeed.
  package let passing: [String]
  /// Prefixes of error codes, each with the remedy for errors, of which the first matching prefix is used.
  package let remedies: [(code: String, remedy: String)]

  package init(clock: [String], passing: [String], remedies: [(code: String, remedy: String)]) {
    self.clock = clock
    self.passing = passing
    self.remedies = remedies
  }

  func isClock(_ refusal: ServiceRefusal?) -> Bool {
    guard let refusal else { return false }
    return clock.contains { refusal.code.hasPrefix($0) }
  }

  /// Returns the error for a response that contains no credential.
  ///
  /// - Parameter fallback: The remedy for a permanent error whose code has no rule.
  package func error(
    for response: ServiceResponse, _ refusal: ServiceRefusal?, source: String, fallback: String
  ) -> CredentialError {
    let isPassing =
      response.status >= 500 || response.status == 429 || response.status == 408
      || passing.contains { refusal?.code.hasPrefix($0) == true }
    let known = remedies.first { refusal?.code.hasPrefix($0.code) == true }?.remedy
    return CredentialError(
      isPassing ? .failed : .rejected, source: source, message(response, refusal),
      remedy: known ?? (isPassing ? "Retry later." : fallback), isRetryable: isPassing)
  }

  private func message(_ response: ServiceResponse, _ refusal: ServiceRefusal?) -> String {
    guard let refusal else { return "The service responded with HTTP \(response.status)." }
    var text = refusal.code
    if !refusal.message.isEmpty { text += ": \(refusal.message)" }
    if let id = refusal.requestID { text += " (request \(id))" }
    return "The service refused (HTTP \(response.status)). \(response.text.shown(text))"
  }
}

/// A filter that turns strings from other systems into one short line for error messages and masks confidential values.
package struct ServiceText: Sendable {
  private static let limit = 300
  private let mask: SecretMask

  /// Creates a filter that masks values, both verbatim and encoded for a URL.
  package init(masking masks: [Secret] = []) { mask = SecretMask(masks) }

  /// Returns a string as one line of at most 300 characters, with values masked and without control characters.
  package func shown(_ text: String) -> String {
    // Only this prefix is searched for secrets, so no later part of a longer text may be shown.
    let text = mask.applied(to: String(text.prefix(16 * Self.limit)))
    let line = text.split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ")
    let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    // A secret with a control character in it is one only without that character.
    let visible = mask.applied(to: String(String.UnicodeScalarView(scalars)))
    return visible.count > Self.limit ? visible.prefix(Self.limit) + "…" : visible
  }
}

extension ServiceCall {
  /// The words of at least eight characters in the query, the body and other headers, which may contain a login.
  package var confidentialWords: [Secret] {
    let plain: Set<HTTPField.Name> = [.accept, .contentType, .contentLength, .userAgent]
    let values = request.headerFields.filter { !plain.contains($0.name) }.map(\.value)
    let texts = values + [query, String(decoding: body, as: UTF8.self)]
    return texts.flatMap { text in
      text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "-._~+/%".contains($0)) }
        .filter { $0.count >= 8 }.map { Secret(String($0)) }
    }
  }
}
