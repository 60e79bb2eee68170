// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A service's response as received, with the confidential values of the request.
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
  private let receivedResponse: ReceivedResponse
  /// The body as a JSON object, or `nil` if it is none; a byte order mark is skipped.
  package let object: JSONObject?
  /// The body as XML, or `nil` if it is not well-formed, or exceeds the limits for a response with a credential.
  package let document: XMLNode?
  /// The filter for texts in error messages, which masks the request's confidential values and the secrets here.
  package let messageFilter: MessageFilter

  init(_ received: ReceivedResponse) {
    receivedResponse = received
    object = (try? JSONValue(parsing: received.body))?.object
    let beginsAsXML = received.body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
    var root = beginsAsXML ? try? XMLNode.parse(received.body, limits: .serviceResponse) : nil
    root?.removeNamespacePrefixes()
    document = root
    messageFilter = MessageFilter(masking: received.masks + (object?.secrets ?? document?.secrets ?? []))
  }

  package var response: HTTPResponse { receivedResponse.response }
  package var body: [UInt8] { receivedResponse.body }
  package var status: Int { receivedResponse.status }
  package var isSuccess: Bool { response.status.kind == .successful }
  package var issuerTime: Timestamp? { receivedResponse.issuerTime }

  /// The message for a body that is not a JSON object, with what it probably is instead.
  var unreadableMessage: String {
    let firstByte = body.first { $0 > UInt8(ascii: " ") }
    let contentType = response.headerFields[.contentType]?.lowercased() ?? ""
    if firstByte == nil { return "The response is empty." }
    if contentType.hasBytePrefix("text/html") || firstByte == UInt8(ascii: "<") {
      return "The response is a page or XML, not JSON."
    }
    if firstByte == UInt8(ascii: "{") { return "The response is broken JSON, or was cut off." }
    return "The response is not a JSON object."
  }
}

/// A filter that turns strings from other systems into one short line for error messages and masks confidential values.
package struct MessageFilter: Sendable {
  private static let characterLimit = 300
  private let mask: SecretMask

  /// Creates a filter that masks values, both verbatim and encoded for a URL.
  package init(masking masks: [Secret] = []) { mask = SecretMask(masks) }

  /// Returns a string as one line of at most 300 characters, with values masked and without control characters.
  package func applied(to text: String) -> String {
    // The whole text is masked before it is shortened, because a mask does not recognize a part of a secret.
    let line = mask.applied(to: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    // A secret that the text contains with control characters in it is recognizable only without them.
    let visible = mask.applied(to: String(String.UnicodeScalarView(scalars)))
    return visible.count > Self.characterLimit ? visible.prefix(Self.characterLimit) + "…" : visible
  }
}

extension ServiceCall {
  /// The characters besides letters and digits in Bearer tokens (RFC 6750, section 2.1) and in percent encodings.
  ///
  /// The padding `=` is no part of them, because it separates names from values.
  private static let tokenPunctuation = "-._~+/%"

  /// The values in the query, the body and the headers, which may contain a login.
  ///
  /// Values of fewer than eight characters are left out: masking them would make messages unreadable.
  package var confidentialValues: [Secret] {
    let harmlessHeaders: Set<HTTPField.Name> = [.accept, .contentType, .contentLength, .userAgent]
    let values = request.headerFields.filter { !harmlessHeaders.contains($0.name) }.map(\.value)
    let texts = values + [query, String(decoding: body, as: UTF8.self)]
    return texts.flatMap { text in
      text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || Self.tokenPunctuation.contains($0)) }
        .filter { $0.count >= 8 }.map { Secret(String($0)) }
    }
  }
}

extension Timestamp {
  /// The plausible range for a service's clock and for times in its responses: from 2020 up to, but not including, 2100.
  static let plausible = Timestamp(unixSeconds: 1_577_836_800)..<Timestamp(unixSeconds: 4_102_444_800)
}

extension HTTPField.Name { static let age = known("Age") }

extension XMLLimits {
  fileprivate static let serviceResponse: XMLLimits = {
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
    let ownSecrets = namesSecret(name) && !text.isEmpty ? [Secret(text)] : []
    return ownSecrets + children.flatMap(\.secrets)
  }
}

extension JSONObject {
  /// The string values, at any depth, of members whose names contain a word for a secret or a token.
  package var secrets: [Secret] {
    flatMap { name, value -> [Secret] in
      let ownSecrets = namesSecret(name) ? value.string.map { [Secret($0)] } : nil
      return (ownSecrets ?? []) + (value.array ?? [value]).flatMap { $0.object?.secrets ?? [] }
    }
  }
}

private func namesSecret(_ name: String) -> Bool {
  ["secret", "token", "password"].contains { name.asciiLowercased.containsBytes(of: $0) }
}
