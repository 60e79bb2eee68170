// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird

/// The reason why a caller receives no key or token.
public enum TokenServiceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The caller exceeded its rate limit.
  ///
  /// - after: The time after which the caller may retry.
  case tooManyRequests(after: Duration)
  /// The cloud's token service, or the Aspera node, is out of reach, or refused to issue a key or a token.
  ///
  /// - after: The time after which the caller may retry, or `nil` for a refusal, which a retry cannot change.
  case unavailable(CredentialError, after: Duration?)
  /// The provider for a scope returned a key that is not temporary.
  case permanentKey
  /// The caller's policy does not allow the request.
  case notAllowed(PolicyError)
  /// The cloud's policy language cannot express the scope; the string describes why.
  case scope(String)

  /// A description of the error, for the audit log.
  public var description: String {
    switch self {
    case .tooManyRequests(let delay): "too many requests; retry after \(delay)"
    case .unavailable(let error, _): "\(error)"
    case .permanentKey: "the source gave a key that is not temporary"
    case .notAllowed(let error): "\(error)"
    case .scope(let problem): "the scope cannot be expressed: \(problem)"
    }
  }
}

/// A refusal as the caller receives it, without the cloud's own message, which contains names of roles and accounts.
struct TokenRefusal {
  let body: TokenFormat.Refusal
  var delay: Duration?
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, after delay: Duration? = nil) {
    body = TokenFormat.Refusal(status: status, code: code, message: message)
    self.delay = delay
  }

  init(_ error: TokenServiceError) {
    switch error {
    case .tooManyRequests(let delay):
      self.init(.tooManyRequests, "TooManyRequests", "Too many requests from this caller.", after: delay)
    case .unavailable(_, let delay?):
      self.init(.serviceUnavailable, "ServiceUnavailable", "The upstream service does not respond.", after: delay)
    case .unavailable: self.init(.badGateway, "TokenServiceRefused", "The upstream service refused.")
    case .permanentKey:
      self.init(.internalServerError, "InternalError", "The server is configured with keys that are not temporary.")
    case .notAllowed(let error): self.init(.forbidden, "AccessDenied", error.message)
    case .scope: self.init(.internalServerError, "InternalError", "The server cannot issue a key for this scope.")
    }
  }

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
}

extension Response {
  static func json(
    _ refusal: TokenRefusal, requestID: String,
    encodedBy encode: (_ body: TokenFormat.Refusal, _ requestID: String) -> [UInt8]
  ) -> Response {
    var response = json(encode(refusal.body, requestID), refusal.body.status)
    for field in refusal.headers where field.name != .contentType && field.name != .contentLength {
      response.headers.append(field)
    }
    if let (seconds, attoseconds) = refusal.delay?.components {
      response.headers[.retryAfter] = "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }
    return response
  }
}
