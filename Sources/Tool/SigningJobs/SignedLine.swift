// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth

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

extension SignedLine {
  /// Creates the result for a line by signing its request, or with an error if the line is invalid.
  ///
  /// - Parameters:
  ///   - json: The line, which contains a JSON object.
  ///   - defaultMode: The kind of signature for a line that does not specify one.
  ///   - now: The signing time for a line without a date.
  package init(answering json: String, defaultMode: SigningJob.Mode, now: Timestamp) {
    do throws(SigningJobError) {
      self = try SigningJob(json: json).signed(defaultMode: defaultMode, now: now)
    } catch {
      self.init(id: error.id, error: error.description)
    }
  }

  init(_ signed: HTTPRequest, _ pending: PendingSignature) {
    self.init(
      stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest,
      authorization: signed.headerFields[.authorization],
      url: "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")")
  }

  init(_ signed: PresignedRequest, _ pending: PendingSignature) {
    self.init(stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest, url: signed.url)
  }
}
