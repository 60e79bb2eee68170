internal import HTTPTypes
internal import StorageAuth

/// A request before it is signed, and what has to be known to send it again.
struct RequestDraft: Sendable {
  var request: HTTPRequest
  /// The endpoint that the request was made for.
  private(set) var endpoint: ServiceEndpoint
  var body: HTTPBody
  /// What is done; the method unless the service has a better word for it.
  var action: String
  /// What it is done to, as the command line writes it.
  let location: String
  /// Whether it does no harm to send it again when it is not known whether it arrived.
  var isRepeatable: Bool
  /// Finds the error in an answer that the service began, as a success, before the work was done.
  var errorInside: (@Sendable (HTTPResponse, [UInt8]) -> ServiceError?)?
  /// Whether the service is told not to overwrite an object, so that a condition that does not hold means that there is
  /// one.
  var forbidsOverwriting = false
  /// Knows what went wrong with the source of the body.
  var meter: BodyMeter?

  init(
    _ request: HTTPRequest, to endpoint: ServiceEndpoint, at location: String, action: String? = nil,
    body: HTTPBody = .none, isRepeatable: Bool = true
  ) {
    self.request = request
    self.endpoint = endpoint
    self.location = location
    self.action = action ?? request.method.rawValue
    self.body = body
    self.isRepeatable = isRepeatable
  }

  /// What the request is about, for errors and events.
  var subject: String { "\(action) \(location)" }

  /// Returns the same request to another endpoint of the service; one to a host of the caller's own stays as it is.
  func moved(to other: ServiceEndpoint) -> RequestDraft {
    guard other != endpoint, let prefix = request.authority?.removingByteSuffix(endpoint.authority) else { return self }
    var draft = self
    draft.request.authority = prefix + other.authority
    draft.endpoint = other
    return draft
  }

  /// The request with the length of its body where it has one in HTTP's eyes, be it an empty one; it is signed too.
  var announced: HTTPRequest {
    var request = request
    if request.method == .put || request.method == .post || body.length > 0 {
      request.headerFields[.contentLength] = "\(body.length)"
    }
    return request
  }
}
