// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

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

  /// Requires the proof in the head of a response.
  ///
  /// - Parameters:
  ///   - response: The head of a response with a status that reports success.
  ///   - subject: The action and the location of the request.
  ///   - requestID: The name of the header with the service's request ID.
  /// - Throws: ``StorageError/Code/malformedResponse`` if the proof is missing.
  func check(_ response: HTTPResponse, _ subject: String, requestID: HTTPField.Name?) throws(StorageError) {
    func has(_ name: HTTPField.Name?) -> Bool { name.flatMap { response.headerFields[$0] }?.isEmpty == false }
    switch self {
    case .body: return
    case .entityTag: if has(.eTag) { return }
    case .noContent: if response.status == .noContent || has(requestID) { return }
    case .location: if has(.location) || has(requestID) { return }
    }
    throw StorageError(
      .malformedResponse,
      "The response to \(subject) has the status \(response.status.code), but not the \(missing) with which the service "
        + "reports success; a proxy or a captive portal may have answered.",
      remedy: "Check that the endpoint is the service itself, and that the network needs no login.")
  }

  private var missing: String {
    switch self {
    case .body: "document"
    case .entityTag: "ETag"
    case .noContent: "status 204 or the request ID"
    case .location: "location or the request ID"
    }
  }
}

extension SuccessProof {
  /// Creates the proof of a request to a bucket or an object.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - key: The key of the object, or `nil` for the bucket.
  ///   - parameters: The query parameters.
  ///   - isCopy: Whether the request copies an object, which is answered with a document.
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
