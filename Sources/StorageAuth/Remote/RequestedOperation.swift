internal import HTTPTypes

/// What a signed request does, as far as a policy looks at it.
///
/// Only what is listed here can be signed remotely. A parameter or a header that is not listed may make another
/// operation of a request, and is refused.
struct RequestedOperation {
  let action: AccessAction
  let bucket: String
  let key: String
  var size: Int64?
  var contentType: String?

  /// Everything that a service could do when it sees the signature: all of it has to be allowed.
  static func readings(of intent: SigningIntent) throws(SigningRefusal) -> [RequestedOperation] {
    try RequestedHeaders.check(intent.headers, intent.vocabulary)
    var operations = [try RequestedOperation(intent)]
    for target in intent.otherTargets { operations.append(try RequestedOperation(intent.with(target))) }
    return operations
  }

  private init(_ intent: SigningIntent) throws(SigningRefusal) {
    guard let bucket = intent.target.bucket?.string, intent.vocabulary.isBucketName(bucket) else {
      throw .unknownOperation("The request is not for a bucket.")
    }
    guard let key = intent.target.key?.string else {
      try self.init(onBucket: bucket, intent)
      return
    }
    try self.init(on: key, in: bucket, intent)
  }

  private init(on key: String, in bucket: String, _ intent: SigningIntent) throws(SigningRefusal) {
    let query = try RequestedQuery(intent)
    self.key = key
    self.bucket = bucket
    switch intent.method {
    case .get, .head:
      if intent.method == .get, query.contains("uploadId") {
        try query.allow("uploadId", "max-parts", "part-number-marker", "encoding-type")
        try query.checkUpload()
        action = .write
        return
      }
      try query.allow(
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "versionId", "objectMeta")
      action = .read
    case .put:
      action = .write
      guard !query.isEmpty else {
        size = try intent.size
        contentType = intent.headers[.contentType]
        return
      }
      try query.allow("partNumber", "uploadId")
      try query.checkUpload()
      try query.checkPart()
    case .post:
      action = .write
      if query.contains("uploads") {
        try query.allow("uploads")
        try query.checkFlag("uploads")
      } else {
        try query.allow("uploadId")
        try query.checkUpload()
      }
    case .delete:
      guard !query.isEmpty else {
        action = .delete
        return
      }
      try query.allow("uploadId")
      try query.checkUpload()
      action = .write
    default: throw .unknownOperation("There is no operation of the method on an object.")
    }
  }

  /// A list, or the deletion of many objects; their keys are in the body, so that the right to delete all is needed.
  private init(onBucket bucket: String, _ intent: SigningIntent) throws(SigningRefusal) {
    let query = try RequestedQuery(intent)
    self.bucket = bucket
    switch intent.method {
    case .get:
      try query.allow(
        "prefix", "delimiter", "marker", "max-keys", "encoding-type", "list-type", "continuation-token", "start-after",
        "fetch-owner")
      action = .list
      key = query["prefix"] ?? ""
    case .post where query.isEmpty && intent.vocabulary.uploadsUnsignedForms:
      // The form of an older kind carries this signature in a field, and names any key.
      action = .write
      key = ""
    case .post:
      try query.allow("delete")
      try query.checkFlag("delete")
      action = .delete
      key = ""
    default: throw .unknownOperation("There is no operation of the method on a bucket that could be signed.")
    }
  }
}

extension SigningIntent {
  /// The length of the body, where it is signed.
  fileprivate var size: Int64? {
    get throws(SigningRefusal) {
      guard let text = headers[.contentLength] else { return nil }
      guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let size = Int64(text)
      else {
        throw .malformed("The signed Content-Length is not a number.")
      }
      return size
    }
  }

  /// The same with another target.
  fileprivate func with(_ target: RequestTarget) -> SigningIntent {
    SigningIntent(
      scheme, method: method, target: target, headers: headers, placement: placement, date: date,
      expiration: expiration, accessKeyID: accessKeyID, sessionToken: sessionToken,
      vocabulary: vocabulary)
  }
}
