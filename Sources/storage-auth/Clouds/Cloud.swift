// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageAuthServer
internal import StorageClient
internal import StorageDiagnosis

/// A cloud with buckets: everything that the commands need to know about it.
protocol Cloud: Sendable {
  /// The name on the command line, which is also the scheme of the cloud's locations.
  var name: String { get }

  /// Returns whether a host is one of the cloud's public hosts.
  func owns(host: String) -> Bool

  /// Returns the region in a public host of the cloud, or `nil` if the host contains none.
  func region(ofHost host: String) -> String?

  /// Returns whether the value of an `Authorization` header has the form of the cloud's signatures.
  func signs(_ authorization: String) -> Bool

  // MARK: Credentials

  /// The names of the default sources, in the order in which they are tried.
  var sources: [SourceName] { get }

  /// Returns the chain of default sources.
  ///
  /// - Parameters:
  ///   - machine: The environment, files and network that the sources may use.
  ///   - includes: A function that returns whether a source is part of the chain.
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

  /// Returns the service whose rules the signature of a request follows.
  func service(of request: HTTPRequest, _ options: RequestOptions) -> SignedService

  /// Whether signed texts end with a line feed, so that a line feed at the end of a file belongs to the text.
  var signedTextsEndWithLineFeed: Bool { get }

  // MARK: Token server

  /// The path of the route that issues keys.
  var tokenPath: String { get }

  /// The form of that route's responses.
  var tokenShape: TokenShape { get }

  /// Checks the name of a role.
  ///
  /// - Throws: A `ValidationError` that states the required form.
  func check(role: String?) throws

  /// Returns the lifetimes, in seconds, that the token service allows for keys.
  func lifetimes(role: String?) -> ClosedRange<Int>

  /// Whether a policy contains the region of the bucket.
  var policiesNeedRegion: Bool { get }

  /// Returns a policy as a document of the cloud's policy language.
  ///
  /// - Throws: An error if the cloud's policies cannot express it.
  func document(_ policy: AccessPolicy, region: String) throws -> String

  /// Returns the source of the keys that callers receive.
  func source(_ order: KeyOrder, keys: CredentialCache<AccessKey>) -> any CredentialProvider<AccessKey>

  /// Returns the account that signs for callers.
  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount
}

extension Cloud {
  /// Returns a client of a bucket with the default configuration.
  ///
  /// - Throws: A `ValidationError` if the region is missing.
  func store(_ bucket: String, _ options: BucketOptions) throws -> any BucketStore {
    try store(bucket, options, StorageClientConfiguration())
  }
}

/// The parameters of a temporary key that a token server requests from a token service.
struct KeyOrder {
  let role: String?
  let sessionName: String
  let policy: String
  let lifetime: Duration
  let region: String?
  /// The URL of the token service, or `nil` for the public one.
  let tokenService: String?
}

extension HTTPRequest {
  /// The host without the port.
  var hostName: String { String((authority ?? "").bytes(before: ":")) }
}
