internal import Hummingbird

/// Why a request to the server is refused, as far as the caller is told.
///
/// What the cloud said stays in the audit log: it names roles and accounts.
struct TokenRefusal {
  let status: HTTPResponse.Status
  let code: String
  let message: String
  /// After how long the caller may ask again.
  var delay: Duration?
  /// Headers that the app wants to be sent along.
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, after delay: Duration? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.delay = delay
  }

  init(_ error: TokenServiceError) {
    switch error {
    case .tooManyRequests(let delay):
      self.init(.tooManyRequests, "TooManyRequests", "Too many requests from this caller.", after: delay)
    case .unavailable(_, let delay?):
      self.init(
        .serviceUnavailable, "ServiceUnavailable", "The service behind this one does not answer.", after: delay)
    case .unavailable:
      self.init(.badGateway, "TokenServiceRefused", "The service behind this one refused.")
    case .permanentKey:
      self.init(.internalServerError, "InternalError", "The server is set up with keys that are not temporary.")
    case .notAllowed(let error): self.init(.forbidden, "AccessDenied", error.message)
    case .scope:
      self.init(.internalServerError, "InternalError", "The server cannot make a key for this scope.")
    }
  }

  /// What an app threw as an answer of its own.
  init(_ error: HTTPError) {
    let code =
      switch error.status {
      case .unauthorized: "Unauthorized"
      case .forbidden: "AccessDenied"
      default: error.status.kind == .clientError ? "InvalidRequest" : "InternalError"
      }
    self.init(error.status, code, error.body ?? error.status.reasonPhrase)
    headers = error.headers
  }

  /// The part of it that is told in the body.
  var told: TokenShape.Refusal { TokenShape.Refusal(status: status, code: code, message: message) }

  /// `Retry-After`, in whole seconds, rounded up.
  var retryAfter: String? {
    delay.map { delay in
      let (seconds, attoseconds) = delay.components
      return "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }
  }
}

extension Response {
  /// An answer that says why there is nothing.
  static func json(
    refusal: TokenRefusal, _ requestID: String, _ document: (TokenShape.Refusal, String) -> [UInt8]
  ) -> Response {
    var response = json(document(refusal.told, requestID), refusal.status)
    for field in refusal.headers where field.name != .contentType && field.name != .contentLength {
      response.headers.append(field)
    }
    if let delay = refusal.retryAfter { response.headers[.retryAfter] = delay }
    return response
  }
}
