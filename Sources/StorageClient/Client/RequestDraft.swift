internal import HTTPTypes
internal import StorageAuth

/// What an operation asks for, before it has an address and a signature.
struct RequestDraft: Sendable {
  var method: HTTPRequest.Method
  var key: String?
  var parameters: [RequestTarget.Parameter]
  var headers: HTTPFields
  var body: HTTPBody
  /// Whether it does no harm to send it again when nobody knows whether it arrived.
  var isRepeatable: Bool
  /// Knows what went wrong with the source of the body.
  var meter: BodyMeter?

  init(
    _ method: HTTPRequest.Method, _ key: String? = nil, _ parameters: [RequestTarget.Parameter] = [],
    headers: HTTPFields = [:], body: HTTPBody = .none, isRepeatable: Bool = true
  ) {
    self.method = method
    self.key = key
    self.parameters = parameters
    self.headers = headers
    self.body = body
    self.isRepeatable = isRepeatable
  }

  /// Whether the request has a body in HTTP's eyes, be it an empty one; then its length is sent and signed.
  var announcesLength: Bool { method == .put || method == .post || body.length > 0 }
}

extension RequestTarget.Parameter {
  init(_ name: String, _ value: String? = nil) {
    self.init(name: name, value: value)
  }
}
