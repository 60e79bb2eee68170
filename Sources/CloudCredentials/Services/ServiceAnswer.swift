package import HTTPTypes
package import StorageAuth
internal import StorageJSON
internal import StorageXML

/// What a service answered, read to its end and not looked at.
package struct ReceivedAnswer: Sendable {
  package let response: HTTPResponse
  package let body: [UInt8]
  /// What was sent in confidence, and must not be seen in an error.
  package let masks: [Secret]

  init(_ response: HTTPResponse, body: [UInt8], masks: [Secret]) {
    self.response = response
    self.body = body
    self.masks = masks
  }

  /// The status.
  package var status: Int { response.status.code }

  /// The time by the service's clock; nothing if it did not say, if a cache answered in its place, or if its clock is
  /// certainly wrong.
  package var issuerTime: Timestamp? {
    let dates = response.headerFields[values: .date]
    guard response.headerFields[.age] == nil, dates.count == 1, let time = Timestamp(httpDate: dates[0]) else {
      return nil
    }
    return Timestamp.plausible.contains(time) ? time : nil
  }
}

/// What a service answered, with its body as JSON or XML.
struct ServiceAnswer: Sendable {
  private let received: ReceivedAnswer

  /// The body as JSON, with or without a byte order mark; nothing for anything else than an object.
  let object: JSONObject?

  /// The body as XML; `nil` for anything that does not begin as such, is not well-formed, or is larger than an answer with
  /// a credential can be.
  let document: XMLNode?

  /// Makes what the service wrote fit for an error: without what was sent in confidence and what it answered with.
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

  /// The status.
  var status: Int { received.status }

  var isSuccess: Bool { response.status.kind == .successful }

  /// The time by the service's clock, where it said it.
  var issuerTime: Timestamp? { received.issuerTime }

  /// What the body is, where it is no JSON object; for an error.
  var unreadable: String {
    let first = body.first { $0 > UInt8(ascii: " ") }
    let type = response.headerFields[.contentType]?.lowercased() ?? ""
    if first == nil { return "The answer is empty." }
    if type.hasPrefix("text/html") || first == UInt8(ascii: "<") { return "The answer is a page or XML, not JSON." }
    if first == UInt8(ascii: "{") { return "The answer is broken JSON, or was cut off." }
    return "The answer is not a JSON object."
  }
}

extension Timestamp {
  /// The years that a clock of a service, or the time in an answer, can be in.
  static let plausible = Timestamp(unixSeconds: 1_577_836_800)..<Timestamp(unixSeconds: 4_102_444_800)
}

extension HTTPField.Name {
  static let age = known("Age")
}

extension XMLLimits {
  /// What an answer with a credential, or a refusal, may have at most.
  fileprivate static let serviceAnswer: XMLLimits = {
    var limits = XMLLimits()
    limits.depth = 16
    limits.attributeCount = 16
    limits.elementCount = 256
    return limits
  }()
}

extension XMLNode {
  /// The texts that must not be shown: those of elements whose names speak of a secret or a token, however deep.
  fileprivate var secrets: [Secret] {
    let own = namesSecret(name) && !text.isEmpty ? [Secret(text)] : []
    return own + children.flatMap(\.secrets)
  }
}

/// Whether the name of a field speaks of a secret or a token.
func namesSecret(_ name: String) -> Bool {
  let name = name.asciiLowercased
  return ["secret", "token", "password"].contains { name.containsBytes(of: $0) }
}
