// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import S3Auth
package import StorageAuth
internal import StorageCrypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A request to sign, in the form of a line of JSON, as `storage-auth sign --jsonl` reads it; other fields are ignored.
package struct SigningJob: Decodable, Sendable {
  /// The ID of the job, which the result repeats.
  let id: String?
  /// `oss`, `cos` or `s3`; without it, the other fields decide between OSS and COS.
  let provider: String?
  /// OSS: the signature version, `v4` or `v1`.
  let version: String?
  /// The place of the signature, `header` or `presign`.
  let mode: String?
  /// COS: the name of ``mode`` in COS test vectors.
  let kind: String?
  let method: String?
  /// The host with its port; optional for OSS and S3 if the bucket and the region determine it.
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
  /// The signing time in seconds since 1970 (UTC); by default the current time.
  let date: Int64?
  let region: String?
  let product: String?
  /// The lifetime of a presigned URL in seconds.
  let expires: Int64?
  /// OSS V4, S3: the names of headers to sign in addition to the required ones.
  let additionalHeaders: [String]?
  /// OSS V1: the names of query parameters to sign that are newer than this package.
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
  /// S3: the service in the scope of the signature; by default `s3`.
  let service: String?

  struct Key: Decodable, Sendable {
    let id, secret: String
    let token: String?
  }

  /// COS, S3: the headers to sign, in the form of COS test vectors.
  struct SignedHeaders: Decodable, Sendable {
    let list: [String]?
    let signHost: Bool?
  }

  /// A name and a value, encoded as an array of one or two elements.
  struct Pair: Decodable, Sendable {
    let name: String
    let value: String?

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      name = try container.decode(String.self)
      value = container.isAtEnd ? nil : try container.decodeIfPresent(String.self)
    }
  }

  /// Parses a line, or throws an error if it is not a JSON object in this format, with the ID if that can be read.
  package init(json: String) throws(SigningJobError) {
    do {
      self = try JSONDecoder().decode(SigningJob.self, from: Data(json.utf8))
    } catch {
      let id = (try? JSONDecoder().decode(Identification.self, from: Data(json.utf8)))?.id
      throw SigningJobError(id: id, message: "The line is not a request in JSON: \(Self.explanation(of: error))")
    }
  }

  private struct Identification: Decodable { let id: String? }

  /// Returns a description of a decoding error with its position, but without the value, which may be a secret.
  private static func explanation(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be parsed." }
    func location(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
      return path.isEmpty ? "the top level" : path
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(key.stringValue) is missing in \(location(context))."
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(location(context)) has another type than expected."
    // Foundation has one error for both.
    default: return "it is not valid JSON, or a number that must be whole is a fraction or too large."
    }
  }
}

/// An error of a line that cannot be parsed, or lacks what its provider needs.
package struct SigningJobError: Error, Sendable, CustomStringConvertible {
  /// The ID of the signing job, or `nil` if it is absent or cannot be parsed.
  package var id: String?
  package let message: String
  package var description: String { message }
}

extension SigningJob {
  /// The place of the signature.
  package enum Mode: String, Sendable {
    /// In the headers of the request.
    case header
    /// In the URL of the request.
    case presign
  }

  /// Signs the request, and returns an error as a result, too; mode and time are for a line that lacks them.
  package func signed(defaultMode: Mode, now: Timestamp) -> SignedLine {
    do {
      var line = try sign(defaultMode: defaultMode, now: now)
      line.id = id
      return line
    } catch {
      return SignedLine(id: id, error: "\(error)")
    }
  }

