// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A request to sign, as one line of JSON from a script or another language for `storage-auth sign --jsonl`.
///
/// Fields that are not listed here are ignored.
package struct SigningJob: Decodable, Sendable {
  /// The ID of the line, which the result repeats.
  let id: String?
  /// The provider: `oss`, `cos` or `s3`; if `nil`, the other fields decide between OSS and COS.
  let provider: String?
  /// OSS: `v4` or `v1`.
  let version: String?
  /// The mode, `header` or `presign`; COS vectors call it `kind`.
  let mode: String?
  let kind: String?
  let method: String?
  /// The host with its port; optional for OSS and S3 if bucket and region determine it.
  let host: String?
  /// OSS, S3: the bucket.
  let bucket: String?
  /// OSS, S3: the object key, not percent-encoded.
  let key: String?
  /// COS: the object key, not percent-encoded and without the leading slash.
  let path: String?
  let query: [Pair]?
  let headers: [Pair]?
  let credential: Key?
  /// The time of signing in seconds since 1970 (UTC); the present if `nil`.
  let date: Int64?
  let region: String?
  let product: String?
  /// The lifetime of a URL in seconds.
  let expires: Int64?
  let additionalHeaders: [String]?
  let subResource: [String]?
  /// OSS V1: whether to sign a URL although another request has the same string to sign.
  let allowsAmbiguousV1: Bool?
  /// COS: the window as `start;end`, in seconds since 1970 (UTC).
  let keyTime: String?
  let signedHeaders: SignedHeaders?
  /// COS: `q-*` or `sign=`.
  let form: String?
  /// S3: the scheme of the URL, `https` or `http`.
  let scheme: String?
  /// S3: the percent-encoded path without the query; it replaces bucket and key.
  let wirePath: String?
  /// S3: `virtual` or `path`, the addressing style of a line without `wirePath`.
  let addressing: String?
  /// S3: the value of `x-amz-content-sha256`.
  let payloadHash: String?
  /// S3: the service of the scope; `s3` if `nil`.
  let service: String?

  struct Key: Decodable, Sendable {
    let id: String
    let secret: String
    let token: String?
  }

  struct SignedHeaders: Decodable, Sendable {
    let list: [String]?
    let signHost: Bool?
  }

  /// A name and a value, as an array of two; the value can be absent.
  struct Pair: Decodable, Sendable {
    let name: String
    let value: String?

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      name = try container.decode(String.self)
      value = container.isAtEnd ? nil : try container.decodeIfPresent(String.self)
    }
  }

  /// Parses a line.
  ///
  /// - Parameter json: The line.
  /// - Throws: A ``SigningJobError`` if the line is not JSON of this form.
  package init(json: String) throws(SigningJobError) {
    do {
      self = try JSONDecoder().decode(SigningJob.self, from: Data(json.utf8))
    } catch {
      let name = try? JSONDecoder().decode(Name.self, from: Data(json.utf8))
      throw SigningJobError(id: name?.id, message: "The line is not a request in JSON: \(Self.explain(error))")
    }
  }

  /// The ID of a line that cannot be parsed as a whole.
  private struct Name: Decodable {
    let id: String?
  }

  /// Returns the position of a decoding error, without the value, which may be a secret.
  private static func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be parsed." }
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
      return path.isEmpty ? "the top level" : path
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(key.stringValue) is missing in \(place(context))."
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(place(context)) has another type than expected."
    default: return "it is not valid JSON."
    }
  }
}

/// The error for a line that cannot be signed.
package struct SigningJobError: Error, Sendable, CustomStringConvertible {
  /// The ID of the line, or `nil` if it cannot be parsed.
  package var id: String?
  package let message: String
  package var description: String { message }
}
