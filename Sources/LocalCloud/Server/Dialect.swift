internal import HTTPTypes
internal import StorageAuth
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
  func copySource(_ header: String) throws(ServiceError) -> CopySource

  /// Whether a range is read over, and the whole object is answered.
  ///
  /// - Parameter isStandard: Whether the request asks for the behaviour of the HTTP standard.
  func ignores(_ range: ByteRange, of byteCount: Int64, isStandard: Bool) -> Bool

  // MARK: Objects

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

  /// The code for making a bucket that the caller has already; `nil` if that is no error.
  var ownBucketCode: String? { get }

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

  /// What answers tell about an object besides.
  func headers(of object: StoredObject) -> HTTPFields

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

  /// The refusal of a request whose signature was not accepted.
  func refusal(_ error: VerificationError, at date: Timestamp) -> ServiceError

  /// The refusal of a form that was not accepted, where it is not worded like that of a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ServiceError?

  /// The refusal of a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> ServiceError

  /// The refusal of a request that the policy of its key does not allow.
  func policyRefusal(at date: Timestamp) -> ServiceError

  /// The refusal of a body that is not the one that its Content-MD5 names.
  var wrongDigest: ServiceError { get }

  /// The refusal of a copy whose source is what the conditions leave out.
  var unchangedCopySource: ServiceError { get }

  /// The answer for an error.
  func answer(for error: ServiceError, to call: CallIdentity) -> Answer
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

  func ignores(_ range: ByteRange, of byteCount: Int64, isStandard: Bool) -> Bool { false }

  func resourceName(ofBucket bucket: String) -> String { bucket }

  func elements(of object: StoredObject) -> [XMLNode] { [] }

  func elements(of part: UploadedPart) -> [XMLNode] { [] }

  func location(of region: String) -> String { region }
}
