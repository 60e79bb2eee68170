public import StorageAuth

/// A client of one bucket, of any provider.
///
/// A client is a value that is cheap to copy and safe to share; its copies share one limit on requests in flight.
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: AccessKey(id: id, secret: secret))
/// try await client.upload(FilePath("cat.jpg"), to: "2026/11/20/cat.jpg")
/// ```
public struct StorageClient<Provider: StorageProvider>: Sendable {
  /// The service and the bucket.
  public let provider: Provider

  /// How the client works.
  public let configuration: StorageClientConfiguration

  let credentials: any CredentialProvider<Provider.Proof>
  let transport: any HTTPTransport
  let gate: RequestGate
  let clock: @Sendable () -> Timestamp

  /// Makes a client that gets its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: Where credentials come from; asked before every request.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  public init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.Proof>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared
  ) {
    self.init(
      provider, credentials: credentials, configuration: configuration, transport: transport, clock: { .now })
  }

  /// Makes a client with one credential.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The credential.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  public init(
    _ provider: Provider, credentials: Provider.Proof,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared
  ) {
    self.init(
      provider, credentials: StaticCredentialProvider(credentials), configuration: configuration, transport: transport)
  }

  /// Makes a client with the credentials of the environment, under the names that the vendor's tools use.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - configuration: How the client works.
  ///   - transport: What sends the requests.
  public init(
    _ provider: Provider, configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = AsyncHTTPClientTransport.shared
  ) {
    self.init(
      provider, credentials: provider.defaultCredentials, configuration: configuration, transport: transport)
  }

  package init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.Proof>,
    configuration: StorageClientConfiguration, transport: any HTTPTransport,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.provider = provider
    self.credentials = credentials
    self.configuration = configuration
    self.transport = transport
    self.clock = clock
    gate = RequestGate(limit: configuration.requestsInFlight)
  }
}
