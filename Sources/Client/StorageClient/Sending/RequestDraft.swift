// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An unsigned request, with the information that retries need.
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

  /// Returns whether the response has the body of another server's response, or a body that the request describes.
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

/// The part of a response's head that is required so that its status counts as the success of an operation.
///
/// A proxy, a captive portal or another server can answer any request with status 200 and a page. The services' own
/// answers differ in a header that OSS, COS, S3 and compatible services send with every success of the operation.
enum SuccessProof: Sendable {
  /// The body is the proof: a document of the operation, or the response of another server.
  case body
  /// The entity tag of the object or the part (`GetObject`, `HeadObject`, `PutObject`, `UploadPart`).
  case entityTag
  /// The status 204 (`DeleteObject`, `AbortMultipartUpload`), or a success with the service's request ID.
  case noContent
  /// The location of the bucket (`PutBucket` of OSS and S3), or the service's request ID.
  case location

  /// Requires the proof in the head of a response with a status that reports success.
  func check(_ response: HTTPResponse, _ subject: String, requestID: HTTPField.Name?) throws(StorageError) {
    func has(_ name: HTTPField.Name?) -> Bool { name.flatMap { response.headerFields[$0] }?.isEmpty == false }
    let (isThere, proof) =
      switch self {
      case .body: (true, "document")
      case .entityTag: (has(.eTag), "ETag")
      case .noContent: (response.status == .noContent || has(requestID), "status 204 or the request ID")
      case .location: (has(.location) || has(requestID), "location or the request ID")
      }
    guard !isThere else { return }
    throw StorageError(
      .malformedResponse,
      "The response to \(subject) has the status \(response.status.code), but not the \(proof) with which the service "
        + "reports success; a proxy or a captive portal may have answered.",
      remedy:
        "Check that the endpoint is the service itself, and that the network needs no login. A server of your own "
        + "must send the \(proof).")
  }

  /// Creates the proof of a request to an object, or to the bucket; a copy is answered with a document.
  init(_ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], isCopy: Bool) {
    // A service that processes an object, or lists the parts of an upload, answers with another body than the object.
    let isObject = parameters.allSatisfy { $0.name == "versionId" }
    self =
      switch method {
      case .put where key == nil: .location
      case .put where !isCopy: .entityTag
      case .head where key != nil: .entityTag
      case .get where key != nil && isObject: .entityTag
      case .delete: .noContent
      default: .body
      }
  }
}

extension CredentialScope {
  /// Creates the scope of a request to an object, or to the bucket, or `nil` if no ``AccessAction`` describes it.
  init?(_ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], in bucket: String) {
    func value(_ name: ByteExactString) -> ByteExactString?? { parameters.first { $0.name == name }.map(\.value) }
    if let key {
      let action: AccessAction =
        if value("uploadId") != nil || method == .put || method == .post {
          .write
        } else {
          method == .delete ? .delete : .read
        }
      self.init(action, .key(key), in: bucket)
      return
    }
    guard method == .get, ["location", "versioning", "versions"].allSatisfy({ value($0) == nil }) else { return nil }
    let prefix = (value("prefix") ?? nil)?.string ?? ""
    self.init(value("uploads") == nil ? .list : .write, Self.objects(withPrefix: prefix), in: bucket)
  }

  /// Creates the scope of a deletion of several objects, which is the common prefix of their keys.
  init(deleting keys: ArraySlice<String>, in bucket: String) {
    var common = Array((keys.first ?? "").utf8)
    for key in keys { common = zip(common, key.utf8).prefix { $0 == $1 }.map(\.0) }
    // A prefix must not end within a character.
    while !common.isEmpty, String(utf8: common) == nil { common.removeLast() }
    self.init(.delete, Self.objects(withPrefix: String(decoding: common, as: UTF8.self)), in: bucket)
  }

  private static func objects(withPrefix prefix: String) -> ObjectScope { prefix.isEmpty ? .all : .prefix(prefix) }

  /// Returns the scope with the right to read an object as well, which is the source of a copy.
  func reading(_ source: CopySource, in bucket: String) -> CredentialScope {
    CredentialScope(rules + [AccessRule(.read, objects: .key(source.key), in: source.bucket ?? bucket)])
  }
}
