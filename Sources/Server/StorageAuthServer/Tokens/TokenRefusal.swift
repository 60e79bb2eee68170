// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird

/// A refusal in the form that the caller receives.
///
/// The cloud's own message appears only in the audit log, because it contains names of roles and accounts.
struct TokenRefusal {
  let status: HTTPResponse.Status
  let code: String
  let message: String
  /// The time after which the caller may retry, or `nil` if it is unknown.
  var delay: Duration?
  /// The additional response headers that the app sets.
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
        .serviceUnavailable, "ServiceUnavailable", "The upstream service does not respond.", after: delay)
    case .unavailable:
      self.init(.badGateway, "TokenServiceRefused", "The upstream service refused.")
    case .permanentKey:
      self.init(.internalServerError, "InternalError", "The server is configured with keys that are not temporary.")
    case .notAllowed(let error): self.init(.forbidden, "AccessDenied", error.message)
    case .scope:
      self.init(.internalServerError, "InternalError", "The server cannot issue a key for this scope.")
    }
  }

  /// Creates a refusal from an HTTP error that the app threw.
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

  /// The part of the refusal that appears in the response body.
  var told: TokenFormat.Refusal { TokenFormat.Refusal(status: status, code: code, message: message) }

  /// The value of the `Retry-After` header in whole seconds, rounded up, or `nil` if the time is unknown.
  var retryAfter: String? {
    delay.map { delay in
      let (seconds, attoseconds) = delay.components
      return "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }
  }
}

extension Response {
  /// Creates the HTTP response for a refusal.
  static func json(
    refusal: TokenRefusal, _ requestID: String, _ document: (TokenFormat.Refusal, String) -> [UInt8]
  ) -> Response {
    var response = json(document(refusal.told, requestID), refusal.status)
    for field in refusal.headers where field.name != .contentType && field.name != .contentLength {
      response.headers.append(field)
    }
    if let delay = refusal.retryAfter { response.headers[.retryAfter] = delay }
    return response
  }
}
