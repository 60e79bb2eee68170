// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
public import StorageDiagnosis

/// A storage service that a client can use: its address, its signer, its errors and its operations.
///
/// A provider is named where a client is created, through a static member; the rest of the caller's code is independent
/// of it:
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"))
/// ```
///
/// A custom provider declares its ``Store``, whose operations send their requests with
/// ``StorageClient/send(_:body:action:key:isRepeatable:)``. That method handles credentials, retries, clock skew and
/// events:
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
  /// The type of the credential that signs requests.
  associatedtype SigningCredential: Credential

  /// The type of the signer of requests.
  associatedtype RequestSigner: Signer
  where RequestSigner.Request == HTTPRequest, RequestSigner.SigningCredential == SigningCredential

  /// The type of the default provider of credentials.
  associatedtype DefaultCredentials: CredentialProvider where DefaultCredentials.Value == SigningCredential

  /// The type of the store that carries out operations.
  associatedtype Store: ObjectStore

  /// The short name of the service, such as `oss`; on the command line, it is the scheme of its URLs.
  var name: String { get }

  /// The container of the objects, for errors and events: the bucket, or the host of a node.
  var containerName: String { get }

  /// The address of the service.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid address; the first operation reports it.
  var endpoint: ServiceEndpoint { get throws(SigningError) }

  /// The signer of requests.
  var signer: RequestSigner { get }

  /// The signer that prepares requests and URLs for remote signing; ``signer``, unless remote signing must cover more.
  var remoteSigner: RequestSigner { get }

  /// The provider of credentials for clients that are created without one.
  var defaultCredentials: DefaultCredentials { get }

  /// Returns whether requests carry a value that an eavesdropper can reuse, such as a token or a password.
  ///
  /// - Parameter credential: The credential of the requests.
  func carriesToken(_ credential: SigningCredential) -> Bool

  /// Returns the public name of a credential, such as an access key id, for events; `nil` for an anonymous credential.
  ///
  /// - Parameter credential: The credential.
  func identity(of credential: SigningCredential) -> String?

  /// Creates the error for a response that does not report success.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning; empty if the connection was lost.
  ///   - subject: The action and the location of the request.
  /// - Returns: The error.
  func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError

  /// Returns the provider at the location that a refusal names.
  ///
  /// The client sends the request there, once, and all later requests as well. A string of the response must not become
  /// a host without a check, because an attacker could have sent it.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  /// - Returns: The provider with the other endpoint or region, or `nil` if the response names none.
  func relocated(by response: HTTPResponse, body: [UInt8]) -> Self?

  /// Returns the reason why a signature was rejected.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  ///   - request: The request as it was sent.
  /// - Returns: The diagnosis, or `nil` if the request was refused for another reason or the cause is unknown.
  func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis?

  /// Returns the store that carries out operations; each operation creates one, so a store should hold only the client.
  ///
  /// - Parameter client: The client that sends the store's requests.
  func store(of client: StorageClient<Self>) -> Store
}

extension StorageProvider {
  /// The same signer as without remote signing.
  public var remoteSigner: RequestSigner { signer }

  /// Returns `nil`: the service does not redirect clients.
  public func relocated(by response: HTTPResponse, body: [UInt8]) -> Self? { nil }

  /// Returns `nil`: the provider has no diagnosis.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    nil
  }
}

extension StorageProvider where SigningCredential == AccessKey {
  /// Returns whether the key is temporary, so that its requests carry a session token.
  public func carriesToken(_ credential: AccessKey) -> Bool { credential.sessionToken != nil }

  /// Returns the access key id, or `nil` for the anonymous key.
  public func identity(of credential: AccessKey) -> String? { credential.isAnonymous ? nil : credential.id.string }
}
