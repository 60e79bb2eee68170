internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageAuthServer
internal import StorageClient
internal import StorageDiagnosis

/// A cloud with buckets: everything that commands need to know of one.
protocol Cloud: Sendable {
  /// The name on the command line, which is the scheme of its locations.
  var name: String { get }

  /// Returns whether a host is one of the cloud's public ones.
  func owns(host: String) -> Bool

  /// Returns the region in a public host of the cloud, or `nil` if it has none.
  func region(ofHost host: String) -> String?

  /// Returns whether the value of an `Authorization` is a signature of the cloud.
  func signs(_ authorization: String) -> Bool

  // MARK: Credentials

  /// The names of the default sources, in the order in which they are asked.
  var sources: [SourceName] { get }

  /// Returns the default sources.
  ///
  /// - Parameters:
  ///   - machine: What may be touched.
  ///   - includes: Which of them are asked.
  func chain(on machine: ProviderContext, where includes: (SourceName) -> Bool) -> CredentialChain<AccessKey>

  // MARK: Requests

  /// Returns a client of a bucket.
  ///
  /// - Throws: A `ValidationError` if the region is missing.
  func store(
    _ bucket: String, _ options: BucketOptions, _ configuration: StorageClientConfiguration
  ) throws -> any BucketStore

  /// Returns a signer of requests to a host.
  func signer(for host: String, _ options: SigningOptions) -> any SplitSigner<AccessKey> & Presigner<AccessKey>

  /// Returns a verifier of a request.
  func verifier(of request: HTTPRequest, _ options: RequestOptions, isStrict: Bool) -> any SignatureVerifier

  /// Returns how the signature of a request is read.
  func service(of request: HTTPRequest, _ options: RequestOptions) -> SignedService

  /// Whether texts that are signed end with a line feed, so that one at the end of a file belongs to the text.
  var signedTextsEndWithLineFeed: Bool { get }

  // MARK: Token server

  /// The path of the route that hands out keys.
  var tokenPath: String { get }

  /// The form of the answers of that route.
  var tokenShape: TokenShape { get }

  /// Checks the name of a role.
  ///
  /// - Throws: A `ValidationError` with the form that it has to have.
  func check(role: String?) throws

  /// Returns the lives, in seconds, that the token service gives keys.
  func lifetimes(role: String?) -> ClosedRange<Int>

  /// Whether the region of the bucket has to be known to write a policy.
  var policiesNeedRegion: Bool { get }

  /// Returns a policy as the cloud writes it.
  ///
  /// - Throws: An error if the cloud cannot say that.
  func document(_ policy: AccessPolicy, region: String) throws -> String

  /// Returns the source of keys for callers.
  func source(_ order: KeyOrder, keys: CredentialCache<AccessKey>) -> any CredentialProvider<AccessKey>

  /// Returns what signs for callers.
  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount
}

extension Cloud {
  /// Returns a client of a bucket that works as clients do unless they are told otherwise.
  ///
  /// - Throws: A `ValidationError` if the region is missing.
  func store(_ bucket: String, _ options: BucketOptions) throws -> any BucketStore {
    try store(bucket, options, StorageClientConfiguration())
  }
}

/// A key that a token server asks a token service for.
struct KeyOrder {
  let role: String?
  let sessionName: String
  let policy: String
  let lifetime: Duration
  let region: String?
  /// The address of the token service, or `nil` for the public one.
  let tokenService: String?
}

extension HTTPRequest {
  /// The host without its port.
  var hostName: String { String((authority ?? "").bytes(before: ":")) }
}
