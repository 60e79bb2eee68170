// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import Synchronization
public import SystemPackage

/// A client of one bucket or node, of any provider.
///
/// A client is a value that is cheap to copy and safe to share. Its copies share one limit on requests in flight, one
/// credential cache and one estimate of the clock skew.
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: AccessKey(id: id, secret: secret))
/// try await client.upload(FilePath("cat.jpg"), to: "2026/11/20/cat.jpg")
/// ```
public struct StorageClient<Provider: StorageProvider>: Sendable {
  private let configuredProvider: Provider

  /// The configuration of requests, parts and retries.
  public let configuration: StorageClientConfiguration

  /// The cache of the credential in use; `replace(with:)` installs a new token.
  public let credentials: CredentialCache<Provider.SigningCredential>

  /// The hub for observing events: signatures, credential refreshes, retries, clock corrections, transfers.
  ///
  /// ```swift
  /// let logging = AuthEventLogger(client.events, to: Logger(label: "storage"))
  /// ```
  public let events: AuthEvents

  /// The clock skew of the service, as far as it is known.
  public let clockSkew: ClockSkew

  /// The remote signer that replaces the provider's own signer, if the key is kept elsewhere.
  let remoteSigner: (any RemoteRequestSigner<Provider.SigningCredential>)?
  let transport: any HTTPTransport
  let time: any SigningClock
  let gate: RequestGate
  let memory = StoreMemory()
  let relocation = Relocation<Provider>()

  /// The service and the bucket, with the endpoint and the region that the service named if it redirected the client.
  public var provider: Provider { relocation.provider ?? configuredProvider }

  /// Creates a client that gets its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The provider of credentials. Unless it is a `CredentialCache`, it is wrapped in a new one.
  ///   - configuration: The configuration of requests, parts and retries.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the events; if `nil`, that of the cache.
  ///   - clockSkew: The clock skews of services; clients that share an instance learn from each other.
  public init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared, events: AuthEvents? = nil,
    clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: credentials, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  /// Creates a client with one credential.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The credential; `client.credentials.replace(with:)` replaces it.
  ///   - configuration: The configuration of requests, parts and retries.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the events.
  ///   - clockSkew: The clock skews of services; clients that share an instance learn from each other.
  public init(
    _ provider: Provider, credentials: Provider.SigningCredential,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared, events: AuthEvents = AuthEvents(),
    clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: credentials, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  /// Creates a client with credentials from the vendor's default sources: environment, files of its tools, roles.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - configuration: The configuration of requests, parts and retries.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the events; if `nil`, a new one.
  ///   - clockSkew: The clock skews of services; clients that share an instance learn from each other.
  public init(
    _ provider: Provider, configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared, events: AuthEvents? = nil,
    clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: provider.defaultCredentials, configuration: configuration, transport: transport,
      events: events, clockSkew: clockSkew)
  }

  package init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: AuthEvents? = nil, clockSkew: ClockSkew = ClockSkew(), time: any SigningClock
  ) {
    let cache =
      credentials as? CredentialCache<Provider.SigningCredential>
      ?? CredentialCache(credentials, events: events ?? AuthEvents(), time: time)
    self.init(
      provider, cache: cache, configuration: configuration, transport: transport, events: events ?? cache.events,
      clockSkew: clockSkew, time: time)
  }

  package init(
    _ provider: Provider, credentials: Provider.SigningCredential,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: AuthEvents = AuthEvents(), clockSkew: ClockSkew = ClockSkew(), time: any SigningClock
  ) {
    self.init(
      provider, cache: CredentialCache(credentials, events: events, time: time), configuration: configuration,
      transport: transport, events: events, clockSkew: clockSkew, time: time)
  }

  init(
    _ provider: Provider, cache: CredentialCache<Provider.SigningCredential>,
    remoteSigner: (any RemoteRequestSigner<Provider.SigningCredential>)? = nil,
    configuration: StorageClientConfiguration,
    transport: any HTTPTransport, events: AuthEvents, clockSkew: ClockSkew, time: any SigningClock
  ) {
    configuredProvider = provider
    self.configuration = configuration
    self.credentials = cache
    self.events = events
    self.clockSkew = clockSkew
    self.remoteSigner = remoteSigner
    self.transport = transport
    self.time = time
    gate = RequestGate(limit: configuration.requestsInFlight)
  }
}

