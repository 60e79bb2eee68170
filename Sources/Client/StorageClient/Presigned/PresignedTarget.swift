// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The object that a presigned URL authorizes access to, without the signature, and the reader of responses to the URL.
package struct PresignedTarget: Sendable, Hashable, Codable {
  /// The method and the URL without its query, for error messages.
  package let subject: String
  /// The path of the URL without the leading slash.
  package let key: String
  /// Whether the service sends the stored bytes of the object, instead of a converted image, for example.
  private let isUnprocessed: Bool

  /// The maximum size, in bytes, of a reply to a callback; OSS allows 3 MB.
  static let callbackReplyLimit = 4 << 20

  package init(_ request: PresignedRequest, for method: HTTPRequest.Method) throws(StorageError) {
    guard request.method == method else {
      throw StorageError(
        .invalidOption, "A URL that is presigned for \(request.method) cannot be used for \(method).",
        remedy: "Presign a URL for \(method).")
    }
    let url = try request.serviceURL
    subject = "\(method) \(url.visible)"
    let path = url.path.prefix { $0 != "?" }
    key = String(path.dropFirst())
    isUnprocessed = url.path.dropFirst(path.count + 1).split(separator: "&").allSatisfy(
      PresignedURLRules.leavesObjectUnprocessed)
  }

  /// Returns the error that a response reports, or `nil` if the service performed the operation.
  package func error(in response: HTTPResponse, body: [UInt8]) -> ServiceError? {
    response.isSuccess ? nil : serviceError(in: response, body: body)
  }

  func serviceError(in response: HTTPResponse, body: [UInt8]) -> ServiceError {
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
    _ info: ObjectInfo, in response: HTTPResponse, byteCount: Int64, _ found: ObjectChecksum
  ) throws(StorageError) {
    try requireEntityTag(in: response)
    let length = response.contentLength
    try checkByteCount(of: subject, byteCount, length: length)
    // The system does not report how it found the end of the body.
    if length == nil, isUnprocessed, info.checksum == nil { throw StorageError.unverifiable(subject, byteCount) }
    if let expected = checksum(of: info, in: response) { try checkChecksum(of: subject, found, expected: expected) }
  }
}
