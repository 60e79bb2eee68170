// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird

/// A reason to reject a request that is authenticated.
struct RequestRefusal: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String

  static let replayed = RequestRefusal(
    status: .forbidden, code: "RequestReplayed", message: "The signature was used before. Sign the request anew.")

  static let busy = RequestRefusal(
    status: .serviceUnavailable, code: "ServiceBusy",
    message: "Too many signatures of this key that are still valid were used. Try again when they have expired.")

  static let replaysUnknown = RequestRefusal(
    status: .serviceUnavailable, code: "ServiceUnavailable",
    message: "The server cannot tell at the moment whether the signature was used before. Try again later.")

  static let invalidDigest = RequestRefusal(
    status: .badRequest, code: "InvalidDigest", message: "The Content-MD5, or the SHA-256 of the body, is not a hash.")

  static let bodyMismatch = RequestRefusal(
    status: .badRequest, code: "BadDigest", message: "The body does not match the hash in the request.")

  /// Returns the refusal for a bucket name that must not reach a handler, with a predicate such as “is empty”.
  static func invalidBucket(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidBucketName", message: "The bucket \(problem). Name a bucket without that.")
  }

  /// Returns the refusal for a key that must not reach a handler, with a predicate such as “ends with a slash”.
  static func invalidKey(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidObjectName", message: "The key \(problem). Use a key without that.")
  }
}

extension Response {
  /// Creates the response `{code, message}` for a refusal.
  static func refusal(_ refusal: RequestRefusal) -> Response {
    json(["code": .string(refusal.code), "message": .string(refusal.message)], refusal.status)
  }

  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    json(document.serialized, status)
  }

  /// Creates a response with serialized JSON that clients must not cache.
  static func json(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