  private func sign(defaultMode: Mode, now: Timestamp) throws -> SignedLine {
    let modeName = mode ?? kind ?? defaultMode.rawValue
    guard let mode = Mode(rawValue: modeName) else {
      throw SigningJobError(message: "\"\(modeName)\" is not a mode; use header or presign.")
    }
    guard let credential else { throw SigningJobError(message: "The line has no credential.") }
    let accessKey = AccessKey(
      id: credential.id, secret: credential.secret, sessionToken: credential.token ?? tokenHeader)
    let context = SigningContext(date: date.map { Timestamp(unixSeconds: $0) } ?? now)
    // A job without a provider is for COS if it contains a field that only COS has, and otherwise for OSS.
    switch provider ?? (keyTime != nil || kind != nil ? "cos" : "oss") {
    case "oss": return try signOSS(mode, accessKey, context)
    case "cos": return try signCOS(mode, accessKey, context)
    case "s3": return try signS3(mode, accessKey, context)
    case let name: throw SigningJobError(message: "\"\(name)\" is not a provider; use oss, cos or s3.")
    }
  }

  private static let tokenHeaders = [ServiceDescription.oss, .cos, .s3].map { $0.header("security-token") }

  /// The session token in the job's headers; signing sets this header again.
  private var tokenHeader: String? { headers?.first { Self.tokenHeaders.contains($0.name.asciiLowercased) }?.value }

  /// Signs a request, and prepares the same signature to obtain the signed strings, which signing does not return.
  func sign(
    _ request: HTTPRequest, with signer: some TwoStepSigner<AccessKey> & Presigner<AccessKey>, _ mode: Mode,
    _ accessKey: AccessKey, _ context: SigningContext
  ) throws -> SignedLine {
    switch mode {
    case .header:
      let signed = try signer.signed(request, with: accessKey, in: context)
      return SignedLine(signed, try signer.prepare(request, as: accessKey.identity, in: context))
    case .presign:
      let duration = Duration.seconds(expires ?? 3600)
      let signed = try signer.presign(request, with: accessKey, validFor: duration, in: context)
      let pending = try signer.prepare(presigning: request, as: accessKey.identity, validFor: duration, in: context)
      return SignedLine(signed, pending)
    }
  }

  /// Returns the request for an object key, which is percent-encoded once, with the query of the job.
  func request(authority: String, key: String) throws -> HTTPRequest {
    let path = appendingQuery(to: "/" + key.percentEncoded(.path)) { name, value in
      value.isEmpty ? name : "\(name)=\(value)"
    }
    return try request(scheme: "https", authority: authority, path: path)
  }

  /// Returns the request for a percent-encoded path; a `Host` header in the line replaces the authority.
  func request(scheme: String, authority: String, path: String) throws -> HTTPRequest {
    guard let method = HTTPRequest.Method(method ?? "GET") else {
      throw SigningJobError(message: "The method is not a token.")
    }
    var request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    for header in headers ?? [] {
      let value = String((header.value ?? "").trimmingBlanks)
      guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(value) else {
        throw SigningError(
          .invalidHeader, "A header's name is not a token, or its value holds a line break or a control character.",
          remedy: "Remove the header or correct it.")
      }
      if name.canonicalName == "host" {
        request.authority = value
      } else {
        request.headerFields.append(HTTPField(name: name, value: value))
      }
    }
    return request
  }

  /// Appends the job's query to a percent-encoded path; the closure joins a name and a value.
  func appendingQuery(to path: String, _ joined: (_ name: String, _ value: String) -> String) -> String {
    let parameters = (query ?? []).map { pair in
      let name = pair.name.percentEncoded()
      return pair.value.map { joined(name, $0.percentEncoded()) } ?? name
    }
    return parameters.isEmpty ? path : path + "?" + parameters.joined(separator: "&")
  }
}

/// The result of a ``SigningJob``: the signature with the signed strings, or the reason why signing failed.
package struct SignedLine: Encodable, Sendable {
  package var id: String?
  /// The string to sign, with the session token in plain text.
  package var stringToSign: String?
  /// The canonical request of OSS V4, COS or S3, with the session token in plain text.
  package var canonicalRequest: String?
  /// The value of the `Authorization` header, in the mode `header`.
  package var authorization: String?
  /// The URL of the request, presigned in the mode `presign`.
  package var url: String?
  package var error: String?

  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return #"{"error":"The result cannot be encoded as JSON."}"# }
    return String(decoding: data, as: UTF8.self)
  }
}

extension SignedLine {
  /// Signs the request of a line; the result contains an error if the line is invalid.
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
