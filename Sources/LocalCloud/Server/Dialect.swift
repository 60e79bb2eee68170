internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// A storage service as the engine sees it: names, texts, forms and rules; what the services do is the same.
protocol Dialect: Sendable {
  /// The service: what its buckets, keys and counters are kept under.
  var provider: LocalCloud.Provider { get }

  /// What its requests are counted as.
  var endpoint: LocalCloud.Endpoint { get }

  /// Returns the region that the service stands in.
  func region(of configuration: LocalCloud.Configuration) -> String

  /// Returns what verifies requests and forms.
  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier

  // MARK: Requests

  /// What the service's own headers start with.
  var headerPrefix: String { get }

  /// The operations, and the parameters that ask for them.
  var operations: OperationTable { get }

  /// The headers of the service that have an effect.
  var headerRules: HeaderRules { get }

  /// Reads the header that names the object to copy.
  func copySource(_ header: String) throws(RefusalAnswer) -> NamedSource

  /// Whether a range is read over, and the whole object is answered.
  ///
  /// - Parameter isStandard: Whether the request asks for the behaviour of the HTTP standard.
  func ignores(_ range: RequestedRange, of byteCount: Int64, isStandard: Bool) -> Bool

  /// The bucket, the key and the parameters of a request, as the service reads them.
  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget

  /// Whether a text can be the name of a bucket.
  func isBucketName(_ name: String) -> Bool

  /// The hosts of the service without a bucket.
  var hosts: ServiceHosts { get }

  /// The longest key, in bytes.
  var keyByteLimit: Int { get }

  /// The refusal of a key that is too long, or has a NUL in it.
  var invalidKey: RefusalAnswer { get }

  // MARK: Bodies

  /// Returns what takes the body of a request apart; `nil` if the bytes that arrive are those of the object.
  ///
  /// - Parameters:
  ///   - head: The request.
  ///   - verified: Its proof.
  ///   - key: The key that it was verified against.
  /// - Throws: A `VerificationError` if the headers do not go with the form of the body.
  func bodyReader(
    of head: HTTPRequest, _ verified: VerifiedRequest, _ key: AccessKey
  ) throws(VerificationError) -> (any BodyReader)?

  /// Returns what checks the bytes of a body, or of a copy.
  ///
  /// - Parameters:
  ///   - headers: The headers of the request, or the fields of the form.
  ///   - operation: What the request asks for.
  ///   - rule: What the checksum of a part has to be.
  /// - Throws: The refusal of headers that do not go with each other.
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(RefusalAnswer) -> [any BodyCheck]

  /// Whether the body of a request is checked that has nothing to say to its operation.
  var checksEveryBody: Bool { get }

  /// The content encoding that is kept with an object; `nil` for none.
  func storedEncoding(_ encoding: String) -> String?

  /// What the checksums of the parts of a new upload have to be; `nil` where the service has no such checksums.
  func checksumRule(of headers: HTTPFields) throws(RefusalAnswer) -> ChecksumRule?

  /// Compares the checksums that the elements of a document state with those of the parts.
  func checkParts(_ parts: [UploadedPart], against elements: [XMLNode], _ rule: ChecksumRule) throws(RefusalAnswer)

  /// The checksum of parts one after the other.
  func checksum(of parts: [UploadedPart], _ rule: ChecksumRule) throws(RefusalAnswer) -> StoredChecksum?

  /// Compares what headers state about an object that is put together from parts.
  func checkObject(_ content: Content, against headers: HTTPFields, _ rule: ChecksumRule) throws(RefusalAnswer)

  // MARK: Objects

  /// The media type of an object that names none.
  var defaultContentType: String { get }

  /// The rest of the name of the header that says who may read an object.
  var objectAccessHeader: String { get }

  /// The storage classes; the first one is the class of an object that names none.
  var storageClasses: [StorageClass] { get }

  /// The headers that say how the service is to encrypt, without the prefix; the first one names the method.
  var encryptionHeaders: [String] { get }

  /// The methods of encryption, and the other headers that go with each.
  var encryptions: [String: Set<String>] { get }

  /// The limits of bandwidth that a request may ask for, in bits a second.
  var trafficLimits: ClosedRange<Int64> { get }

  /// How many entries a list has if the request does not say.
  var defaultPageSize: Int { get }

  /// How many entries of a list a request may ask for.
  var pageSizes: ClosedRange<Int> { get }

  /// The names of what pages the list of buckets.
  var bucketPaging: BucketPaging { get }

  /// The code for making a bucket that the caller has already; `nil` if that is no error.
  func ownBucketCode(in region: String) -> String?

  /// Refuses to make a bucket somewhere else.
  func checkLocation(_ location: String?, in region: String) throws(RefusalAnswer)

  /// An entity tag as the service writes it, with quotes.
  func entityTag(_ tag: String) -> String

  /// The bytes of a part's entity tag that the tag of the whole object is computed from.
  func bytes(ofPartTag tag: String) -> [UInt8]

  // MARK: Signatures and policies

  /// The signature that a verified request carries.
  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind

  /// The signature that a verified form carries.
  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind

  /// The name, in lower case, of the field of a form that says who may read the object.
  var formAccessField: String { get }

  /// The language of the policies of its temporary keys.
  var policyLanguage: PolicyLanguage { get }

  /// The action that a policy has to allow to upload by a form.
  var postAction: String { get }

  /// The action that a policy has to allow to read the object that is copied.
  var readAction: String { get }

