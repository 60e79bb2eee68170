public import HTTPTypes
public import StorageAuth

/// What makes a service out of a client: the address, the signer, the dialect.
///
/// A provider is named where a client is made, by a static member; nothing else in the caller's code depends on it:
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"))
/// ```
public protocol StorageProvider<Proof>: Sendable {
  /// What requests are signed with.
  associatedtype Proof: Credential

  /// What signs them.
  associatedtype RequestSigner: Signer where RequestSigner.Request == HTTPRequest, RequestSigner.Proof == Proof

  /// Where credentials come from unless a client is told otherwise.
  associatedtype DefaultCredentials: CredentialProvider where DefaultCredentials.Value == Proof

  /// The short name of the service, such as `oss`; it is the scheme of its URLs on the command line.
  var name: String { get }

  /// The bucket.
  var bucket: String { get }

  /// The region.
  var region: String { get }

  /// The address of the service.
  ///
  /// - Throws: A `SigningError` if it was named in a way that cannot be used; the first operation reports it.
  var endpoint: ServiceEndpoint { get throws(SigningError) }

  /// What signs requests.
  var signer: RequestSigner { get }

  /// The names and spellings of the service.
  var dialect: ServiceDialect { get }

  /// Where credentials come from unless a client is told otherwise.
  var defaultCredentials: DefaultCredentials { get }

  /// Whether a credential carries a token that whoever sees it can use.
  func carriesToken(_ proof: Proof) -> Bool

  /// How the service wants the source of a copy to be named.
  func copySource(_ source: CopySource) -> String
}

extension StorageProvider where Proof == AccessKey {
  /// Whether the key is a temporary one.
  public func carriesToken(_ proof: AccessKey) -> Bool { proof.sessionToken != nil }
}

/// A provider whose URLs can carry their own authorization.
public protocol PresigningProvider<Proof>: StorageProvider {
  /// What signs URLs.
  associatedtype URLSigner: Presigner where URLSigner.Proof == Proof

  /// What signs URLs.
  var presigner: URLSigner { get }
}
