// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An unsigned request, with the information that the client needs to retry it and to report on it.
package struct RequestDraft: Sendable {
  var request: HTTPRequest
  private(set) var endpoint: ServiceEndpoint
  var body: HTTPBody
  /// The name of the request in errors and events: the HTTP method, unless the service has a more descriptive name.
  var action: String
  /// The URL of the object or container that the request concerns, in the format of the command line.
  let location: String
  /// Whether the request may be sent again if the client does not know whether the service received it.
  package var isRepeatable: Bool
  /// A closure that finds an error in a response whose status reports success, sent before the operation ended.
  package var errorInside: (@Sendable (HTTPResponse, [UInt8]) -> ServiceError?)?
  /// Whether the request forbids overwriting an object, so that a failed precondition means that the object exists.
  var forbidsOverwriting = false
  var successProof = SuccessProof.body
  var requestIDHeader: HTTPField.Name?
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

  package var subject: String { Self.subject(action, location) }
  static func subject(_ action: String, _ location: String) -> String { "\(action) \(location)" }

  /// Returns the same request for another endpoint of the service, or unchanged for a host that the caller specified.
  func moved(to other: ServiceEndpoint) -> RequestDraft {
    guard other != endpoint, let prefix = request.authority?.removingByteSuffix(endpoint.authority) else { return self }
    var draft = self
    draft.request.authority = prefix + other.authority
    draft.endpoint = other
    return draft
  }

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

  /// The request with `Content-Length`, also for an empty body if HTTP expects the header with the method.
  var requestWithLength: HTTPRequest {
    var request = request
    if request.method == .put || request.method == .post || body.length > 0 {
      request.headerFields[.contentLength] = "\(body.length)"
    }
    return request
  }
}

extension CredentialScope {
  /// Creates the scope of a request to an object or the bucket, or `nil` if no ``AccessAction`` describes the request.
  init?(_ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], in bucket: String) {
    func has(_ name: ByteExactString) -> Bool { parameters.contains { $0.name == name } }
    if let key {
      // A list of the parts of an upload is a GET request, and aborting the upload a DELETE request.
      let writes = has("uploadId") || method == .put || method == .post
      let action: AccessAction = if writes { .write } else { method == .delete ? .delete : .read }
      self.init(action, .key(key), in: bucket)
      return
    }
    guard method == .get, !["location", "versioning", "versions"].contains(where: has) else { return nil }
    let prefix = parameters.first { $0.name == "prefix" }?.value?.string ?? ""
    self.init(has("uploads") ? .write : .list, Self.objects(withPrefix: prefix), in: bucket)
  }

  /// Creates the scope of a deletion of several objects, which is the common prefix of their keys.
  init(deleting keys: ArraySlice<String>, in bucket: String) {
    var commonPrefix = Array((keys.first ?? "").utf8)
    for key in keys { commonPrefix = zip(commonPrefix, key.utf8).prefix { $0 == $1 }.map(\.0) }
    // A prefix must not end within a character.
    while !commonPrefix.isEmpty, String(utf8: commonPrefix) == nil { commonPrefix.removeLast() }
    self.init(.delete, Self.objects(withPrefix: String(decoding: commonPrefix, as: UTF8.self)), in: bucket)
  }

  private static func objects(withPrefix prefix: String) -> ObjectScope { prefix.isEmpty ? .all : .prefix(prefix) }

  /// Returns the scope of a copy, which also includes the right to read the source.
  func reading(_ source: CopySource, in bucket: String) -> CredentialScope {
    CredentialScope(rules + [AccessRule(.read, objects: .key(source.key), in: source.bucket ?? bucket)])
  }
}
