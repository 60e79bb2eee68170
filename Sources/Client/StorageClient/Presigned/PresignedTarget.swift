// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The object that a presigned URL authorizes access to, without the signature, and the reader of responses to the URL.
package struct PresignedTarget: Sendable, Hashable, Codable {
  /// The method and the URL without its query, for error messages.
  package let subject: String
  /// The key that errors and descriptions of the object contain: the path of the URL without the leading slash.
  ///
  /// It is percent-encoded as in the URL, and starts with the bucket for some styles, which the URL does not reveal.
  package let key: String
  /// Whether the service sends the stored bytes of the object, instead of a converted image, for example.
  private let isUnprocessed: Bool

  /// The maximum size, in bytes, of a reply to a callback that is read; above the 3 MB that OSS allows.
  static let callbackReplyLimit = 4 << 20

  package init(_ request: PresignedRequest, for method: HTTPRequest.Method) throws(StorageError) {
    guard request.method == method else {
      throw StorageError(
        .invalidOption, "A URL that is presigned for \(request.method) cannot be used for \(method).",
        remedy: "Presign a URL for \(method).")
    }
    let url = try request.serviceURL
    subject = "\(method) \(url.visible)"
    // The path of a service URL includes its query.
    key = String(url.path.prefix { $0 != "?" }.dropFirst())
    isUnprocessed = url.path.query.split(separator: "&").allSatisfy(PresignedURLRules.leavesObjectUnprocessed)
  }

  /// Returns the error that an unsuccessful response reports.
  package func error(in response: HTTPResponse, body: [UInt8]) -> ServiceError {
    ServiceError(response, body: body, subject: subject, conventions: .known(from: response))
  }

  /// Returns the description of an uploaded object, or throws an error if the service received other bytes.
  package func uploadedObject(
    from response: HTTPResponse, size: Int64, checksum: ObjectChecksum, callbackReply: [UInt8]? = nil
  ) throws(StorageError) -> UploadedObject {
    if callbackReply == nil { try SuccessProof.entityTag.require(in: response, to: subject, requestIDHeader: nil) }
    let conventions = HeaderConventions.known(from: response)
    try checksum.verifyUpload(of: subject, against: response, conventions)
    return UploadedObject(
      key: key, size: size, etag: response.headerFields[.eTag], checksum: checksum, response, conventions,
      callbackReply: callbackReply)
  }

  /// Requires the entity tag of a successful download, unless the service processes the object.
  func requireEntityTag(in response: HTTPResponse) throws(StorageError) {
    guard isUnprocessed else { return }
    try SuccessProof.entityTag.require(in: response, to: subject, requestIDHeader: nil)
  }

  package func objectInfo(from response: HTTPResponse) -> ObjectInfo {
    ObjectInfo(key: key, response: response, conventions: .known(from: response))
  }

  /// Returns the checksum that the body of a response must have, or `nil` if the body is not the whole object.
  package func checksum(of info: ObjectInfo, in response: HTTPResponse) -> ObjectChecksum? {
    isUnprocessed && response.status != .partialContent ? info.checksum : nil
  }

  /// Compares a downloaded body with the length and the checksum in the head of its response.
  package func verify(
    _ info: ObjectInfo, in response: HTTPResponse, byteCount: Int64, checksum: ObjectChecksum
  ) throws(StorageError) {
    try requireEntityTag(in: response)
    let announcedLength = response.contentLength
    try checkByteCount(of: subject, byteCount, length: announcedLength)
    // Without a length and a checksum, a body that was cut off cannot be told from a complete one: the system does not
    // report whether the body or only the connection ended.
    if announcedLength == nil, isUnprocessed, info.checksum == nil {
      throw StorageError.unverifiable(subject, byteCount)
    }
    if let expected = self.checksum(of: info, in: response) {
      try checkChecksum(of: subject, checksum, expected: expected)
    }
  }
}