  /// What a policy has to allow; `nil` if the service has no such operation, so that no policy allows it.
  func need(for operation: Operation) -> Operation.Need?

  /// The parts of the name of a resource.
  ///
  /// - Parameters:
  ///   - name: The bucket, with a slash and the key of an object; empty for the service.
  ///   - region: The region of the service.
  func resource(_ name: String, in region: String) -> [String]

  /// A bucket as ``resource(_:in:)`` takes it.
  func resourceName(ofBucket bucket: String) -> String

  /// What is known about every request to the cloud.
  func facts(at date: Timestamp) -> [String: String]

  /// What else conditions can be about, of a request.
  func facts(of head: HTTPRequest, for operation: Operation, _ target: RequestTarget) -> [String: String]

  /// What else conditions can be about, of a form.
  ///
  /// How long the file is is not known yet: it counts as long as the form lets it be.
  func facts(of form: VerifiedForm) -> [String: String]

  // MARK: Temporary keys

  /// Makes a temporary key in the form of the cloud.
  ///
  /// The tokens hold every character of Base64, so that a client that forgets to encode one is found out.
  func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey

  /// Reads the name of a role of the cloud; the parts of the name as a resource, `nil` if it is none.
  func roleResource(_ arn: String) -> [String]?

  // MARK: Answers

  /// The value of the Server header.
  var serverName: String { get }

  /// The service's own headers that a page of another origin may read.
  var exposedHeaders: [String] { get }

  /// Returns the id of a new request, in the form of the service.
  func makeRequestID(at date: Timestamp) -> String

  /// Writes the id of a request into the answer to it.
  func identify(_ answer: inout Answer, as requestID: String)

  /// The checksums of an object or a part that answers tell.
  func checksums(of content: Content) -> HTTPFields

  /// The checksums of an object that the answer to a read tells.
  func readChecksums(of content: Content, for headers: HTTPFields, _ target: RequestTarget) -> HTTPFields

  /// The headers that an answer with a part of an object, or without it, does not have.
  var headersOfWholeObjects: [HTTPField.Name] { get }

  /// What answers tell about an object besides.
  func headers(of object: StoredObject) -> HTTPFields

  /// What the answer to the start of an upload tells besides.
  func headers(of upload: PendingUpload) -> HTTPFields

  /// What lists tell about an upload besides.
  func elements(of upload: PendingUpload) -> [XMLNode]

  /// What the answer to a copy or the end of an upload tells about its content besides.
  func elements(of content: Content) -> [XMLNode]

  /// The namespace of documents.
  var namespace: String? { get }

  /// A name in a document with `encoding-type=url`.
  func encodedName(_ name: String) -> String

  /// Whether lists leave out what the request did not say.
  var omitsEmptyElements: Bool { get }

  /// What a list of objects tells about one of them besides.
  func elements(of object: StoredObject) -> [XMLNode]

  /// What a list of parts tells about one of them besides.
  func elements(of part: UploadedPart) -> [XMLNode]

  /// The answer that says who may read a bucket or an object; no access means the bucket's, for an object.
  func accessAnswer(_ access: AccessControl?) -> Answer

  /// A bucket in the list of buckets.
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode

  /// The name of a region in a document about a bucket.
  func location(of region: String) -> String

  // MARK: Refusals

  /// The refusal of a request that arrived under the name of another region than the one that its bucket is in.
  func redirection(of host: String, for bucket: String) -> RefusalAnswer?

  /// The refusal of a request whose signature was not accepted.
  func refusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer

  /// The refusal of a form that was not accepted, where it is not worded like that of a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> RefusalAnswer?

  /// The refusal of a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> RefusalAnswer

  /// The refusal of a request that the policy of its key does not allow.
  func policyRefusal(at date: Timestamp) -> RefusalAnswer

  /// The refusal of a body that is not the one that its Content-MD5 names.
  var wrongDigest: RefusalAnswer { get }

  /// The refusal of a copy whose source is what the conditions leave out.
  var unchangedCopySource: RefusalAnswer { get }

  /// The refusal of a copy of an object onto itself that changes nothing; `nil` if that is no error.
  var unchangingCopy: RefusalAnswer? { get }

  /// The answer for an error.
  func answer(for error: RefusalAnswer, to call: CallIdentity) -> Answer
}

/// What identifies a request in the answer to it.
struct CallIdentity: Sendable {
  let requestID: String
  let method: HTTPRequest.Method
  let host: String
  /// The path without its query, as it arrived.
  let path: String
  let date: Timestamp
}

/// A storage class.
struct StorageClass: Sendable {
  let name: String

  /// Whether an object of the class has to be restored before it is read.
  var isArchive = false
}

/// The names of what pages the list of buckets.
struct BucketPaging: Sendable {
  var marker: WireText = "marker"
  var limit: WireText = "max-keys"
  var next = "NextMarker"
  var most = 1000
}

extension Dialect {
  /// The number of the account that everything belongs to.
  static var account: String { "1250000000" }

  /// The class of an object that names none.
  var standardClass: String { storageClasses[0].name }

  /// A header of the service by the rest of its name.
  func header(_ rest: String) -> String { headerPrefix + rest }

  /// What the names of user metadata start with.
  var metadataPrefix: String { header("meta-") }

  /// The owner of everything.
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
    RefusalAnswer(.badRequest, "InvalidObjectName", "The key has more than 1,023 bytes in UTF-8, or a NUL in it.")
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
