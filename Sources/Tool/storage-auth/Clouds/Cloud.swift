// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuthServer
internal import StorageClient

typealias CloudSigner = any TwoStepSigner<AccessKey> & Presigner<AccessKey>
typealias KeyIssuer = any CredentialProvider<AccessKey>

/// A cloud on the command line, with what differs between clouds: names, credential sources, signers and token services.
protocol Cloud: Sendable {
  var storageService: ServiceDescription { get }

  /// Returns the region in one of the cloud's public hosts, or `nil` if the host contains no region.
  func region(ofHost host: String) -> String?
  /// Returns whether one of the cloud's public hosts has the bucket in the path of its URLs.
  func hasBucketInPath(host: String) -> Bool

  // MARK: Credentials

  /// The environment variables in which all programs of the vendor look for a key.
  var keyVariables: (id: String, secret: String) { get }
  var sources: NamedSources { get }

  // MARK: Requests

  /// Returns the provider of a bucket, or throws an error if the service has no bucket of this name.
  func provider(
    of bucket: String, at location: ServiceLocation, style: AddressingStyle?, _ signature: SignatureVersionArgument
  ) throws -> any PresigningProvider<AccessKey>

  /// Returns the service that the options name, or that the environment does for an option that is not given.
  func location(region: String?, endpoint: String?) throws -> ServiceLocation

  /// Returns the signer of `sign` and `presign`, or throws an error if it requires a region and there is none.
  func signer(region: String?, _ address: BucketAddress, _ options: SigningOptions) throws -> CloudSigner

  func verifier(region: String?, _ address: BucketAddress, isStrict: Bool) -> any SignatureVerifier

  func signedService(region: String?, _ address: BucketAddress) -> SignedService

  /// Whether strings to sign and canonical requests end with a line feed, which then belongs to them in a file, too.
  var signedTextsEndWithLineFeed: Bool { get }

  // MARK: Token server

  var tokenPath: String { get }
  var tokenFormat: TokenFormat { get }
  /// Throws an error for a role that the token server cannot assume.
  func validate(role: String?) throws
  /// Returns the range of key lifetimes, in seconds, that the cloud's token service allows.
  func lifetimes(role: String?) -> ClosedRange<Int>
  var policiesNeedRegion: Bool { get }
  /// Returns whether a name is that of a bucket in the rules of the token server.
  func isBucket(_ name: String) -> Bool
  func policyDocument(_ policy: AccessPolicy, role: String?, region: String) throws -> String
  /// Returns the issuer of the keys that the token server passes on; `keys` are the server's own.
  func keyIssuer(for parameters: KeyParameters, keys: CredentialCache<AccessKey>) -> KeyIssuer

  func signingAccount(region: String, endpoint: String?, keys: CredentialCache<AccessKey>) throws -> SigningAccount
}

extension Cloud {
  /// The cloud's name on the command line, which is also the scheme of its locations, such as `oss://`.
  var name: String { storageService.name }
  func hasBucketInPath(host: String) -> Bool { false }
  var signedTextsEndWithLineFeed: Bool { false }
  var policiesNeedRegion: Bool { false }
  func lifetimes(role: String?) -> ClosedRange<Int> { 900...43_200 }
  func isBucket(_ name: String) -> Bool { isBucketName(name) }

  func store(
    _ bucket: String, _ options: BucketOptions,
    configuration: StorageClientConfiguration = Settings.client.configuration
  ) throws -> any BucketStore {
    func store(with provider: some BucketProvider<AccessKey>) throws -> any BucketStore {
      try client(for: provider, options.credentials, configuration)
    }
    return try store(with: usableProvider(of: bucket, options))
  }

  func buckets(_ options: BucketOptions) async throws -> [ListedBucket] {
    func buckets(with provider: some BucketProvider<AccessKey>) async throws -> [ListedBucket] {
      try await client(for: provider, options.credentials, Settings.client.configuration).buckets()
    }
    return try await buckets(with: usableProvider(of: "", options))
  }

  /// Returns the provider of a bucket, or throws an error about the options if they describe no service.
  private func usableProvider(of bucket: String, _ options: BucketOptions) throws -> any BucketProvider<AccessKey> {
    let location = try location(region: options.region, endpoint: options.endpoint)
    let provider = try provider(of: bucket, at: location, style: nil, options.signature)
    do throws(SigningError) {
      _ = try provider.endpoint.request(.get, bucket: bucket.isEmpty ? nil : bucket)
    } catch {
      throw ValidationError("\(error.message) \(error.remedy)")
    }
    return provider
  }

  private func client<Provider: BucketProvider<AccessKey>>(
    for provider: Provider, _ credentials: CredentialOptions, _ configuration: StorageClientConfiguration
  ) throws -> StorageClient<Provider> {
    StorageClient(
      provider, credentials: try credentials.cache(for: self), configuration: configuration,
      transport: try credentials.network.transport)
  }
}

/// The default credential sources of a cloud in the order in which they are asked.
struct NamedSources: CustomStringConvertible {
  let names: [String]
  /// Returns the chain of the sources whose names satisfy a condition.
  let chain: (_ includes: (String) -> Bool) -> CredentialChain<AccessKey>

  init<Sources>(
    _ sources: Sources, chain: KeyPath<Sources, CredentialChain<AccessKey>>,
    _ properties: KeyValuePairs<String, WritableKeyPath<Sources, (any CredentialProvider<AccessKey>)?>>
  ) {
    names = properties.map(\.key)
    self.chain = { includes in
      var included = sources
      for (name, property) in properties where !includes(name) { included[keyPath: property] = nil }
      return included[keyPath: chain]
    }
  }

  var description: String { names.joined(separator: ", ") }
}

/// The properties of the keys that a token service is asked for.
struct KeyParameters {
  let role: String?
  let sessionName: String
  let policy: String
  let lifetime: Duration
  let region: String?
  let tokenService: String?
}

extension HTTPRequest {
  var hostName: String { String((authority ?? "").bytes(before: ":")) }
}

/// The region of a service, and its URL if that is not the public one.
struct ServiceLocation {
  let region: String
  /// The URL of the service, or `nil` for the public endpoint of the region.
  let endpoint: String?

  /// Chooses the region: that of the option, of a variable, of a configuration file, or of a service on this machine.
  init(region: String?, endpoint: String?, variables: [String], fileRegion: String? = nil, localRegion: String) throws {
    if let endpoint, endpoint.firstRange(of: "://") == nil, AddressingStyle(authority: endpoint) == .path {
      throw ValidationError(
        "The endpoint \(endpoint.onOneLine) has no scheme; for plain HTTP write http://\(endpoint.onOneLine).")
    }
    self.endpoint = endpoint
    let environment = ProcessInfo.processInfo.environment
    let environmentRegion = variables.compactMap { environment[$0] }.first { !$0.isEmpty }
    if let region = region ?? environmentRegion ?? fileRegion {
      self.region = region
    } else if let endpoint, try ServiceEndpoint(endpoint).isLoopback {
      self.region = localRegion
    } else {
      throw ValidationError("Name the region with --region or \(variables.first ?? "").")
    }
  }
}
