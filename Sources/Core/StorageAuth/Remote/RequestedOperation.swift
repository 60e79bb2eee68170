// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto

/// The operation of a request to sign, reduced to the properties that an access policy checks.
///
/// Only operations that this type recognizes are signed remotely; other parameters or headers may change the operation.
struct RequestedOperation {
  let action: AccessAction
  let bucket: String
  let key: String
  var size: Int64?
  var contentType: String?

  /// Returns every operation that the service may perform for the signature; the policy must allow all of them.
  static func possibleOperations(of request: AuthorizedRequest) throws(SigningRefusal) -> [RequestedOperation] {
    try request.requireAllowedHeaders()
    let targets = [request.target] + request.otherTargets
    return try targets.map { (target) throws(SigningRefusal) in try RequestedOperation(of: request, on: target) }
  }

  private init(of request: AuthorizedRequest, on target: RequestTarget) throws(SigningRefusal) {
    guard let bucket = target.bucket?.string, request.signableNames.isBucketName(bucket) else {
      throw .unknownOperation("The request has no valid bucket name.")
    }
    let query = try RequestedQuery(of: target, ignoringCase: request.signableNames.ignoresParameterCase)
    if let key = target.key?.string {
      try self.init(of: request, onKey: key, in: bucket, with: query)
    } else {
      try self.init(of: request, onBucket: bucket, with: query)
    }
  }

  private init(
    of request: AuthorizedRequest, onKey key: String, in bucket: String, with query: RequestedQuery
  ) throws(SigningRefusal) {
    self.key = key
    self.bucket = bucket
    action = try Self.objectAction(of: request.method, with: query)
    // Only the upload of a whole object has the size and the media type of the object.
    guard request.method == .put, query.isEmpty else { return }
    size = try request.signedContentLength
    contentType = request.headers[.contentType]
  }

  /// Returns the action of a request on an object; every request of a multipart upload counts as writing.
  private static func objectAction(
    of method: HTTPRequest.Method, with query: RequestedQuery
  ) throws(SigningRefusal) -> AccessAction {
    switch method {
    case .get where query.contains("uploadId"):
      try query.requireOnly("uploadId", "max-parts", "part-number-marker", "encoding-type")
      try query.requireUploadID()
      return .write
    case .get, .head:
      try query.requireOnly(
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "versionId", "objectMeta")
      return .read
    case .put where query.isEmpty: return .write
    case .put:
      try query.requireOnly("partNumber", "uploadId")
      try query.requireUploadID()
      try query.requirePartNumber()
      return .write
    case .post where query.contains("uploads"):
      try query.requireOnly("uploads")
      try query.requireFlag("uploads")
      return .write
    case .delete where query.isEmpty: return .delete
    case .post, .delete:
      try query.requireOnly("uploadId")
      try query.requireUploadID()
      return .write
    default: throw .unknownOperation("The method has no operation on an object.")
    }
  }

  /// Creates the operation of a request on a bucket: a listing, an unsigned form upload, or a deletion of many objects.
  ///
  /// The keys to delete are in the body, which may be unsigned; the caller must be allowed to delete every key.
  private init(
    of request: AuthorizedRequest, onBucket bucket: String, with query: RequestedQuery
  ) throws(SigningRefusal) {
    self.bucket = bucket
    switch request.method {
    case .get:
      try query.requireOnly(
        "prefix", "delimiter", "marker", "max-keys", "encoding-type", "list-type", "continuation-token", "start-after",
        "fetch-owner")
      action = .list
      key = query["prefix"] ?? ""
    case .post where query.isEmpty && request.signableNames.uploadsUnsignedForms:
      // An older form upload sends this signature as a form field and may use any object key.
      action = .write
      key = ""
    case .post:
      try query.requireOnly("delete")
      try query.requireFlag("delete")
      action = .delete
      key = ""
    default: throw .unknownOperation("The method has no operation on a bucket that can be signed.")
    }
  }
}

