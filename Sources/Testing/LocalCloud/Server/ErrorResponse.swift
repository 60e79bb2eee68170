// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import _NIOFileSystem

/// An error response of a simulated service, sent as the error document that the vendors' SDKs parse.
struct ErrorResponse: Error, Sendable {
  var status: HTTPResponse.Status
  var code, message: String
  /// The detailed error code of OSS (`EC`), or `nil` if the error has no detailed code or the code isn't known.
  var ec: String?
  /// The additional elements of the error document of this response, such as `BucketName`, in document order.
  var details: [Detail] = []
  /// The headers of this response, with names that omit the service's prefix.
  var headers: [Detail] = []

  /// An additional element of the error document in an error response, such as `BucketName`.
  struct Detail: Sendable {
    let name, value: String

    /// Creates an element from a part of the request, which is truncated.
    init(name: String, value: String) {
      self.name = name
      self.value = value.shortened(to: ErrorResponse.echoByteLimit)
    }

    /// Creates an element from a string whose length the caller limits.
    init(name: String, bounded value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The maximum length of a part of the request that an error response echoes: more than a percent-encoded object key.
  ///
  /// Even with the two strings to sign of a signature mismatch, no error response exceeds 256 KiB.
  static let echoByteLimit = 4 * 1024
  static let messageByteLimit = 16 * 1024

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, ec: String? = nil, details: [Detail] = []) {
    (self.status, self.code, self.ec, self.details) = (status, code, ec, details)
    self.message = message.shortened(to: Self.messageByteLimit)
  }

  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, ec: String? = nil,
    details: KeyValuePairs<String, String>
  ) { self.init(status, code, message, ec: ec, details: details.map { Detail(name: $0.key, value: $0.value) }) }

  init(_ refusal: ServiceErrorCodes.Refusal, _ message: String, ec: String? = nil, details: [Detail] = []) {
    self.init(refusal.status, refusal.code, message, ec: ec, details: details)
  }

  static func noSuchBucket(_ name: String) -> ErrorResponse {
    ErrorResponse(
      .notFound, "NoSuchBucket", "The specified bucket does not exist.", ec: "0015-00000101",
      details: ["BucketName": name])
  }

  /// The error for a key without an object, or whose object a delete marker hides.
  static func noSuchKey(_ key: String, hiddenBy marker: StoredObject? = nil) -> ErrorResponse {
    var error = ErrorResponse(
      .notFound, "NoSuchKey", "The specified key does not exist.", ec: "0026-00000001", details: ["Key": key])
    if let marker { error.headers = headers(of: marker) }
    return error
  }

  static func noSuchVersion(_ version: String, of key: String) -> ErrorResponse {
    ErrorResponse(
      .notFound, "NoSuchVersion", "The specified version does not exist.", details: ["Key": key, "VersionId": version])
  }

  static func isDeleteMarker(_ marker: StoredObject) -> ErrorResponse {
    var error = ErrorResponse(
      .methodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.",
      details: ["ResourceType": "DeleteMarker"])
    error.headers = headers(of: marker)
    return error
  }

  private static func headers(of marker: StoredObject) -> [Detail] {
    [Detail(name: "delete-marker", value: "true"), Detail(name: "version-id", value: marker.version)]
  }

  /// The error for an unknown multipart upload; the detailed error code of OSS differs between the operations.
  static func noSuchUpload(_ id: String, ec: String? = nil) -> ErrorResponse {
    ErrorResponse(
      .notFound, "NoSuchUpload",
      "The specified upload does not exist: the id is wrong, or the upload was completed or aborted.", ec: ec,
      details: ["UploadId": id])
  }

  static let invalidToken = invalidArgument("The continuation-token was not issued by this server.")

  static func bucketAlreadyExists(_ code: String, _ name: String) -> ErrorResponse {
    ErrorResponse(.conflict, code, "The requested bucket name is not available.", details: ["BucketName": name])
  }

