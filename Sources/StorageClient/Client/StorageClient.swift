public import HTTPTypes
public import StorageAuth
internal import Synchronization
public import SystemPackage

/// A client of one bucket or node, of any provider.
///
/// A client is a value that is cheap to copy and safe to share; its copies share one limit on requests in flight, one
/// credential and what is known about the service's clock.
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: AccessKey(id: id, secret: secret))
/// try await client.upload(FilePath("cat.jpg"), to: "2026/11/20/cat.jpg")
/// ```
public struct StorageClient<Provider: StorageProvider>: Sendable {
  private let configuredProvider: Provider

  /// How the client works.
  public let configuration: StorageClientConfiguration

  /// Where credentials come from, and the one that is in use; replace it here when a new token is there.
  public let credentials: CredentialCache<Provider.SigningCredential>

  /// Where what happens is told: signatures, renewed credentials, retries, clocks, transfers.
  ///
  /// ```swift
  /// let logging = AuthEventLogger(client.events, to: Logger(label: "storage"))
  /// ```
  public let events: AuthEvents

  /// What is known about the service's clock.
  public let clockSkew: ClockSkew

  /// Signs in the place of the provider's own signer, where the key is kept elsewhere.
  let remoteSigner: (any RemoteRequestSigner<Provider.SigningCredential>)?
  let transport: any HTTPTransport
  let time: any SigningClock
  let gate: RequestGate
  let memory = StoreMemory()
  let relocation = Relocation<Provider>()

  /// The service and the bucket; with the endpoint and the region that the service named, if it named another one.
  public var provider: Provider { relocation.provider ?? configuredProvider }

  /// Makes a client that gets its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: Where credentials come from. What is no `CredentialCache` is put into one of the client's own.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  ///   - events: Where what happens is told; where the cache tells it, if not given.
  ///   - clockSkew: What is known about clocks; give clients the same one to let them learn from each other.
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

  /// Makes a client with one credential.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The credential; `client.credentials.replace(with:)` puts another one in its place.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  ///   - events: Where what happens is told.
  ///   - clockSkew: What is known about clocks; give clients the same one to let them learn from each other.
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

  /// Makes a client with credentials from the vendor's default sources: environment, files of its tools, roles.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  ///   - events: Where what happens is told.
  ///   - clockSkew: What is known about clocks; give clients the same one to let them learn from each other.
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

/// How a client works: what it does at once, what it cuts into parts, how often it tries.
public struct StorageClientConfiguration: Sendable, Hashable {
  /// The most requests that are under way at once, counted until the end of their answers; at least 1.
  public var requestsInFlight: Int {
    didSet { requestsInFlight = max(1, requestsInFlight) }
  }

  /// The most parts of one upload or download that are under way at once; at least 1.
  public var partsInFlight: Int {
    didSet { partsInFlight = max(1, partsInFlight) }
  }

  /// From how many bytes on an object is moved in parts.
  public var multipartThreshold: Int64

  /// The size of a part in bytes, at least 100 KiB; larger where an object would have more than 10,000 parts.
  public var partSize: Int64 {
    didSet { partSize = max(Self.smallestPart, partSize) }
  }

  /// The most entries that a page of a listing is asked for, from 1 to 1,000.
  public var keysPerPage: Int {
    didSet { keysPerPage = min(max(1, keysPerPage), 1000) }
  }

  /// How often a request is sent at most, when the service or the network fails; 1 means that nothing is repeated.
  ///
  /// A request that is signed again, with a renewed credential or a corrected clock, does not count: each of the two is
  /// done once.
  public var attempts: Int {
    didSet { attempts = max(1, attempts) }
  }

  /// How long to wait before the second attempt; twice as long before each further one.
  ///
  /// A random part of up to a half is taken off, so that many clients do not come back at once.
  public var retryDelay: Duration

  /// The longest that is waited before an attempt; a service that asks for more (`Retry-After`) is not asked again.
  public var longestRetryDelay: Duration

  /// The smallest part that OSS accepts; COS asks for more of all parts but the last.
  private static let smallestPart: Int64 = 100 * 1024

  /// Sets how a client works; values that make no sense are replaced by the nearest that does.
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
  /// With OSS and COS, in parts from the configured threshold on; the signer needs `oss:PutObject` or
  /// `name/cos:PutObject`; for parts on COS also `name/cos:InitiateMultipartUpload`, `name/cos:UploadPart` and
  /// `name/cos:CompleteMultipartUpload`, and to give parts up `oss:AbortMultipartUpload` or
  /// `name/cos:AbortMultipartUpload`.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - key: The key of the object.
  ///   - options: What is stored along with the bytes.
  ///   - progress: Called while the bytes go out, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await store.upload(source, to: key, options: options, progress: progress)
  }

  /// Downloads an object into a file, which appears only when all of it has arrived.
  ///
  /// With OSS and COS, large ones in several ranges at a time; the signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - options: Which version, under which conditions.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
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
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await store.open(key, options: options)
  }

  /// Asks about an object.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:HeadObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - headers: Further headers of the provider, such as who pays, or a customer's key.
  public func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await store.head(key, headers: headers)
  }

  /// Deletes an object; it is no error if there is none.
  ///
  /// The signer needs `oss:DeleteObject` or `name/cos:DeleteObject`.
  ///
  /// - Parameter key: The key of the object.
  public func delete(_ key: String) async throws {
    try await store.delete(key)
  }

  /// Deletes objects, up to 1,000 with one request; it is no error if some do not exist.
  ///
  /// With OSS and COS, keys with control characters cannot be written in XML and are deleted one by one. The signer needs
  /// `oss:DeleteObject`, or `name/cos:DeleteMultipleObjects` and `name/cos:DeleteObject`.
  ///
  /// - Parameter keys: The keys of the objects.
  /// - Returns: Which ones were deleted, and which ones were not, and why.
  /// - Throws: What every operation throws; then the keys of earlier requests have been deleted.
  @discardableResult
  public func delete(_ keys: [String]) async throws -> DeletionReport {
    try await store.delete(keys)
  }

  /// Lists objects, in the order of the bytes of their keys; pages are fetched as they are needed.
  ///
  /// The signer needs `oss:ListObjects` or `name/cos:GetBucket`.
  ///
  /// - Parameters:
  ///   - prefix: What the keys start with.
  ///   - delimiter: If given, keys that hold it behind the prefix are folded into one common prefix each.
  public func list(prefix: String, delimiter: String?) -> ObjectListing {
    store.list(prefix: prefix, delimiter: delimiter)
  }
}

extension StorageClient {
  /// Runs a transfer and tells how it ended.
  ///
  /// - Parameters:
  ///   - verb: What is done.
  ///   - key: The key of the object.
  ///   - progress: Is told of the bytes as well.
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

  /// What a transfer is entered into.
  func ledger(_ verb: String, _ key: String, _ progress: TransferProgress.Handler?) -> TransferLedger {
    TransferLedger(events, time, subject: "\(verb) \(location(ofKey: key))", progress: progress)
  }
}

/// What a store keeps as long as its client and the copies of it live: one value of each type.
final class StoreMemory: Sendable {
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The value that is kept, or a new one that is kept from now on.
  func value<Value: Sendable>(_ make: () throws -> Value) rethrows -> Value {
    let type = ObjectIdentifier(Value.self)
    if let kept = values.withLock({ $0[type] }) as? Value { return kept }
    // Two at once may make one each; the first one stays.
    let made = try make()
    return values.withLock { values in
      if let kept = values[type] as? Value { return kept }
      values[type] = made
      return made
    }
  }
}
