// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The result of a ``SigningJob``: the requested signature with its strings, or the reason why signing failed.
package struct SignedLine: Encodable, Sendable {
  /// The ID of the signing job, or `nil` if the job has no ID.
  package var id: String?
  /// The string to sign, with the session token in plain text.
  package var stringToSign: String?
  /// The canonical request of OSS V4, COS or S3, with the session token in plain text.
  package var canonicalRequest: String?
  /// The value of the `Authorization` header, for a request that is signed in its headers.
  package var authorization: String?
  /// The URL of the request, which is presigned if the line requires it.
  package var url: String?
  /// The reason why the request could not be signed.
  package var error: String?

  /// The result as a single line of JSON.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return #"{"error":"The result cannot be encoded as JSON."}"# }
    return String(decoding: data, as: UTF8.self)
  }
}