  static func invalidBucketName(_ name: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "InvalidBucketName", "The specified bucket is not valid.", details: ["BucketName": name])
  }

  static let unreadableTarget = ErrorResponse(
    .badRequest, "InvalidURI", "The request target must be a path, or a URL with the host of the only Host header.")

  static func invalidArgument(_ message: String, ec: String? = nil) -> ErrorResponse {
    ErrorResponse(.badRequest, "InvalidArgument", message, ec: ec)
  }

  static func invalidRequest(_ message: String) -> ErrorResponse { .init(.badRequest, "InvalidRequest", message) }

  static func notImplemented(_ message: String) -> ErrorResponse { .init(.notImplemented, "NotImplemented", message) }

  static func methodNotAllowed(_ method: String) -> ErrorResponse {
    ErrorResponse(
      .methodNotAllowed, "MethodNotAllowed", "The resource does not support this method.", details: ["Method": method])
  }

  static func malformedXML(_ reason: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "MalformedXML",
      "The XML document in the body is not well-formed, or not the one that this request requires.",
      details: ["Reason": reason])
  }

  static func internalError(_ reason: String) -> ErrorResponse {
    ErrorResponse(.internalServerError, "InternalError", "The server failed.", details: ["Reason": reason])
  }

  init(of error: any Error) { self = error as? ErrorResponse ?? .internalError(Self.kind(of: error)) }

  /// Returns a text without the details of an error: paths of this machine, or data that a client sent.
  static func kind(of error: any Error) -> String {
    guard let error = error as? FileSystemError else { return "\(type(of: error))" }
    return "The file system reported an error: \(error.code)."
  }

  static func injected(_ status: Int) -> ErrorResponse {
    status == 503
      ? ErrorResponse(.serviceUnavailable, "ServiceUnavailable", "Please try again.")
      : ErrorResponse(HTTPResponse.Status(code: status), "InternalError", "Please contact the server administrator.")
  }

  static func accessDenied(_ message: String, ec: String? = nil, details: [Detail] = []) -> ErrorResponse {
    ErrorResponse(.forbidden, "AccessDenied", message, ec: ec, details: details)
  }

  static func preconditionFailed(_ condition: String) -> ErrorResponse {
    ErrorResponse(
      .preconditionFailed, "PreconditionFailed", "One of the conditions of the request does not hold.",
      details: ["Condition": condition])
  }

  static let operationAborted = ErrorResponse(
    .conflict, "OperationAborted",
    "A conflicting operation is currently in progress against this resource. Please try again.")

  static func invalidDigest(_ message: String) -> ErrorResponse { ErrorResponse(.badRequest, "InvalidDigest", message) }

  static let invalidPart = ErrorResponse(
    .badRequest, "InvalidPart", "A part in the document was not uploaded, or its entity tag differs.")

  static func invalidRange(_ range: String, byteCount: Int64) -> ErrorResponse {
    ErrorResponse(
      .rangeNotSatisfiable, "InvalidRange", "The requested range cannot be satisfied.",
      details: ["RangeRequested": range, "ActualObjectSize": String(byteCount)])
  }
}

extension [ErrorResponse.Detail] {
  /// Creates the elements of an error document with those of the values that are not `nil`.
  init(present values: KeyValuePairs<String, String?>) {
    self = values.compactMap { name, value in value.map { ErrorResponse.Detail(name: name, value: $0) } }
  }

  /// Creates an element with a string, and one with its bytes as hexadecimal digits, separated by spaces.
  init(_ name: String, comparing text: String, uppercase: Bool) {
    let bytes = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: uppercase) }
    self = [
      ErrorResponse.Detail(name: name, bounded: text),
      ErrorResponse.Detail(name: "\(name)Bytes", bounded: bytes.joined(separator: " ")),
    ]
  }
}

extension XMLNode {
  init(_ name: String, texts: KeyValuePairs<String, String>) {
    self.init(name, children: texts.map { XMLNode($0.key, $0.value) })
  }
}

extension ErrorResponse {
  /// Creates the error response for a form upload that its policy does not allow, or returns `nil` for other errors.
  init?(ofForm error: VerificationError) {
    switch error.code {
    case .policyExpired: self = .accessDenied("Invalid according to Policy: Policy expired.")
    case .conditionFailed:
      self = .accessDenied(
        error.condition.map { "Invalid according to Policy: Policy Condition failed: \($0)" } ?? error.message)
    case .invalidPolicy: self = ErrorResponse(.badRequest, "InvalidPolicyDocument", "Invalid Policy: \(error.message)")
    default: return nil
    }
  }

  func adding(reason: String) -> ErrorResponse {
    var response = self
    response.details.append(Detail(name: "Reason", value: reason))
    return response
  }

  /// Returns the HTTP response with the error document, or without a body to a HEAD request.
  func response(to call: CallIdentity, _ elements: [XMLNode], declaration: String? = XMLNode.declaration) -> Answer {
    var response = Answer(status)
    if call.method == .head { return response }
    let ownElements = [XMLNode("Code", code), XMLNode("Message", message)] + details.map { XMLNode($0.name, $0.value) }
    let document = XMLNode("Error", children: ownElements + elements)
    response.headers[.contentType] = "application/xml"
    response.body = .bytes(document.serialized(declaration: declaration))
    return response
  }
}
