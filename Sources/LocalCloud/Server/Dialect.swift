// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The names, texts, formats and rules in which a storage service differs from the others.
protocol Dialect: Sendable {
  /// The service, which identifies its buckets, keys and counters.
  var provider: LocalCloud.Provider { get }

  /// The endpoint that requests of the service are counted for.
  var endpoint: LocalCloud.Endpoint { get }

  /// Returns the region of the service.
  func region(of configuration: LocalCloud.Configuration) -> String

  /// Returns the verifier of requests and forms.
  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier

  // MARK: Requests

  /// The prefix of the service's own headers.
  var headerPrefix: String { get }

  /// The operations and their query parameters.
  var operations: OperationTable { get }

  /// The supported headers of the service.
  var headerRules: HeaderRules { get }

  /// Parses the header that names the source object of a copy.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource

  /// Returns whether the service ignores a range and responds with the whole object.
  ///
  /// - Parameter isStandard: Whether the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool

  /// Returns the bucket, the key and the parameters of a request, as the service reads them.
  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget

  /// Returns whether a string is a valid bucket name.
  func isBucketName(_ name: String) -> Bool

  /// The hosts of the service without a bucket.
  var hosts: ServiceHosts { get }

  /// The maximum length of a key, in bytes.
  var keyByteLimit: Int { get }

  /// The error for a key that is too long or contains a NUL.
  var invalidKey: RefusalAnswer { get }

  // MARK: Bodies

  /// Returns the reader that removes the framing of a request body, or `nil` if it is not framed.
  ///
  /// - Parameters:
  ///   - head: The request.
  ///   - verified: The verified request.
  ///   - key: The key that the request was verified against.
  /// - Throws: `VerificationError` if the headers contradict the framing of the body.
  func bodyReader(
    of head: HTTPRequest, _ verified: VerifiedRequest, _ key: AccessKey
  ) throws(VerificationError) -> (any BodyReader)?

  /// Returns the checks of the bytes of a body or a copy.
  ///
  /// - Parameters:
  ///   - headers: The headers of the request, or the fields of the form.
  ///   - operation: The operation of the request.
  ///   - rule: The checksum rule of the multipart upload that the body is a part of, if any.
  /// - Throws: An error response if the headers contradict each other.
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(RefusalAnswer) -> [any BodyCheck]

  /// Whether the checksums of a request body are checked even if its operation ignores the body.
  var checksEveryBody: Bool { get }

  /// Returns the content encoding to store with an object, or `nil` for none.
  func storedEncoding(_ encoding: String) -> String?

  /// Returns the checksum rule of a new multipart upload, or `nil` if the upload or the service has none.
  func checksumRule(of headers: HTTPFields) throws(RefusalAnswer) -> ChecksumRule?

  /// Checks the checksums in the elements of a document against those of the parts.
  func checkParts(_ parts: [UploadedPart], against elements: [XMLNode], _ rule: ChecksumRule) throws(RefusalAnswer)

  /// Returns the checksum of the concatenated parts.
  func checksum(of parts: [UploadedPart], _ rule: ChecksumRule) throws(RefusalAnswer) -> StoredChecksum?

  /// Checks the properties that headers state about an object that is assembled from parts.
  func checkObject(_ content: Content, against headers: HTTPFields, _ rule: ChecksumRule) throws(RefusalAnswer)

  // MARK: Objects

  /// The media type of an object that specifies none.
  var defaultContentType: String { get }

  /// The name, without the service's prefix, of the header with the access control of an object.
  var objectAccessHeader: String { get }

  /// The storage classes; the first one is the default.
  var storageClasses: [StorageClass] { get }

  /// The headers for server-side encryption, without the service's prefix; the first one names the method.
  var encryptionHeaders: [String] { get }

  /// The supported encryption methods, and the other headers that each of them allows.
  var encryptions: [String: Set<String>] { get }

  /// The allowed bandwidth limits, in bits per second.
  var trafficLimits: ClosedRange<Int64> { get }

  /// The default number of entries of a listing.
  var defaultPageSize: Int { get }

  /// The allowed numbers of entries of a listing.
  var pageSizes: ClosedRange<Int> { get }

  /// The names of the parameters and elements that page the list of buckets.
  var bucketPaging: BucketPaging { get }

  /// Returns the error code for creating a bucket that the caller already owns, or `nil` if that is not an error.
  func ownBucketCode(in region: String) -> String?

