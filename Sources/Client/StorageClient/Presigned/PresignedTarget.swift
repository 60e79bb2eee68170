// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
package import HTTPTypes
package import StorageAuth

/// The object that a presigned URL names, without the signature, and the meaning of responses to the URL.
package struct PresignedTarget: Sendable, Hashable, Codable {
  /// The method and the URL without the query, for errors.
  package let subject: String

  /// The path of the URL without the leading slash.
  package let key: String

  /// Whether the service sends the bytes of the object as they are stored.
  private let isUnprocessed: Bool

  /// The maximum size, in bytes, of a reply to a callback; OSS allows 3 MB.
  package static let callbackReplyLimit = 4 << 20

  /// Creates the target of a presigned request.
  ///
  /// - Throws: ``StorageError/Code/invalidOption`` if the request has another method, or its URL is invalid.
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
    isUnprocessed = url.path.dropFirst(path.count + 1).split(separator: "&").allSatisfy(PresignedURLRules.leavesBytes)
  }

  /// Returns the error that a response reports, or `nil` if the service performed the operation.
  package func error(in response: HTTPResponse, body: [UInt8]) -> ServiceError? {
    guard !response.isSuccess else { return nil }
    let conventions = HeaderConventions.named(in: response)
    return ServiceError(
      ServiceError.document(response, body: body, conventions: conventions), of: response, subject: subject,
      conventions: conventions)
  }

  /// Returns the description of an uploaded object.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - size: The size of the object in bytes.
  ///   - checksum: The checksum of the uploaded bytes.
  ///   - callbackReply: The response of the app's server to the callback, or `nil` if the request asked for none.
  /// - Throws: ``StorageError/Code/checksumMismatch`` if the service received other bytes.
  package func uploaded(
    _ response: HTTPResponse, size: Int64, _ checksum: ObjectChecksum, callbackReply: [UInt8]? = nil
  ) throws(StorageError) -> UploadedObject {
    if callbackReply == nil { try SuccessProof.entityTag.check(response, subject, requestID: nil) }
    let conventions = HeaderConventions.named(in: response)
    let expected = response.headerFields.checksum(in: conventions.checksums)
    if let expected, expected.algorithm == checksum.algorithm, expected != checksum {
      throw StorageError.checksumMismatch(
        of: subject, expected: expected, found: checksum,
        remedy: "Upload it again; what the service holds is damaged.")
    }
    return UploadedObject(
      key: key, size: size, etag: response.headerFields[.eTag], checksum: checksum, response, conventions,
      callbackReply: callbackReply)
  }

  /// Requires the entity tag with which every service reports the success of a download.
  ///
  /// A service that processes an object before it sends it may send none.
  ///
  /// - Throws: ``StorageError/Code/malformedResponse`` if another server seems to have answered.
  func requireProof(in response: HTTPResponse) throws(StorageError) {
    guard isUnprocessed else { return }
    try SuccessProof.entityTag.check(response, subject, requestID: nil)
  }

  /// Returns the description of an object that is downloaded.
  package func downloaded(_ response: HTTPResponse) -> ObjectInfo {
    ObjectInfo(key: key, response: response, conventions: .named(in: response))
  }

  /// The checksum that the body of a response must have, or `nil` if the body is not the whole object.
  package func checksum(of info: ObjectInfo, in response: HTTPResponse) -> ObjectChecksum? {
    isUnprocessed && response.status != .partialContent ? info.checksum : nil
  }

  /// Compares a downloaded body with the length and the checksum in the head of its response.
  ///
  /// - Throws: ``StorageError/Code/truncated`` or ``StorageError/Code/checksumMismatch`` if they differ.
  package func verify(
    _ info: ObjectInfo, in response: HTTPResponse, byteCount: Int64, _ found: ObjectChecksum
  ) throws(StorageError) {
    try requireProof(in: response)
    let length = response.headerFields[.contentLength].flatMap { Int64(digits: $0) }
    try check(subject, count: byteCount, length: length)
    // The system does not tell how it found the end of the body.
    if length == nil, isUnprocessed, info.checksum == nil { throw StorageError.unverifiable(subject, byteCount) }
    if let expected = checksum(of: info, in: response) { try check(subject, found, expected) }
  }
}

extension PresignedRequest {
  /// Whether the request makes the service call a server of the app after the upload.
  var asksForCallback: Bool {
    get throws(StorageError) {
      let query = try serviceURL.path.drop { $0 != "?" }.dropFirst()
      return query.split(separator: "&").contains { PresignedURLRules.asksForCallback(String($0.prefix { $0 != "=" })) }
        || headers.contains { PresignedURLRules.asksForCallback($0.name.canonicalName) }
    }
  }

  /// The parts of the URL.
  ///
  /// - Throws: ``StorageError/Code/invalidOption`` if the URL is invalid.
  var serviceURL: ServiceURL {
    get throws(StorageError) {
      guard let parts = ServiceURL(url) else {
        throw StorageError(
          .invalidOption, "The presigned URL is not a URL of a service.",
          remedy: "Pass the whole URL as it was created, with https:// or http:// and without a fragment.")
      }
      return parts
    }
  }
}

extension PresignedURLRules {
  private static let known = ServiceDescription.known.compactMap(\.presignedURLs)

  /// Returns whether a parameter belongs to a signature, or selects a version or headers of the response.
  ///
  /// Other parameters can make the service convert the object.
  fileprivate static func leavesBytes(_ parameter: Substring) -> Bool {
    let name = String(parameter.prefix { $0 != "=" }).asciiLowercased
    return name == "versionid" || name.hasBytePrefix("response-") || known.contains { $0.leavesBytes(name) }
  }

  /// Returns whether a parameter or a header makes a service call a server of the app after an upload.
  fileprivate static func asksForCallback(_ name: String) -> Bool {
    known.contains { $0.callbackNames.contains(name.asciiLowercased) }
  }

  /// Returns the expiration that the query of a URL states, or `nil` if no service's parameters state it.
  static func expiration(ofQuery query: Substring) -> Timestamp? {
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0]).asciiLowercased] = String(parts[1]) }
    }
    return known.lazy.compactMap { $0.expiration(values) }.first
  }
}
