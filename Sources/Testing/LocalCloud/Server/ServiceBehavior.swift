// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The behavior in which a simulated service differs from other services.
protocol ServiceBehavior: Sendable {
  /// The hosts at which requests name the bucket in the path, besides IP addresses and `localhost`.
  var pathHosts: PathHosts { get set }
  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier

  /// Returns the bucket, the object key and the query parameters of a request, as the service reads them.
  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget

  /// Returns the checks for the bytes of a request body or a copied object; the headers can be the fields of a form.
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck]

  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule?

  /// Returns the checksum of an object that consists of parts, or `nil` if the service stores none; throws if the
  /// request's document or its headers specify another checksum or length.
  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum?

  /// Returns the parts of the resource name of a bucket, of an object (`bucket/key`) or of the service (empty).
  func resource(_ name: String, in region: String) -> [String]

  /// Splits the resource name of a role into its colon-separated parts, or returns `nil` if the name is invalid.
  func roleResource(_ arn: String) -> [String]?
  func makeRequestID(at date: Timestamp) -> String
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode
  func region(in host: String) -> String?

  /// Returns a document of a bucket as the service stores it, or throws if the service refuses it.
  func accepted(_ document: XMLNode) throws(ErrorResponse) -> XMLNode

  /// Returns the error response if the request's host belongs to a region other than the bucket's, or `nil`.
  func redirection(of host: String, for bucket: String) -> ErrorResponse?
  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse

  /// Returns the error response for a rejected presigned URL, or `nil` to use the error response for a request.
  func urlRefusal(_ error: VerificationError) -> ErrorResponse?

  /// Returns the error response for a request that names a bucket where the service does not read one, or `nil`.
  func misaddressed(_ head: HTTPRequest) -> ErrorResponse?

  /// Returns the error response for a rejected form upload, or `nil` to use the error response for a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse?
  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer
}

/// The values that identify a request in the response to it.
struct CallIdentity: Sendable {
  let requestID: String
  var method: HTTPRequest.Method
  let host: String
  /// The path of the request target as it arrived, without the query.
  let path: String
  let date: Timestamp
}

extension ServiceBehavior {
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck] { [] }

  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule? { nil }

  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum? { nil }

  func region(in host: String) -> String? { nil }
  func accepted(_ document: XMLNode) throws(ErrorResponse) -> XMLNode { document }
  func redirection(of host: String, for bucket: String) -> ErrorResponse? { nil }
  func urlRefusal(_ error: VerificationError) -> ErrorResponse? { nil }
  func misaddressed(_ head: HTTPRequest) -> ErrorResponse? { nil }

  /// Splits the resource name of a role into its colon-separated parts, or returns `nil` if they are not as expected.
  func roleParts(of arn: String, _ beginning: [String], _ namePrefix: String, count: Int) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == count, parts.starts(with: beginning), !parts[count - 2].isEmpty,
      parts[count - 1].hasBytePrefix(namePrefix), !parts[count - 1].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}
