public import StorageAuth

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
  public let credentials: CredentialCache<Provider.Proof>

  /// Where what happens is told: signatures, renewed credentials, retries, clocks, transfers.
  ///
  /// ```swift
  /// let logging = AuthEventLogger(client.events, to: Logger(label: "storage"))
  /// ```
  public let events: AuthEvents

  /// What is known about the service's clock.
  public let clockSkew: ClockSkew

  /// Signs in the place of the provider's own signer, where the key is kept elsewhere.
  let remoteSigner: (any RemoteRequestSigner<Provider.Proof>)?
  let transport: any HTTPTransport
  let time: any TimeSource
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
    _ provider: Provider, credentials: some CredentialProvider<Provider.Proof>,
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
    _ provider: Provider, credentials: Provider.Proof,
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
    _ provider: Provider, credentials: some CredentialProvider<Provider.Proof>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: AuthEvents? = nil, clockSkew: ClockSkew = ClockSkew(), time: any TimeSource
  ) {
    let cache =
      credentials as? CredentialCache<Provider.Proof>
      ?? CredentialCache(credentials, events: events ?? AuthEvents(), time: time)
    self.init(
      provider, cache: cache, configuration: configuration, transport: transport, events: events ?? cache.events,
      clockSkew: clockSkew, time: time)
  }

  package init(
    _ provider: Provider, credentials: Provider.Proof,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: AuthEvents = AuthEvents(), clockSkew: ClockSkew = ClockSkew(), time: any TimeSource
  ) {
    self.init(
      provider, cache: CredentialCache(credentials, events: events, time: time), configuration: configuration,
      transport: transport, events: events, clockSkew: clockSkew, time: time)
  }

  init(
    _ provider: Provider, cache: CredentialCache<Provider.Proof>,
    remoteSigner: (any RemoteRequestSigner<Provider.Proof>)? = nil, configuration: StorageClientConfiguration,
    transport: any HTTPTransport, events: AuthEvents, clockSkew: ClockSkew, time: any TimeSource
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