/// The configuration of a client: concurrency limits, part sizes and retries.
public struct StorageClientConfiguration: Sendable, Hashable {
  /// The maximum number of requests in flight, counted until the end of their responses; at least 1.
  public var requestsInFlight: Int {
    didSet { requestsInFlight = max(1, requestsInFlight) }
  }

  /// The maximum number of parts in flight of one upload or download; at least 1.
  public var partsInFlight: Int {
    didSet { partsInFlight = max(1, partsInFlight) }
  }

  /// The object size in bytes from which objects are transferred in parts.
  public var multipartThreshold: Int64

  /// The size of a part in bytes, at least 100 KiB; larger if an object would otherwise have more than 10,000 parts.
  public var partSize: Int64 {
    didSet { partSize = max(Self.smallestPart, partSize) }
  }

  /// The maximum number of entries to request per page of a listing, from 1 to 1,000.
  public var keysPerPage: Int {
    didSet { keysPerPage = min(max(1, keysPerPage), 1000) }
  }

  /// The maximum number of attempts of a request if the service or the network fails; 1 disables retries.
  ///
  /// A request that is signed again is not counted: it happens at most once with a corrected clock, and at most once
  /// between two counted attempts with a refreshed credential.
  public var attempts: Int {
    didSet { attempts = max(1, attempts) }
  }

  /// The delay before the second attempt, doubled before each further one.
  ///
  /// A random part of up to a half is subtracted, so that many clients do not retry at the same time.
  public var retryDelay: Duration

  /// The maximum delay before an attempt; if a service requests a longer one (`Retry-After`), the request fails.
  public var longestRetryDelay: Duration

  /// The smallest part that OSS accepts; COS requires larger ones, except for the last part.
  private static let smallestPart: Int64 = 100 * 1024

  /// Creates a configuration; values out of range are replaced by the nearest valid ones.
  ///
  /// - Parameters:
  ///   - requestsInFlight: The maximum number of requests in flight.
  ///   - partsInFlight: The maximum number of parts in flight of one upload or download.
  ///   - multipartThreshold: The object size in bytes from which objects are transferred in parts.
  ///   - partSize: The size of a part in bytes.
  ///   - keysPerPage: The maximum number of entries to request per page of a listing.
  ///   - attempts: The maximum number of attempts of a request if the service or the network fails.
  ///   - retryDelay: The delay before the second attempt, doubled before each further one.
  ///   - longestRetryDelay: The maximum delay before an attempt.
  public init(
    requestsInFlight: Int = 16, partsInFlight: Int = 4, multipartThreshold: Int64 = 16 << 20, partSize: Int64 = 8 << 20,
    keysPerPage: Int = 1000, attempts: Int = 3, retryDelay: Duration = .milliseconds(200),
    longestRetryDelay: Duration = .seconds(20)
  ) {
    self.requestsInFlight = max(1, requestsInFlight)
    self.partsInFlight = max(1, partsInFlight)
    self.multipartThreshold = multipartThreshold
    self.partSize = max(Self.smallestPart, partSize)
    self.keysPerPage = min(max(1, keysPerPage), 1000)
    self.attempts = max(1, attempts)
    self.retryDelay = max(.zero, retryDelay)
    self.longestRetryDelay = max(.zero, longestRetryDelay)
  }
}

extension StorageClient: ObjectStore {
  private var store: Provider.Store { provider.store(of: self) }

