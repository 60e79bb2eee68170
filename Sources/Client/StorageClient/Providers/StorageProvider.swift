// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A storage service that a client can use, with its address, signer, errors and operations.
///
/// The caller selects a provider when creating a client. The rest of the caller's code does not depend on it:
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"))
/// ```
///
/// A custom provider declares its ``Store``, whose operations send their requests with a ``RequestSender``. The sender
/// handles credentials, retries, clock skew and events:
///
/// ```swift
/// struct Shelf: StorageProvider {
///   let name = "shelf"
///   let containerName = "books"
///   func store(using sender: RequestSender<Shelf>) -> ShelfStore { ShelfStore(sender: sender) }
///   // endpoint, signer, defaultCredentials, carriesToken(_:), identity(of:), error(in:body:subject:)
/// }
/// ```
public protocol StorageProvider<SigningCredential>: Sendable {
  /// The type of the credentials that sign requests to the service.
  associatedtype SigningCredential: Credential

  /// The type of the signer that signs requests to the service.
  associatedtype RequestSigner: Signer
  where RequestSigner.Request == HTTPRequest, RequestSigner.SigningCredential == SigningCredential

  /// The type of the default credential provider.
  associatedtype DefaultCredentials: CredentialProvider where DefaultCredentials.Value == SigningCredential

  /// The type of the object store that performs the operations.
  associatedtype Store: ObjectStore

  /// The short name of the service, such as `oss`, which is the URL scheme of its objects on the command line.
  var name: String { get }
  /// The name of the container that errors and events show: the bucket name, or the host of an Aspera node.
  var containerName: String { get }

  /// The endpoint of the service.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid address. Initializers of providers do not
  ///   throw, so a client reports this error when it performs its first operation.
  var endpoint: ServiceEndpoint { get throws(SigningError) }

  /// The signer that signs requests to the service.
  var signer: RequestSigner { get }
  /// The signer for remote signing: ``signer``, unless remote signing must include more headers in the signature.
  var remoteSigner: RequestSigner { get }
  /// The credential provider for clients that are created without credentials.
  var defaultCredentials: DefaultCredentials { get }

  /// Returns whether requests with the credential contain a value that an eavesdropper can reuse, such as a token.
  func carriesToken(_ credential: SigningCredential) -> Bool

  /// Returns the public name of a credential for events, such as an access key ID, or `nil` for an anonymous one.
  func identity(of credential: SigningCredential) -> String?

  /// Creates a service error from a response that does not report success.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning. Empty if the connection was lost.
  ///   - subject: The action and the location of the request, for the error message.
  func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError

  /// Returns the provider for the endpoint or region to which an error response redirects the client.
  ///
  /// The client sends the request to the new location once, and all later requests as well. The implementation must not
  /// use a string from the response as a host without checking it, because an attacker could have sent the response.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning.
  /// - Returns: The provider with the other endpoint or region, or `nil` if the response specifies no other location.
  func relocated(by response: HTTPResponse, body: [UInt8]) -> Self?

  /// Returns a diagnosis of why the service rejected a signature.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning.
  ///   - request: The request that was sent.
  /// - Returns: The diagnosis, or `nil` if the request was rejected for another reason or the cause is unknown.
  func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis?

  /// Returns the object store that performs a client's operations, and sends its requests with the sender.
  ///
  /// Each operation creates a store, so a store should hold only the sender.
  func store(using sender: RequestSender<Self>) -> Store
}

extension StorageProvider {
  /// The signer for requests without remote signing, which by default also prepares requests for remote signing.
  public var remoteSigner: RequestSigner { signer }

  /// Returns `nil`, because by default the service does not redirect clients.
  public func relocated(by response: HTTPResponse, body: [UInt8]) -> Self? { nil }

  /// Returns `nil`, because by default the provider cannot determine why a signature was rejected.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    nil
  }
}

extension StorageProvider where SigningCredential == AccessKey {
  /// Returns whether the key is temporary, so that its requests contain a session token.
  public func carriesToken(_ credential: AccessKey) -> Bool { credential.sessionToken != nil }

  /// Returns the access key ID, or `nil` for the anonymous key.
  public func identity(of credential: AccessKey) -> String? { credential.isAnonymous ? nil : credential.id.string }
}

/// A storage provider for a bucket of a service with the protocol that most object storage services share.
///
/// The documents of the protocol are XML, unless ``HeaderConventions/documents`` is another format.
public protocol BucketProvider<SigningCredential>: StorageProvider {
  /// The bucket name.
  var bucket: String { get }
  /// The region of the bucket, such as `eu-central-1`.
  var region: String { get }
  /// The service-specific header names and formats.
  var conventions: HeaderConventions { get }

  /// Returns the value of the header that specifies the source of a copy, in the service's format.
  func copySource(_ source: CopySource) -> String

  /// The digests of a request body that ``headers(of:body:alongside:)`` needs.
  ///
  /// The set is empty by default. To compute digests, the client reads a body once more before it sends it.
  var digests: DigestSet { get }

  /// Returns the headers that the service requires in addition to the headers of the operation, none by default.
  ///
  /// - Parameters:
  ///   - request: The kind of request. Empty if the request does not concern a single object.
  ///   - body: The digests of the request body. For the completion of a multipart upload, the checksum is the object's.
  ///   - fields: The headers of the operation, including the caller's headers.
  func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields

  /// The body of the request that creates the bucket, empty by default.
  var bucketConfiguration: [UInt8] { get }
}

extension BucketProvider {
  /// The bucket name, which errors and events show as the container of the objects.
  public var containerName: String { bucket }

  /// Creates a service error from the document in a response body, or in the header that replaces the body.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning. Empty if the connection was lost.
  ///   - subject: The action and the location of the request, for the error message.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(response, body: body, subject: subject, conventions: conventions)
  }

  /// An empty set, because by default the service requires no digests.
  public var digests: DigestSet { [] }

  /// Returns no headers, because by default the service requires no additional headers.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields { [:] }

  /// An empty body, which creates a bucket with the service's default configuration.
  public var bucketConfiguration: [UInt8] { [] }

  /// Returns the bucket store that performs a client's operations, and sends its requests with the sender.
  public func store(using sender: RequestSender<Self>) -> some BucketStore { BucketClient(sender: sender) }
}

/// A storage provider for a service that accepts presigned URLs.
public protocol PresigningProvider<SigningCredential>: BucketProvider {
  /// The type of the signer that creates presigned URLs.
  associatedtype URLSigner: Presigner where URLSigner.SigningCredential == SigningCredential

  /// The signer that creates presigned URLs.
  var presigner: URLSigner { get }
}
