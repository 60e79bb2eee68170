// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An unsigned request, with the information that retries need.
package struct RequestDraft: Sendable {
  var request: HTTPRequest
  /// The service endpoint that the request was created for.
  private(set) var endpoint: ServiceEndpoint
  var body: HTTPBody
  /// The name of the request in errors and events: the HTTP method, unless the service has a more descriptive name.
  var action: String
  /// The URL of the object or container that the request concerns, in the format of the command line.
  let location: String
  /// Whether the request may be sent again if the client does not know whether the service received it.
  package var isRepeatable: Bool
  /// A closure that detects an error in a response that the service began as a success, before the operation ended.
  package var errorInside: (@Sendable (HTTPResponse, [UInt8]) -> ServiceError?)?
  /// Whether the request forbids overwriting an object, so that a failed precondition means that the object exists.
  var forbidsOverwriting = false
  /// The part of a response's head that is required so that it counts as a success.
  var successProof = SuccessProof.body
  /// The name of the header with the service's request ID, or `nil` if it is unknown.
  var requestID: HTTPField.Name?
  /// The access that the request needs, or `nil` if it is unknown.
  var scope: CredentialScope?
  /// The meter of the request body, which records the error of the body's source, or `nil`.
  var meter: BodyMeter?

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

  /// The action and location of the request, for errors and events.
  package var subject: String { "\(action) \(location)" }

  /// Returns the same request for another endpoint of the service, or unchanged for a host that the caller specified.
  func moved(to other: ServiceEndpoint) -> RequestDraft {
    guard other != endpoint, let prefix = request.authority?.removingByteSuffix(endpoint.authority) else { return self }
    var draft = self
    draft.request.authority = prefix + other.authority
    draft.endpoint = other
    return draft
  }

  /// Returns the body of a response as the reply to the callback that the request asks for, or `nil` without one.
  func callbackReply(_ body: [UInt8], _ conventions: HeaderConventions) -> [UInt8]? {
    conventions.callback.flatMap { request.headerFields[$0] }.map { _ in body }
  }

  /// Returns whether the request asks the service to answer with the body of another server's response, or with a body
  /// that the request describes.
  func isAnsweredByCallback(_ conventions: HeaderConventions) -> Bool {
    (conventions.ownBodies + [conventions.callback].compactMap { $0 }).contains { request.headerFields[$0] != nil }
  }

  /// The request with the `Content-Length` header, which is included in the signature.
  ///
  /// The header is also set for an empty body if HTTP expects the header with the method.
  var announced: HTTPRequest {
    var request = request
    if request.method == .put || request.method == .post || body.length > 0 {
      request.headerFields[.contentLength] = "\(body.length)"
    }
    return request
  }
}
