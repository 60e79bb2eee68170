internal import HTTPTypes
internal import StorageAuth
internal import _NIOFileSystem

/// A refusal in the words of the services: it becomes the document that their SDKs read.
struct RefusalAnswer: Error, Sendable {
  var status: HTTPResponse.Status
  var code: String
  var message: String

  /// The finer code (`EC`), where the service has one and it is known.
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
      self.value = value.shortened(to: RefusalAnswer.echoByteLimit)
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

  /// The most bytes of a message.
  static let messageByteLimit = 16 * 1024

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, ec: String? = nil, details: [Detail] = []) {
    self.status = status
    self.code = code
    self.message = message.shortened(to: Self.messageByteLimit)
    self.ec = ec
    self.details = details
  }
}

extension RefusalAnswer {
  static func noSuchBucket(_ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .notFound, "NoSuchBucket", "The specified bucket does not exist.", ec: "0015-00000101",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func noSuchKey(_ key: String) -> RefusalAnswer {
    RefusalAnswer(
      .notFound, "NoSuchKey", "The specified key does not exist.", ec: "0026-00000001",
      details: [Detail(name: "Key", value: key)])
  }

  /// - Parameter ec: The finer code, which differs between the operations.
  static func noSuchUpload(_ id: String, ec: String? = nil) -> RefusalAnswer {
    RefusalAnswer(
      .notFound, "NoSuchUpload",
      "The specified upload does not exist: the id is wrong, or the upload was completed or aborted.",
      ec: ec, details: [Detail(name: "UploadId", value: id)])
  }

  static func bucketNotEmpty(_ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .conflict, "BucketNotEmpty", "The bucket holds objects or uploads; delete them first.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func bucketAlreadyExists(_ code: String, _ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .conflict, code, "The requested bucket name is not available.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func invalidBucketName(_ name: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "InvalidBucketName", "The specified bucket is not valid.",
      details: [Detail(name: "BucketName", value: name)])
  }

  static func invalidArgument(_ message: String, ec: String? = nil) -> RefusalAnswer {
    RefusalAnswer(.badRequest, "InvalidArgument", message, ec: ec)
  }

  static func invalidRequest(_ message: String) -> RefusalAnswer {
    RefusalAnswer(.badRequest, "InvalidRequest", message)
  }

  static func notImplemented(_ message: String) -> RefusalAnswer {
    RefusalAnswer(.notImplemented, "NotImplemented", message)
  }

  static func methodNotAllowed(_ method: String) -> RefusalAnswer {
    RefusalAnswer(
      .methodNotAllowed, "MethodNotAllowed", "The resource does not take this method.",
      details: [Detail(name: "Method", value: method)])
  }

  static func malformedXML(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "MalformedXML",
      "The document in the body is not well-formed, or not the one that this request needs.",
      details: [Detail(name: "Reason", value: reason)])
  }

  static func internalError(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(
      .internalServerError, "InternalError", "The server failed.", details: [Detail(name: "Reason", value: reason)])
  }

  /// The refusal for whatever was thrown.
  ///
  /// Errors of the file system name files of this machine, and others may hold what a client sent: only the kind of the
  /// error is told.
  init(of error: any Error) {
    self = error as? RefusalAnswer ?? .internalError(Self.kind(of: error))
  }

  /// What kind of error it is, in words that hold nothing of what it is about.
  static func kind(of error: any Error) -> String {
    guard let error = error as? FileSystemError else { return "\(type(of: error))" }
    return "The file system refused: \(error.code)."
  }

  /// An error of the server that was asked for.
  static func injected(_ status: Int) -> RefusalAnswer {
    status == 503
      ? RefusalAnswer(.serviceUnavailable, "ServiceUnavailable", "Please try again.")
      : RefusalAnswer(HTTPResponse.Status(code: status), "InternalError", "Please contact the server administrator.")
  }

  static func accessDenied(_ message: String, ec: String? = nil, details: [Detail] = []) -> RefusalAnswer {
    RefusalAnswer(.forbidden, "AccessDenied", message, ec: ec, details: details)
  }

  static func preconditionFailed(_ condition: String) -> RefusalAnswer {
    RefusalAnswer(
      .preconditionFailed, "PreconditionFailed", "One of the conditions of the request does not hold.",
      details: [Detail(name: "Condition", value: condition)])
  }

  static let fileAlreadyExists = RefusalAnswer(
    .conflict, "FileAlreadyExists", "The object is there already, and the request forbids to overwrite it.")

  static let operationAborted = RefusalAnswer(
    .conflict, "OperationAborted",
    "A conflicting operation is currently in progress against this resource. Please try again.")

  static let incompleteBody = RefusalAnswer(
    .badRequest, "IncompleteBody", "The body has another number of bytes than the Content-Length says.")

  static func invalidDigest(_ message: String) -> RefusalAnswer {
    RefusalAnswer(.badRequest, "InvalidDigest", message)
  }

  static let invalidPart = RefusalAnswer(
    .badRequest, "InvalidPart",
    "A part of the list was not uploaded, or has another entity tag.")

  static let invalidPartOrder = RefusalAnswer(
    .badRequest, "InvalidPartOrder",
    "The parts of the list are not in the ascending order of their numbers.")

  static func invalidRange(_ range: String, byteCount: Int64) -> RefusalAnswer {
    RefusalAnswer(
      .rangeNotSatisfiable, "InvalidRange", "The requested range cannot be satisfied.",
      details: [
        Detail(name: "RangeRequested", value: range), Detail(name: "ActualObjectSize", value: String(byteCount)),
      ])
  }
}
