// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The names, formats and rules in which a storage service differs from the other services.
protocol SimulatedService: Sendable {
  /// The storage service to which buckets, keys and counters belong.
  var provider: LocalCloud.Provider { get }

  /// The endpoint whose statistics count the requests to the service.
  var endpoint: LocalCloud.Endpoint { get }

  /// Returns the configured region of the service.
  func region(of configuration: LocalCloud.Configuration) -> String

  /// Returns the verifier for signed requests and form uploads to the service.
  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier

  // MARK: Requests

  /// The prefix of service-specific headers, such as `x-oss-`.
  var headerPrefix: String { get }

  /// The operations of the service and their query parameters.
  var operations: OperationTable { get }

  /// The service-specific headers that the server supports.
  var headerRules: HeaderRules { get }

  /// Parses the header that specifies the source object of a copy.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource

  /// Returns whether the service ignores a byte range and responds with the whole object.
  ///
  /// - Parameter isStandard: Whether the request asks for the behavior of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool

  /// Returns the bucket, the object key and the query parameters of a request, as the service reads them.
  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget

  /// Returns whether a string is a valid bucket name of the service.
  func isBucketName(_ name: String) -> Bool

  /// The host names of the service, without a bucket label.
  var hosts: ServiceHosts { get }

  /// The maximum length of an object key, in bytes.
  var keyByteLimit: Int { get }

  /// The error response for an object key that is too long or contains a NUL character.
  var invalidKey: RefusalAnswer { get }

  // MARK: Bodies

  /// Returns the reader that removes the framing of a request body, or `nil` if the body is not framed.
  ///
  /// - Parameters:
  ///   - head: The head of the request.
  ///   - verified: The verified request.
  ///   - key: The access key that the request was verified with.
  /// - Throws: `VerificationError` if the headers contradict the framing of the body.
  func bodyReader(
    of head: HTTPRequest, _ verified: VerifiedRequest, _ key: AccessKey
  ) throws(VerificationError) -> (any BodyReader)?

  /// Returns the checks for the bytes of a request body or a copied object.
  ///
  /// - Parameters:
  ///   - headers: The headers of the request, or the fields of the form.
  ///   - operation: The operation of the request.
  ///   - rule: The checksum rule of the multipart upload that the body is a part of, if any.
  /// - Throws: An error response if the headers contradict each other.
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(RefusalAnswer) -> [any BodyCheck]

  /// Whether the checksums of a request body are verified even if the operation ignores the body.
  var checksEveryBody: Bool { get }

  /// Returns the content encoding to store with an object, or `nil` to store no content encoding.
  func storedEncoding(_ encoding: String) -> String?

  /// Returns the checksum rule that headers specify for a multipart upload, or `nil` if they specify no rule.
  func checksumRule(of headers: HTTPFields) throws(RefusalAnswer) -> ChecksumRule?

  /// Checks the checksums in a document's part elements against the checksums of the uploaded parts.
  func checkParts(_ parts: [UploadedPart], against elements: [XMLNode], _ rule: ChecksumRule) throws(RefusalAnswer)

  /// Returns the checksum of an object that consists of parts, or `nil` if the service stores no checksum.
  func checksum(of parts: [UploadedPart], _ rule: ChecksumRule) throws(RefusalAnswer) -> StoredChecksum?

  /// Checks the content of an object that consists of parts against the properties that request headers specify.
  func checkObject(_ content: Content, against headers: HTTPFields, _ rule: ChecksumRule) throws(RefusalAnswer)

  // MARK: Objects

  /// The media type of an object whose upload specified no media type.
  var defaultContentType: String { get }

  /// The name of the header with an object's access control, without the service's prefix.
  var objectAccessHeader: String { get }

  /// The storage classes of the service, the default class first.
  var storageClasses: [StorageClass] { get }

  /// The names of the encryption headers without the service's prefix, the header for the method first.
  var encryptionHeaders: [String] { get }

  /// The supported encryption methods, each with the names of the other headers that it allows.
  var encryptions: [String: Set<String>] { get }

