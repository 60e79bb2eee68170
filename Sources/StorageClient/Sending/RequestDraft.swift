internal import HTTPTypes
internal import StorageAuth

/// A request before it is signed, and what has to be known to send it again.
struct RequestDraft: Sendable {
  var request: HTTPRequest
  var body: HTTPBody
  /// What is done; the method unless the service has a better word for it.
  var action: String
  /// What it is done to, as the command line writes it.
  let location: String
  /// Whether it does no harm to send it again when nobody knows whether it arrived.
  var isRepeatable: Bool
  /// Finds the error in an answer that the service began, as a success, before the work was done.
  var errorInside: (@Sendable (HTTPResponse, [UInt8]) -> ServiceError?)?
  /// Knows what went wrong with the source of the body.
  var meter: BodyMeter?

  init(
    _ request: HTTPRequest, at location: String, action: String? = nil, body: HTTPBody = .none,
    isRepeatable: Bool = true
  ) {
    self.request = request
    self.location = location
    self.action = action ?? request.method.rawValue
    self.body = body
    self.isRepeatable = isRepeatable
  }

  /// What the request is about, for errors and events.
  var subject: String { "\(action) \(location)" }

  /// The request with the length of its body where it has one in HTTP's eyes, be it an empty one; it is signed too.
  var announced: HTTPRequest {
    var request = request
    if request.method == .put || request.method == .post || body.length > 0 {
      request.headerFields[.contentLength] = "\(body.length)"
    }
    return request
  }
}
