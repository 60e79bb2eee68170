#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One request to sign, as a line of JSON: what scripts and other languages send to `storage-auth sign --jsonl`.
///
/// Fields that are not listed here are ignored.
package struct SigningJob: Decodable, Sendable {
  /// Names the line in the answer.
  let id: String?
  /// `oss`, `cos` or `s3`; if `nil`, OSS or COS is told from the other fields.
  let provider: String?
  /// OSS: `v4` or `v1`.
  let version: String?
  /// `header` or `presign`; COS vectors call it `kind`.
  let mode: String?
  let kind: String?
  let method: String?
  /// The host with its port; OSS and S3 can do without where bucket and region say it.
  let host: String?
  /// OSS, S3: the bucket.
  let bucket: String?
  /// OSS, S3: the object key, not encoded.
  let key: String?
  /// COS: the object key, not encoded, without the slash in front.
  let path: String?
  let query: [Pair]?
  let headers: [Pair]?
  let credential: Key?
  /// The time of signing in Unix seconds; now, if not given.
  let date: Int64?
  let region: String?
  let product: String?
  /// How long a URL works, in seconds.
  let expires: Int64?
  let additionalHeaders: [String]?
  let subResource: [String]?
  /// OSS V1: whether a URL is signed although the string to sign is that of another request.
  let allowsAmbiguousV1: Bool?
  /// COS: `start;end` in Unix seconds.
  let keyTime: String?
  let signedHeaders: SignedHeaders?
  /// COS: `q-*` or `sign=`.
  let form: String?
  /// S3: `https` or `http`, which the URL begins with.
  let scheme: String?
  /// S3: the path as it travels, without the query; in place of bucket and key.
  let wirePath: String?
  /// S3: `virtual` or `path`; where the bucket is if there is no `wirePath`.
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

  /// A name and a value, as an array of two; the value may be missing.
  struct Pair: Decodable, Sendable {
    let name: String
    let value: String?

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      name = try container.decode(String.self)
      value = container.isAtEnd ? nil : try container.decodeIfPresent(String.self)
    }
  }

  /// Reads a line.
  ///
  /// - Throws: ``SigningJobError`` if the line is not JSON of this form.
  package init(json: String) throws(SigningJobError) {
    do {
      self = try JSONDecoder().decode(SigningJob.self, from: Data(json.utf8))
    } catch {
      let name = try? JSONDecoder().decode(Name.self, from: Data(json.utf8))
      throw SigningJobError(id: name?.id, message: "The line is not a request in JSON: \(Self.explain(error))")
    }
  }

  /// What names a line that cannot be read as a whole.
  private struct Name: Decodable {
    let id: String?
  }

  /// Where a decoding error is; never what was there, because it may be a secret.
  private static func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be read." }
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

/// Why a line cannot be signed.
package struct SigningJobError: Error, Sendable, CustomStringConvertible {
  /// What names the line, if that can be read.
  package var id: String?
  package let message: String
  package var description: String { message }
}