  /// Rejects the creation of a bucket in another location.
  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer)

  /// Returns an entity tag as the service formats it, with quotation marks.
  func entityTag(_ tag: String) -> String

  /// Returns the bytes of a part's entity tag from which the entity tag of the whole object is computed.
  func bytes(ofPartTag tag: String) -> [UInt8]

  // MARK: Signatures and policies

  /// Returns the kind of signature of a verified request.
  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind

  /// Returns the kind of signature of a verified form.
  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind

  /// The name, in lower case, of the form field with the access control of the object.
  var formAccessField: String { get }

  /// The language of the session policies of temporary credentials.
  var policyLanguage: PolicyLanguage { get }

  /// The action that allows form uploads in a policy.
  var postAction: String { get }

  /// The action that allows reading the source object of a copy in a policy.
  var readAction: String { get }

  /// Returns the required permission, or `nil` if the service lacks the operation, so that no policy allows it.
  func need(for operation: Operation) -> Operation.Need?

  /// Returns the parts of a resource name.
  ///
  /// - Parameters:
  ///   - name: The bucket, with a slash and the key for an object; empty for the service.
  ///   - region: The region of the service.
  func resource(_ name: String, in region: String) -> [String]

  /// Returns a bucket in the form that ``resource(_:in:)`` expects.
  func resourceName(ofBucket bucket: String) -> String

  /// Returns the condition values that all requests to the service share.
  func facts(at date: Timestamp) -> [String: String]

  /// Returns the additional condition values of a request.
  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String]

  /// Returns the additional condition values of a form.
  ///
  /// The length of the file is not known yet: the maximum that the form allows is used instead.
  func facts(of form: VerifiedForm) -> [String: String]

  // MARK: Temporary credentials

  /// Creates a temporary credential in the vendor's format.
  ///
  /// The session tokens contain every special character of Base64, which reveals clients that fail to encode them.
  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey

  /// Parses the name of a role into the parts of a resource name, or returns `nil` if it is invalid.
  func roleResource(_ arn: String) -> [String]?

  // MARK: Responses

  /// The value of the `Server` header.
  var serverName: String { get }

  /// The service's own headers that pages of other origins may read.
  var exposedHeaders: [String] { get }

  /// Returns a new request id in the service's format.
  func makeRequestID(at date: Timestamp) -> String

  /// Adds the request id to a response.
  func identify(_ answer: inout Answer, as requestID: String)

  /// Returns the headers with the checksums of an object or a part.
  func checksums(of content: Content) -> HTTPFields

  /// Returns the headers with the checksums of an object in the response to a read request.
  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields

  /// The headers that a partial or 304 (Not Modified) response omits.
  var headersOfWholeObjects: [HTTPField.Name] { get }

  /// Returns the additional headers of an object.
  func headers(of object: StoredObject) -> HTTPFields

  /// Returns the additional headers of the response that initiates a multipart upload.
  func headers(of upload: PendingUpload) -> HTTPFields

  /// Returns the additional elements of a multipart upload in listings.
  func elements(of upload: PendingUpload) -> [XMLNode]

  /// Returns the additional elements about the content of a copy or a completed upload in the response.
  func elements(of content: Content) -> [XMLNode]

  /// The XML namespace of documents, or `nil` for none.
  var namespace: String? { get }

  /// Returns a name encoded as documents contain it with `encoding-type=url`.
  func encodedName(_ name: String) -> String

  /// Whether listings omit elements for parameters that the request does not have.
  var omitsEmptyElements: Bool { get }

  /// Returns the additional elements of an object in listings.
  func elements(of object: StoredObject) -> [XMLNode]

  /// Returns the additional elements of a part in listings.
  func elements(of part: UploadedPart) -> [XMLNode]

  /// Returns the response with an access control; for an object, `nil` means that of its bucket.
  func accessAnswer(_ access: AccessControl?) -> Answer

  /// Returns the element of a bucket in the list of buckets.
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode

  /// Returns the name of a region in a document about a bucket.
  func location(of region: String) -> String

  // MARK: Errors

  /// Returns the error for a request whose host belongs to another region than the bucket, if it does.
  func redirection(of host: String, for bucket: String) -> RefusalAnswer?

  /// Returns the error for a request whose signature was rejected.
  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer

  /// Returns the error for a form that was rejected, or `nil` if it is the same as that of a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer?

  /// Returns the error for a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer

  /// Returns the error for a request that the policy of its key does not allow.
  func policyRefusal(at date: Timestamp) -> RefusalAnswer

  /// The error for a body that does not match its `Content-MD5`.
  var wrongDigest: RefusalAnswer { get }

  /// The error for a copy whose conditions exclude the source object.
  var unchangedCopySource: RefusalAnswer { get }

  /// The error for a copy of an object to itself that changes no property, or `nil` if that is allowed.
  var unchangingCopy: RefusalAnswer? { get }

  /// Returns the response for an error.
  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer
}

