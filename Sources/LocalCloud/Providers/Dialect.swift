internal import HTTPTypes
internal import StorageAuth
internal import StorageXML

/// What differs between the services: names, texts and forms; what they do is the same.
protocol Dialect: Sendable {
  /// The service.
  var provider: LocalCloud.Provider { get }

  /// What the service's own headers start with: `x-oss-`.
  var headerPrefix: String { get }

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

  /// The headers of the service that have an effect.
  var headerRules: HeaderRules { get }

  /// How many entries a list has if nobody says.
  var defaultPageSize: Int { get }

  /// The value of the Server header.
  var serverName: String { get }

  /// The code for making a bucket that the caller has already; nothing if that is no error.
  var ownBucketCode: String? { get }

  /// An entity tag as the service writes it, with quotes.
  func entityTag(_ tag: String) -> String

  /// The signature that a verified request carries.
  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind

  /// The refusal of a request whose signature was not accepted.
  func refusal(_ error: VerificationError, at date: Timestamp) -> ServiceError

  /// The name, in lower case, of the field of a form that says who may read the object.
  var formAccessField: String { get }

  /// The signature that a verified form carries.
  func signatureKind(of form: SubmittedForm) -> LocalCloud.SignatureKind

  /// The refusal of a form that was not accepted, where it is not worded like that of a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ServiceError?

  /// The refusal of a request without a signature.
  func anonymousRefusal(at date: Timestamp) -> ServiceError

  /// The refusal of a request that the policy of its key does not allow.
  func policyRefusal(at date: Timestamp) -> ServiceError

  /// Returns the id of a new request, in the form of the service.
  func makeRequestID(at date: Timestamp) -> String

  /// The refusal of a body that is not the one that its Content-MD5 names.
  var wrongDigest: ServiceError { get }

  /// The answer for an error.
  func answer(for error: ServiceError, to call: CallIdentity) -> Answer

  /// The answer that says who may read a bucket or an object; no access means the bucket's, for an object.
  func accessAnswer(_ access: AccessControl?) -> Answer

  /// A bucket in the list of buckets.
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode
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
  /// The class of an object that names none.
  var standardClass: String { storageClasses[0].name }

  /// A header of the service by the rest of its name.
  func header(_ rest: String) -> String { headerPrefix + rest }

  /// What the names of user metadata start with.
  var metadataPrefix: String { header("meta-") }

  /// Who owns everything.
  var owner: XMLNode {
    XMLNode("Owner", children: [XMLNode("ID", "1250000000"), XMLNode("DisplayName", "localcloud")])
  }
}