  /// The range of allowed bandwidth limits, in bits per second.
  var trafficLimits: ClosedRange<Int64> { get }

  /// The default maximum number of entries in a page of a listing.
  var defaultPageSize: Int { get }

  /// The range of maximum numbers of entries that a list request can specify.
  var pageSizes: ClosedRange<Int> { get }

  /// The names of the query parameters and XML elements for the pages of the bucket list.
  var bucketPaging: BucketPaging { get }

  /// Returns the error code for creating a bucket that the caller already owns, or `nil` if creating it is no error.
  func ownBucketCode(in region: String) -> String?

  /// Throws an error response if a location constraint specifies a location other than the region.
  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer)

  /// Returns an entity tag in quotation marks, as the service formats it.
  func entityTag(_ tag: String) -> String

  /// Returns the bytes that a part's entity tag contributes to the digest in the object's entity tag.
  func bytes(ofPartTag tag: String) -> [UInt8]

  // MARK: Signatures and policies

  /// Returns the signature scheme that a verified request uses.
  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind

  /// Returns the signature scheme that a verified form upload uses.
  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind

  /// The name of the form field with the object's access control, in lowercase.
  var formAccessField: String { get }

  /// The language of session policies for temporary credentials.
  var policyLanguage: PolicyLanguage { get }

  /// The policy action that allows form uploads.
  var postAction: String { get }

  /// The policy action that allows reading the source object of a copy.
  var readAction: String { get }

  /// Returns the permission that an operation requires, or `nil` if the service doesn't have the operation.
  func need(for operation: Operation) -> Operation.Need?

  /// Returns the colon-separated parts of a resource name in policies.
  ///
  /// - Parameters:
  ///   - name: A bucket name, `bucket/key` for an object, or an empty string for the service.
  ///   - region: The region of the service.
  func resource(_ name: String, in region: String) -> [String]

  /// Returns the resource name of a bucket in the form that ``resource(_:in:)`` expects.
  func resourceName(ofBucket bucket: String) -> String

  /// Returns the values for policy conditions that all requests to the service share, by condition key.
  func facts(at date: Timestamp) -> [String: String]

  /// Returns the additional values for policy conditions that a request contains, by condition key.
  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String]

  /// Returns the additional values for policy conditions that a form upload contains, by condition key.
  ///
  /// The length of the file is not known yet; the maximum length that the form allows is used instead.
  func facts(of form: VerifiedForm) -> [String: String]

  // MARK: Temporary credentials

  /// Creates the access key of a temporary credential in the vendor's format.
  ///
  /// The session token contains every special character of Base64, which reveals clients that fail to encode it.
  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey

  /// Splits the resource name of a role into its colon-separated parts, or returns `nil` if the name is invalid.
  func roleResource(_ arn: String) -> [String]?

  // MARK: Responses

  /// The value of the `Server` header in responses.
  var serverName: String { get }

  /// The names of the service-specific response headers that web pages of other origins can read.
  var exposedHeaders: [String] { get }

  /// Returns a new request ID in the service's format.
  func makeRequestID(at date: Timestamp) -> String

  /// Adds the headers with the request ID to a response.
  func identify(_ answer: inout Answer, as requestID: String)

  /// Returns the response headers with the checksums of an object or a part.
  func checksums(of content: Content) -> HTTPFields

  /// Returns the response headers with an object's checksums for a read request with the given headers and target.
  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields

  /// The names of the headers that a partial or 304 (Not Modified) response omits.
  var headersOfWholeObjects: [HTTPField.Name] { get }

  /// Returns the additional response headers for an object that is read.
  func headers(of object: StoredObject) -> HTTPFields

  /// Returns the additional headers of the response that initiates a multipart upload.
  func headers(of upload: PendingUpload) -> HTTPFields

  /// Returns the additional XML elements of a multipart upload in listings.
  func elements(of upload: PendingUpload) -> [XMLNode]

  /// Returns the additional XML elements of the response to a copy or a completed upload.
  func elements(of content: Content) -> [XMLNode]

  /// The XML namespace of response documents, or `nil` if the documents have no namespace.
  var namespace: String? { get }

  /// Returns an object key or prefix in the encoding that documents use with `encoding-type=url`.
  func encodedName(_ name: String) -> String

  /// Whether list responses omit elements for query parameters that the request does not contain.
  var omitsEmptyElements: Bool { get }

  /// Returns the additional XML elements of an object in listings.
  func elements(of object: StoredObject) -> [XMLNode]

  /// Returns the additional XML elements of a part in listings.
  func elements(of part: UploadedPart) -> [XMLNode]

  /// Returns the response with an access control setting; for an object, `nil` means the setting of its bucket.
  func accessAnswer(_ access: AccessControl?) -> Answer

  /// Returns the XML element that describes a bucket in the bucket list.
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode

  /// Returns the name that a document about a bucket uses for a region.
  func location(of region: String) -> String

  // MARK: Errors

  /// Returns the error response if the request's host belongs to a region other than the bucket's, or `nil`.
  func redirection(of host: String, for bucket: String) -> RefusalAnswer?

  /// Returns the error response for a request whose signature was rejected.
  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer

  /// Returns the error response for a rejected form upload, or `nil` to use the error response for a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer?

  /// Returns the error response for a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer

  /// Returns the error response for a request that the session policy of the access key does not allow.
  func policyRefusal(at date: Timestamp) -> RefusalAnswer

  /// The error response for a request body that does not match its `Content-MD5`.
  var wrongDigest: RefusalAnswer { get }

  /// The error response for a copy whose source object does not meet the conditions of the request.
  var unchangedCopySource: RefusalAnswer { get }

  /// The error response for a copy of an object to itself without any change, or `nil` if such a copy is allowed.
  var unchangingCopy: RefusalAnswer? { get }

  /// Returns the HTTP response for an error, with the service's error document.
  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer
}

