// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A request to sign, in the form of a line of JSON from a script or a program in another language.
///
/// `storage-auth sign --jsonl` reads such lines. Fields that are not listed here are ignored.
package struct SigningJob: Decodable, Sendable {
  /// The ID of the job, which the result repeats, or `nil` if the line contains no ID.
  let id: String?
  /// The provider: `oss`, `cos` or `s3`, or `nil` if the other fields decide between OSS and COS.
  let provider: String?
  /// OSS: the signature version, `v4` or `v1`.
  let version: String?
  /// The kind of signature, `header` or `presign`; COS test vectors call it `kind`.
  let mode: String?
  let kind: String?
  let method: String?
  /// The host with its port, which is optional for OSS and S3 if the bucket and the region determine it.
  let host: String?
  /// OSS, S3: the bucket name.
  let bucket: String?
  /// OSS, S3: the object key, without percent-encoding.
  let key: String?
  /// COS: the object key, without percent-encoding and without the leading slash.
  let path: String?
  let query: [Pair]?
  let headers: [Pair]?
  let credential: Key?
  /// The signing time in seconds since 1970 (UTC), or `nil` for the current time.
  let date: Int64?
  let region: String?
  let product: String?
  /// The lifetime of a presigned URL in seconds.
  let expires: Int64?
  let additionalHeaders: [String]?
  let subResource: [String]?
  /// OSS V1: whether to sign a URL although its string to sign is also the string of another request.
  let allowsAmbiguousV1: Bool?
  /// COS: the validity window in the form `start;end`, in seconds since 1970 (UTC).
  let keyTime: String?
  let signedHeaders: SignedHeaders?
  /// COS: the format of the authorization in a URL, `q-*` or `sign=`.
  let form: String?
  /// S3: the scheme of the URL, `https` or `http`.
  let scheme: String?
  /// S3: the percent-encoded path without the query, which replaces the bucket and the key.
  let wirePath: String?
  /// S3: the addressing style of a line without `wirePath`, `virtual` or `path`.
  let addressing: String?
  /// S3: the value of `x-amz-content-sha256`.
  let payloadHash: String?
  /// S3: the service in the scope of the signature, or `nil` for `s3`.
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

  /// A name and a value, encoded as an array of two elements; the value can be absent.
  struct Pair: Decodable, Sendable {
    let name: String
    let value: String?

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      name = try container.decode(String.self)
      value = container.isAtEnd ? nil : try container.decodeIfPresent(String.self)
    }
  }

  /// Creates a signing job from a line of JSON.
  ///
  /// - Parameter json: The line, which contains a JSON object.
  /// - Throws: A ``SigningJobError`` if the line is not JSON in the format of a signing job.
  package init(json: String) throws(SigningJobError) {
    do {
      self = try JSONDecoder().decode(SigningJob.self, from: Data(json.utf8))
    } catch {
      let name = try? JSONDecoder().decode(Name.self, from: Data(json.utf8))
      throw SigningJobError(id: name?.id, message: "The line is not a request in JSON: \(Self.explain(error))")
    }
  }

  /// The ID of a line whose other fields cannot be parsed.
  private struct Name: Decodable {
    let id: String?
  }

  /// Returns a description of a decoding error with its position, but without the value, which may be a secret.
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

/// The error for a line whose request cannot be signed.
package struct SigningJobError: Error, Sendable, CustomStringConvertible {
  /// The ID of the signing job, or `nil` if the ID is absent or cannot be parsed.
  package var id: String?
  package let message: String
  package var description: String { message }
}
