// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The part of a response's head that proves that the service itself reports success.
///
/// A proxy, a captive portal or another server can respond to any request with status 200 and a page, but without the
/// header that OSS, COS, S3 and compatible services send with every success of the operation.
enum SuccessProof: Sendable {
  /// The body is the proof: a document of the operation, or the response of another server.
  case body
  /// The entity tag of the object or the part (`GetObject`, `HeadObject`, `PutObject`, `UploadPart`).
  case entityTag
  /// The status 204 (`DeleteObject`, `AbortMultipartUpload`), or a success with the service's request ID.
  case noContent
  /// The location of the bucket (`PutBucket` of OSS and S3), or the service's request ID.
  case location

  /// Throws an error if a response with the status of a success has no proof.
  func require(in response: HTTPResponse, to subject: String, requestIDHeader: HTTPField.Name?) throws(StorageError) {
    func has(_ name: HTTPField.Name?) -> Bool { name.flatMap { response.headerFields.value(of: $0) }?.isEmpty == false }
    let (isPresent, proof) =
      switch self {
      case .body: (true, "document")
      case .entityTag: (has(.eTag), "ETag")
      case .noContent: (response.status == .noContent || has(requestIDHeader), "status 204 or the request ID")
      case .location: (has(.location) || has(requestIDHeader), "location or the request ID")
      }
    guard !isPresent else { return }
    throw StorageError(
      .malformedResponse,
      "The response to \(subject) has the status \(response.status.code), but not the \(proof) with which the service "
        + "reports success; a proxy or a captive portal may have answered.",
      remedy: "Check the endpoint, and that the network needs no login. A server of your own must send the \(proof).")
  }

  /// Creates the proof for a request to an object, or to the bucket if the key is `nil`.
  ///
  /// A copy is a `PUT` request, but its response is a document.
  init(of method: HTTPRequest.Method, key: String?, parameters: [RequestTarget.Parameter], isCopy: Bool) {
    // A service that processes an object, or lists the parts of an upload, responds with another body than the object.
    let requestsStoredBytes = parameters.allSatisfy { $0.name == "versionId" }
    self =
      switch method {
      case .put where key == nil: .location
      case .put where !isCopy: .entityTag
      case .head where key != nil: .entityTag
      case .get where key != nil && requestsStoredBytes: .entityTag
      case .delete: .noContent
      default: .body
      }
  }
}

extension HTTPResponse {
  /// Whether the service performed the operation; with the status 203, OSS reports that a callback failed.
  package var isSuccess: Bool { status.kind == .successful && status.code != 203 }
}

extension HTTPStreamingResponse {
  /// Returns the beginning of an error response's body, or an empty array and `true` if the body cannot be read.
  func errorBody() async throws -> (bytes: [UInt8], isTruncated: Bool) {
    do {
      return (try await body.collectPrefix(upTo: ServiceError.bodyLimit), false)
    } catch let error where !(error is CancellationError) { return ([], true) }
  }
}
