public import HTTPTypes
public import StorageAuth
public import StorageDiagnosis

/// What makes a service out of a client: the address, the signer, what refusals look like, and what carries operations
/// out.
///
/// A provider is named where a client is made, by a static member; nothing else in the caller's code depends on it:
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"))
/// ```
///
/// A provider of one's own names its ``Store``, whose operations send their requests with
/// ``StorageClient/send(_:body:action:key:isRepeatable:)``. Credentials, retries, clocks and events come with that:
///
/// ```swift
/// struct Shelf: StorageProvider {
///   let name = "shelf"
///   let containerName = "books"
///   func store(of client: StorageClient<Shelf>) -> ShelfStore { ShelfStore(client: client) }
///   // endpoint, signer, defaultCredentials, carriesToken(_:), identity(of:), error(in:body:subject:)
/// }
/// ```
public protocol StorageProvider<SigningCredential>: Sendable {
  /// What requests are signed with.
  associatedtype SigningCredential: Credential

  /// What signs them.
  associatedtype RequestSigner: Signer
  where RequestSigner.Request == HTTPRequest, RequestSigner.SigningCredential == SigningCredential

  /// Where credentials come from unless a client is told otherwise.
  associatedtype DefaultCredentials: CredentialProvider where DefaultCredentials.Value == SigningCredential

  /// What carries operations out.
  associatedtype Store: ObjectStore

  /// The short name of the service, such as `oss`; it is the scheme of its URLs on the command line.
  var name: String { get }

  /// Where in the service the objects are, for errors and events: the bucket, or the host of a node.
  var containerName: String { get }

  /// The address of the service.
  ///
  /// - Throws: A `SigningError` if it was named in a way that cannot be used; the first operation reports it.
  var endpoint: ServiceEndpoint { get throws(SigningError) }

  /// What signs requests.
  var signer: RequestSigner { get }

  /// What prepares requests and URLs for a signer that is elsewhere; ``signer`` unless more has to be signed for it.
  var remoteSigner: RequestSigner { get }

  /// Where credentials come from unless a client is told otherwise.
  var defaultCredentials: DefaultCredentials { get }

  /// Whether what a request carries is worth something to whoever sees it, such as a token or a password.
  func carriesToken(_ credential: SigningCredential) -> Bool

  /// The public name of a credential, such as an access key id, for events; nothing for an anonymous one.
  func identity(of credential: SigningCredential) -> String?

  /// Reads an answer that is no success.
  ///
  /// - Parameters:
  ///   - response: The head of the answer.
  ///   - body: The body, or its beginning; empty if it broke off.
  ///   - subject: What the request was about.
  func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError

  /// Reads from a refusal where the service wants to be asked instead.
  ///
  /// The client sends the request there, once, and every later one. A text of the answer must not become a host without
  /// being checked: this is what an attacker would send.
  ///
  /// - Parameters:
  ///   - response: The head of the answer.
  ///   - body: The body, or its beginning.
  /// - Returns: The provider with the other endpoint or region, or `nil` if the answer names none.
  func relocated(by response: HTTPResponse, body: [UInt8]) -> Self?

  /// Finds out why a request was refused for its signature.
  ///
  /// - Parameters:
  ///   - response: The head of the answer.
  ///   - body: The body, or its beginning.
  ///   - request: The request as it was sent.
  /// - Returns: Nothing if it was refused for something else, or if nothing is known about it.
  func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis?

  /// What carries operations out; made anew for each, so that it holds nothing but the client.
  func store(of client: StorageClient<Self>) -> Store
}

extension StorageProvider {
  /// The same as signs requests here.
  public var remoteSigner: RequestSigner { signer }

  /// Goes nowhere else.
  public func relocated(by response: HTTPResponse, body: [UInt8]) -> Self? { nil }

  /// Knows nothing.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    nil
  }
}

extension StorageProvider where SigningCredential == AccessKey {
  /// Whether the key is a temporary one.
  public func carriesToken(_ credential: AccessKey) -> Bool { credential.sessionToken != nil }

  /// The access key id.
  public func identity(of credential: AccessKey) -> String? { credential.isAnonymous ? nil : credential.id.string }
}