  /// Uploads an object.
  ///
  /// With OSS and COS, an object of at least the configured threshold is uploaded in parts. The signer needs
  /// `oss:PutObject` or `name/cos:PutObject`; for parts on COS also `name/cos:InitiateMultipartUpload`,
  /// `name/cos:UploadPart` and `name/cos:CompleteMultipartUpload`; and to abort a multipart upload
  /// `oss:AbortMultipartUpload` or `name/cos:AbortMultipartUpload`.
  ///
  /// - Parameters:
  ///   - source: The source of the bytes.
  ///   - key: The key of the object.
  ///   - options: The attributes that are stored with the object.
  ///   - progress: Called as bytes are sent, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the source or an option is unusable, and the other errors that ``ObjectStore``
  ///   lists.
  @discardableResult
  public func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await store.upload(source, to: key, options: options, progress: progress)
  }

  /// Downloads an object into a file, which appears only when it has arrived completely.
  ///
  /// With OSS and COS, large objects are downloaded in several concurrent ranges. The signer needs `oss:GetObject` or
  /// `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; an existing one is replaced.
  ///   - options: The version, and the conditions of the download.
  ///   - progress: Called as bytes arrive, one call at a time, on an arbitrary thread.
  /// - Returns: The service's description of the object.
  /// - Throws: ``StorageError`` if the file cannot be written or the bytes are incomplete or damaged, and the other
  ///   errors that ``ObjectStore`` lists.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await store.download(key, to: file, options: options, progress: progress)
  }

  /// Starts to download an object, or a range of it.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: The range, the version, and the conditions of the download.
  /// - Returns: The service's description of the object, and its bytes as they arrive.
  /// - Throws: The errors that ``ObjectStore`` lists; reading the bytes can throw them as well.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await store.open(key, options: options)
  }

  /// Requests the description of an object.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:HeadObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Additional headers of the provider, such as the requester-pays header or a customer-provided key.
  /// - Returns: The description.
  /// - Throws: ``ServiceError`` of the kind ``ServiceError/Kind/noSuchKey`` if the object does not exist, and the other
  ///   errors that ``ObjectStore`` lists.
  public func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await store.head(key, headers: headers)
  }

  /// Deletes an object; succeeds if it does not exist.
  ///
  /// The signer needs `oss:DeleteObject` or `name/cos:DeleteObject`.
  ///
  /// - Parameter key: The key of the object.
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func delete(_ key: String) async throws {
    try await store.delete(key)
  }

  /// Deletes objects, up to 1,000 per request; succeeds for keys that do not exist.
  ///
  /// With OSS and COS, keys with control characters cannot be represented in XML and are deleted one by one. The signer
  /// needs `oss:DeleteObject`, or `name/cos:DeleteMultipleObjects` and `name/cos:DeleteObject`.
  ///
  /// - Parameter keys: The keys of the objects.
  /// - Returns: The deleted keys, and the failures with their reasons.
  /// - Throws: The errors that ``ObjectStore`` lists; the keys of earlier requests have been deleted by then.
  @discardableResult
  public func delete(_ keys: [String]) async throws -> DeletionReport {
    try await store.delete(keys)
  }

  /// Lists objects in the byte order of their keys; pages are fetched as they are needed.
  ///
  /// The signer needs `oss:ListObjects` or `name/cos:GetBucket`.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the keys.
  ///   - delimiter: If not `nil`, keys that contain it after the prefix are grouped into one common prefix each.
  /// - Returns: The listing.
  public func list(prefix: String, delimiter: String?) -> ObjectListing {
    store.list(prefix: prefix, delimiter: delimiter)
  }
}

extension StorageClient {
  /// Runs a transfer and emits an event when it ends.
  ///
  /// - Parameters:
  ///   - verb: The name of the operation.
  ///   - key: The key of the object.
  ///   - progress: Receives the progress of the transfer.
  ///   - body: The transfer.
  func transfer<Result>(
    _ verb: String, _ key: String, _ progress: TransferProgress.Handler?,
    _ body: (TransferLedger) async throws -> Result
  ) async throws -> Result {
    let ledger = ledger(verb, key, progress)
    do {
      let result = try await body(ledger)
      ledger.close(failure: nil)
      return result
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Creates the record of a transfer.
  func ledger(_ verb: String, _ key: String, _ progress: TransferProgress.Handler?) -> TransferLedger {
    TransferLedger(events, time, subject: "\(verb) \(location(ofKey: key))", progress: progress)
  }
}

/// A cache that a store shares with its client's copies: one value of each type.
final class StoreMemory: Sendable {
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// Returns the cached value of a type, or creates and caches one.
  func value<Value: Sendable>(_ make: () throws -> Value) rethrows -> Value {
    let type = ObjectIdentifier(Value.self)
    if let kept = values.withLock({ $0[type] }) as? Value { return kept }
    // Concurrent callers may each create a value; the first one to be stored is used by all.
    let made = try make()
    return values.withLock { values in
      if let kept = values[type] as? Value { return kept }
      values[type] = made
      return made
    }
  }
}
