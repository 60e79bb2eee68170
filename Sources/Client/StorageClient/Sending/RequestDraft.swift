// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An unsigned request, with the information that the client needs to retry it and to report on it.
package struct RequestDraft: Sendable {
  /// The request without its signature and its length; see ``requestWithLength``.
  var request: HTTPRequest
  private(set) var endpoint: ServiceEndpoint
  var body: HTTPBody
  /// The meter of the request body, which records the error of the body's source, or `nil` for a body in memory.
  var meter: BodyMeter?
  /// The name of the request in errors and events: the HTTP method, unless the service has a more descriptive name.
  let action: String
  /// The URL of the object or container that the request concerns, in the format of the command line.
  let location: String
  /// Whether the request may be sent again if the client does not know whether the service received it.
  package var isRepeatable: Bool
  /// Whether the request forbids overwriting an object, so that a failed precondition means that the object exists.
  var forbidsOverwriting = false
  /// The part of the response's head that must prove a success.
  var successProof = SuccessProof.body
  /// The name of the response header with the request ID, which proves some successes, or `nil` if there is none.
  var requestIDHeader: HTTPField.Name?
  /// A closure that finds an error in a response whose status reports success, sent before the operation ended.
  package var errorInside: (@Sendable (HTTPResponse, [UInt8]) -> ServiceError?)?
  /// The rights that the request needs, or `nil` to use the credential for all requests of the client.
  var scope: CredentialScope?

  package init(
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

  /// The action and the location of the request, for errors and events.
  package var subject: String { Self.makeSubject(action: action, location: location) }
  static func makeSubject(action: String, location: String) -> String { "\(action) \(location)" }

  /// The request with `Content-Length`, also for an empty body of a `PUT` or `POST` request (RFC 9110, section 8.6).
  var requestWithLength: HTTPRequest {
    var request = request
    if request.method == .put || request.method == .post || body.length > 0 {
      request.headerFields[.contentLength] = "\(body.length)"
    }
    return request
  }

  /// Returns the same request for another endpoint of the service, or unchanged for a host that the caller specified.
  func moved(to newEndpoint: ServiceEndpoint) -> RequestDraft {
    // The bucket name can precede the endpoint's host, and stays there.
    guard newEndpoint != endpoint, let bucketPrefix = request.authority?.removingByteSuffix(endpoint.authority) else {
      return self
    }
    var draft = self
    draft.request.authority = bucketPrefix + newEndpoint.authority
    draft.endpoint = newEndpoint
    return draft
  }

  /// Returns the body of a response if it is the reply of the app's server to a callback, or `nil` without a callback.
  func callbackReply(in body: [UInt8], _ conventions: HeaderConventions) -> [UInt8]? {
    guard let callback = conventions.callback, request.headerFields.contains(callback) else { return nil }
    return body
  }

  /// Returns whether a header makes the service respond with another body than its document, such as a callback reply.
  func replacesDocument(_ conventions: HeaderConventions) -> Bool {
    var headers = conventions.documentReplacingHeaders
    if let callback = conventions.callback { headers.append(callback) }
    return headers.contains { request.headerFields[$0] != nil }
  }
}