/// The values that identify a request in the response to it.
struct CallIdentity: Sendable {
  let requestID: String
  let method: HTTPRequest.Method
  let host: String
  /// The path of the request target as it arrived, without the query.
  let path: String
  let date: Timestamp
}

/// A storage class of a service, such as `Standard`.
struct StorageClass: Sendable {
  let name: String

  /// Whether an object with this storage class must be restored before it can be read.
  var isArchive = false
}

/// The names of the query parameters and XML elements for the pages of the bucket list.
struct BucketPaging: Sendable {
  var marker: ByteExactString = "marker"
  var limit: ByteExactString = "max-keys"
  var next = "NextMarker"
  var most = 1000
}

extension SimulatedService {
  /// The ID of the account that owns all buckets.
  static var account: String { "1250000000" }

  /// The storage class of an object whose upload specified no storage class.
  var standardClass: String { storageClasses[0].name }

  /// Returns the full name of a service-specific header, given the name without the service's prefix.
  func header(_ rest: String) -> String { headerPrefix + rest }

  /// The prefix of the names of user metadata headers.
  var metadataPrefix: String { header("meta-") }

  /// The XML element that describes the owner of all buckets and objects.
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

extension SimulatedService {
  /// Returns an access control list document that grants full control to the owner.
  ///
  /// With public read access, the document also grants read access to the group of all users.
  ///
  /// - Parameters:
  ///   - access: The access control setting of the bucket or object.
  ///   - everybody: The URI of the group of all users.
  func grants(of access: AccessControl?, everybody: String) -> XMLNode {
    func grant(_ type: String, _ grantee: [XMLNode], _ permission: String) -> XMLNode {
      var to = XMLNode("Grantee", children: grantee)
      to.attributes = ["xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:type": type]
      return XMLNode("Grant", children: [to, XMLNode("Permission", permission)])
    }
    var grants = [grant("CanonicalUser", owner.children, "FULL_CONTROL")]
    if access == .publicRead { grants.append(grant("Group", [XMLNode("URI", everybody)], "READ")) }
    var document = XMLNode(
      "AccessControlPolicy", children: [owner, XMLNode("AccessControlList", children: grants)])
    if let namespace { document.attributes["xmlns"] = namespace }
    return document
  }
}