extension AuthorizedRequest {
  /// The signed number of bytes in the body, or `nil` if the signature does not cover it.
  fileprivate var signedContentLength: Int64? {
    get throws(SigningRefusal) {
      guard let text = headers[.contentLength] else { return nil }
      guard let byteCount = Int64(digits: text) else { throw .malformed("The signed Content-Length is not a number.") }
      return byteCount
    }
  }

  /// Throws an error if a signed header changes the operation, as for a copy, or if the `Content-MD5` is malformed.
  fileprivate func requireAllowedHeaders() throws(SigningRefusal) {
    if let md5 = headers[.contentMD5], [UInt8](base64: md5)?.count != MD5.digestByteCount {
      throw .malformed("The Content-MD5 is not an MD5 digest in Base64.")
    }
    guard headers.allSatisfy({ signableNames.allowHeader($0.name.canonicalName) }) else {
      throw .unknownOperation("A header changes the operation of the request, or is unknown.")
    }
  }
}

extension SignableNames {
  /// Returns whether a header changes neither the operation of a request nor its authorization.
  fileprivate func allowHeader(_ name: String) -> Bool {
    guard name != "authorization", !refusedHeaders.contains(name) else { return false }
    // Of the names with `x-`, only those of the service itself are known.
    guard let shortName = name.removingBytePrefix(headerPrefix) else { return !name.hasBytePrefix("x-") }
    return shortName.hasBytePrefix("meta-") || harmlessHeaders.contains(String(shortName))
  }
}

/// The signed query parameters of a request, in which each name appears once.
package struct RequestedQuery {
  /// The decoded values, which are empty for parameters without `=`.
  private let values: [ByteExactString: String]
  /// Whether the names are in lowercase, because the service does not sign their case.
  private let hasLowercaseNames: Bool

  init(of target: RequestTarget, ignoringCase hasLowercaseNames: Bool) throws(SigningRefusal) {
    var values: [ByteExactString: String] = [:]
    for parameter in target.parameters {
      guard values.updateValue(parameter.value?.string ?? "", forKey: parameter.name) == nil else {
        throw .unknownOperation("A parameter appears twice.")
      }
    }
    self.values = values
    self.hasLowercaseNames = hasLowercaseNames
  }

  var isEmpty: Bool { values.isEmpty }
  subscript(name: ByteExactString) -> String? { values[hasLowercaseNames ? name.asciiLowercased : name] }
  func contains(_ name: ByteExactString) -> Bool { self[name] != nil }

  /// Throws an error if a parameter has another name than the given ones.
  func requireOnly(_ names: ByteExactString...) throws(SigningRefusal) {
    let allowedNames = Set(hasLowercaseNames ? names.map(\.asciiLowercased) : names)
    guard values.keys.allSatisfy(allowedNames.contains) else {
      throw .unknownOperation("A parameter changes the operation of the request, or is unknown.")
    }
  }

  /// Throws an error unless a parameter is present and has no value.
  func requireFlag(_ name: ByteExactString) throws(SigningRefusal) {
    guard self[name] == "" else { throw .unknownOperation("The parameter \(name) is missing, or has a value.") }
  }

  /// Throws an error unless the upload ID is visible ASCII, because a service may ignore an invalid one.
  func requireUploadID() throws(SigningRefusal) {
    guard let id = self["uploadId"], !id.isEmpty, id.utf8.allSatisfy(\.isVisibleASCII) else {
      throw .unknownOperation("The upload ID is missing or invalid.")
    }
  }

  func requirePartNumber() throws(SigningRefusal) {
    guard let number = self["partNumber"], Self.isPartNumber(number) else {
      throw .unknownOperation("The part number is missing or invalid.")
    }
  }

  /// The part numbers of a multipart upload, which are the same in OSS, COS and S3.
  private static let partNumbers = 1...10_000

  /// Returns whether a string is a part number in canonical decimal form, which every service reads in the same way.
  package static func isPartNumber(_ text: String) -> Bool {
    Int(digits: text).map { partNumbers.contains($0) && $0.description == text } ?? false
  }
}
