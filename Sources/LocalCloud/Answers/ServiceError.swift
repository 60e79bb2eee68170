internal import HTTPTypes
internal import StorageAuth

/// A refusal in the words of the services: it becomes the document that their SDKs read.
struct ServiceError: Error, Sendable {
  var status: HTTPResponse.Status
  var code: String
  var message: String

  /// The finer code of OSS (`EC`), where it is known.
  var ec: String?

  /// More elements of the document, in their order.
  var details: [Detail] = []

  /// An element of the document.
  struct Detail: Sendable {
    let name: String
    let value: String

    /// An element that repeats a part of the request, cut where it is long.
    init(name: String, value: String) {
      self.name = name
      self.value = value.shortened(to: ServiceError.echoByteLimit)
    }

    /// An element whose length is limited by what makes it.
    init(name: String, bounded value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The most bytes of a part of the request that a refusal repeats.
  ///
  /// The key of an object has 1,023 bytes, encoded three times as many. With the two texts of a comparison no refusal has
  /// more than 256 KiB.
  static let echoByteLimit = 4 * 1024

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, ec: String? = nil, details: [Detail] = []) {
    self.status = status
    self.code = code
    self.message = message.shortened(to: 4 * Self.echoByteLimit)
    self.ec = ec
    self.details = details
  }
}

extension ServiceError {
  static func noSuchBucket(_ name: String) -> ServiceError {
    ServiceError(
      .notFound, "NoSuchBucket", "The specified bucket does not exist.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func noSuchKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound, "NoSuchKey", "The specified key does not exist.", details: [Detail(name: "Key", value: key)])
  }

  static func noSuchUpload(_ id: String) -> ServiceError {
    ServiceError(
      .notFound, "NoSuchUpload",
      "The specified upload does not exist: the id is wrong, or the upload was completed or aborted.",
      details: [Detail(name: "UploadId", value: id)])
  }

  static func bucketNotEmpty(_ name: String) -> ServiceError {
    ServiceError(
      .conflict, "BucketNotEmpty", "The bucket holds objects or uploads; delete them first.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func bucketAlreadyExists(_ code: String, _ name: String) -> ServiceError {
    ServiceError(
      .conflict, code, "The requested bucket name is not available.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func invalidBucketName(_ name: String) -> ServiceError {
    ServiceError(
      .badRequest, "InvalidBucketName", "The specified bucket is not valid.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func invalidArgument(_ message: String, ec: String? = nil) -> ServiceError {
    ServiceError(.badRequest, "InvalidArgument", message, ec: ec)
  }

  static func notImplemented(_ message: String) -> ServiceError {
    ServiceError(.notImplemented, "NotImplemented", message)
  }

  static func methodNotAllowed(_ method: String) -> ServiceError {
    ServiceError(
      .methodNotAllowed, "MethodNotAllowed", "The resource does not take this method.",
      details: [Detail(name: "Method", value: method)])
  }

  static func malformedXML(_ reason: String) -> ServiceError {
    ServiceError(
      .badRequest, "MalformedXML",
      "The document in the body is not well-formed, or not the one that this request needs.",
      details: [Detail(name: "Reason", value: reason)])
  }

  static func internalError(_ reason: String) -> ServiceError {
    ServiceError(
      .internalServerError, "InternalError", "The server failed; its log says more.",
      details: [Detail(name: "Reason", value: reason)])
  }

  /// An error of the server that was asked for.
  static func injected(_ status: Int) -> ServiceError {
    status == 503
      ? ServiceError(.serviceUnavailable, "ServiceUnavailable", "Please try again.")
      : ServiceError(HTTPResponse.Status(code: status), "InternalError", "Please contact the server administrator.")
  }

  static func accessDenied(_ message: String, ec: String? = nil, details: [Detail] = []) -> ServiceError {
    ServiceError(.forbidden, "AccessDenied", message, ec: ec, details: details)
  }

  static func preconditionFailed(_ condition: String) -> ServiceError {
    ServiceError(
      .preconditionFailed, "PreconditionFailed", "One of the conditions of the request does not hold.",
      details: [Detail(name: "Condition", value: condition)])
  }

  static let fileAlreadyExists = ServiceError(
    .conflict, "FileAlreadyExists", "The object is there already, and the request forbids to overwrite it.")

  static let incompleteBody = ServiceError(
    .badRequest, "IncompleteBody", "The body has another number of bytes than the Content-Length says.")

  static let invalidDigest = ServiceError(
    .badRequest, "InvalidDigest", "The Content-MD5 is not the Base64 of 16 bytes.")

  static let badDigest = ServiceError(
    .badRequest, "BadDigest", "The Content-MD5 is not that of the body that arrived.")

  static let invalidPart = ServiceError(
    .badRequest, "InvalidPart",
    "A part of the list was not uploaded, or has another entity tag.")

  static let invalidPartOrder = ServiceError(
    .badRequest, "InvalidPartOrder",
    "The parts of the list are not in the ascending order of their numbers.")

  static func invalidRange(_ range: String, byteCount: Int64) -> ServiceError {
    ServiceError(
      .rangeNotSatisfiable, "InvalidRange", "The requested range cannot be satisfied.",
      details: [
        Detail(name: "RangeRequested", value: range), Detail(name: "ActualObjectSize", value: String(byteCount)),
      ])
  }
}