/// The values that identify a request in its response.
struct CallIdentity: Sendable {
  let requestID: String
  let method: HTTPRequest.Method
  let host: String
  /// The path without the query, as it arrived.
  let path: String
  let date: Timestamp
}

/// A storage class.
struct StorageClass: Sendable {
  let name: String

  /// Whether an object of this class must be restored before it can be read.
  var isArchive = false
}

/// The names of the parameters and elements that page the list of buckets.
struct BucketPaging: Sendable {
  var marker: WireText = "marker"
  var limit: WireText = "max-keys"
  var next = "NextMarker"
  var most = 1000
}

extension Dialect {
  /// The id of the account that owns all buckets.
  static var account: String { "1250000000" }

  /// The storage class of an object that specifies none.
  var standardClass: String { storageClasses[0].name }

  /// Returns the name of a header with the service's prefix.
  func header(_ rest: String) -> String { headerPrefix + rest }

  /// The prefix of the headers with user metadata.
  var metadataPrefix: String { header("meta-") }

  /// The element with the owner of all buckets and objects.
  var owner: XMLNode {
    XMLNode("Owner", children: [XMLNode("ID", Self.account), XMLNode("DisplayName", "localcloud")])
  }

  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool { false }

  func resourceName(ofBucket bucket: String) -> String { bucket }

  func elements(of object: StoredObject) -> [XMLNode] { [] }

  func elements(of part: UploadedPart) -> [XMLNode] { [] }

  func elements(of upload: PendingUpload) -> [XMLNode] { [] }

  func elements(of content: Content) -> [XMLNode] { [] }

  func headers(of upload: PendingUpload) -> HTTPFields { [:] }

  func location(of region: String) -> String { region }

  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer) {}

  func redirection(of host: String, for bucket: String) -> RefusalAnswer? { nil }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    operations.read(try RequestTarget(of: head, hosts: hosts))
  }

  func isBucketName(_ name: String) -> Bool { StorageAuth.isBucketName(name) }

  var keyByteLimit: Int { 1023 }

  var invalidKey: RefusalAnswer {
    RefusalAnswer(.badRequest, "InvalidObjectName", "The key has more than 1,023 bytes in UTF-8, or contains a NUL.")
  }

  func bodyReader(
    of head: HTTPRequest, _ verified: VerifiedRequest, _ key: AccessKey
  ) throws(VerificationError) -> (any BodyReader)? { nil }

  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(RefusalAnswer) -> [any BodyCheck] { [] }

  var checksEveryBody: Bool { false }

  func storedEncoding(_ encoding: String) -> String? { encoding }

  func checksumRule(of headers: HTTPFields) throws(RefusalAnswer) -> ChecksumRule? { nil }

  func checkParts(_ parts: [UploadedPart], against elements: [XMLNode], _ rule: ChecksumRule) throws(RefusalAnswer) {}

  func checksum(of parts: [UploadedPart], _ rule: ChecksumRule) throws(RefusalAnswer) -> StoredChecksum? { nil }

  func checkObject(_ content: Content, against headers: HTTPFields, _ rule: ChecksumRule) throws(RefusalAnswer) {}

  var defaultContentType: String { "application/octet-stream" }

  var pageSizes: ClosedRange<Int> { 0...1000 }

  var bucketPaging: BucketPaging { BucketPaging() }

  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields {
    checksums(of: content)
  }

  var headersOfWholeObjects: [HTTPField.Name] { [.contentMD5] }

  var namespace: String? { nil }

  func encodedName(_ name: String) -> String { name.percentEncoded() }

  var omitsEmptyElements: Bool { false }

  var unchangingCopy: RefusalAnswer? { nil }
}
