// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A client for one bucket or Aspera node of any provider.
///
/// A client is a value that is cheap to copy and safe to share. Its copies share one limit on requests in flight, one
/// credential cache and one estimate of the clock skew.
///
/// ```swift
/// let key = AccessKey(id: id, secret: secret)
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: key)
/// try await client.upload(FilePath("cat.jpg"), to: "2026/11/20/cat.jpg")
/// ```
public struct StorageClient<Provider: StorageProvider>: Sendable {
  package let sender: RequestSender<Provider>

  /// The service and the bucket; after a redirection, with the endpoint and the region that the service specified.
  public var provider: Provider { sender.provider }
  /// The client's concurrency limits, part sizes and retry settings.
  public var configuration: StorageClientConfiguration { sender.configuration }
  /// The cache that supplies the client's credentials; its method `replace(with:)` installs a new token.
  public var credentials: CredentialCache<Provider.SigningCredential> { sender.credentials }

  /// The hub of the client's events: signatures, credential refreshes, retries, clock corrections and transfers.
  ///
  /// ```swift
  /// let logging = AuthEventLogger(client.events, to: Logger(label: "storage"))
  /// ```
  public var events: EventHub { sender.events }

  /// The differences between this machine's clock and the clocks of the services, as far as they are known.
  public var clockSkew: ClockSkew { sender.clockSkew }

  /// Creates a client that gets its credentials from a credential provider.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The credential provider. Unless it is a `CredentialCache`, the client wraps it in a new cache.
  ///   - configuration: The client's concurrency limits, part sizes and retry settings.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the client's events. If `nil`, the hub of the credential cache.
  ///   - clockSkew: The known clock skews of services. Clients that share an instance learn from each other.
  public init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub? = nil, clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: credentials, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  /// Creates a client with one credential, which `client.credentials.replace(with:)` replaces later.
  ///
  /// The parameters are those of the initializer with a credential provider.
  public init(
    _ provider: Provider, credentials: Provider.SigningCredential,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub = EventHub(), clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: credentials, configuration: configuration, transport: transport, events: events,
      clockSkew: clockSkew, time: .system)
  }

  /// Creates a client that gets its credentials from the vendor's default sources.
  ///
  /// The default sources are environment variables, the files of the vendor's tools, and roles. The parameters are
  /// those of the initializer with a credential provider.
  public init(
    _ provider: Provider, configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub? = nil, clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, credentials: provider.defaultCredentials, configuration: configuration, transport: transport,
      events: events, clockSkew: clockSkew)
  }

  package init(
    _ provider: Provider, credentials: some CredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: EventHub? = nil, clockSkew: ClockSkew = ClockSkew(), time: any SigningClock
  ) {
    let cache =
      credentials as? CredentialCache<Provider.SigningCredential>
      ?? CredentialCache(credentials, in: .system(.platformDefault, time), events: events ?? EventHub())
    self.init(
      sender: RequestSender(
        provider, credentials: cache, configuration: configuration, transport: transport,
        events: events ?? cache.events, clockSkew: clockSkew, time: time))
  }

  package init(
    _ provider: Provider, credentials: Provider.SigningCredential,
    configuration: StorageClientConfiguration = StorageClientConfiguration(), transport: any HTTPTransport,
    events: EventHub = EventHub(), clockSkew: ClockSkew = ClockSkew(), time: any SigningClock
  ) {
    self.init(
      provider, credentials: CredentialCache(credentials, events: events, time: time), configuration: configuration,
      transport: transport, events: events, clockSkew: clockSkew, time: time)
  }

  package init(sender: RequestSender<Provider>) { self.sender = sender }

  /// Creates a client that requests a credential for each kind of access, with only the rights that a request needs.
  ///
  /// The scope of a request is the bucket, the action, and the object key; for a list, the prefix. A copy also needs to
  /// read its source. A deletion of several objects has the common prefix of their keys as its scope. Other requests
  /// use ``credentials``, the cache of the scope with all actions in the whole bucket.
  ///
  /// ```swift
  /// let client = StorageClient(
  ///   .oss(bucket: "photos", region: "cn-hangzhou"),
  ///   scopedCredentials: ScopedAppServerProvider("https://app.example.com/sts", region: "cn-hangzhou"))
  /// ```
  ///
  /// `credentials` is cached for each scope. The others are those of the initializer with a credential provider.
  public init(
    _ provider: Provider, scopedCredentials credentials: some ScopedCredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub = EventHub(), clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, scopedCredentials: ScopedCredentialCache(credentials, in: .system, events: events),
      configuration: configuration, transport: transport, events: events, clockSkew: clockSkew)
  }

  /// Creates a client that shares a cache of scoped credentials with other clients.
  ///
  /// `cache` has the credentials for each scope. The others are those of the initializer with a credential provider.
  public init(
    _ provider: Provider, scopedCredentials cache: ScopedCredentialCache<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: EventHub? = nil, clockSkew: ClockSkew = ClockSkew()
  ) {
    var fullAccess = AccessRule(objects: .all, in: provider.containerName)
    fullAccess.actions = Set(AccessAction.allCases)
    self.init(
      sender: RequestSender(
        provider, credentials: cache.cache(for: CredentialScope([fullAccess])), scopedCredentials: cache,
        configuration: configuration, transport: transport, events: events ?? cache.events, clockSkew: clockSkew,
        time: .system))
  }

  /// Sends a request to the service, with signing, retries and events, for a call that the client has no method for.
  ///
  /// - Returns: The response, whose status reports success.
  /// - Throws: The errors of ``RequestSender/send(_:body:action:key:isRepeatable:)``, which describes the parameters.
  public func send(
    _ request: HTTPRequest, body: HTTPBody = .none, action: String? = nil, key: String? = nil, isRepeatable: Bool = true
  ) async throws -> HTTPStreamingResponse {
    try await sender.send(request, body: body, action: action, key: key, isRepeatable: isRepeatable)
  }
}

extension StorageClient: ObjectStore {
  var store: Provider.Store { provider.store(using: sender) }

  /// Uploads an object.
  ///
  /// In a bucket, an object of at least the configured threshold is uploaded in parts. The signer needs
  /// `oss:PutObject`, `name/cos:PutObject` or `s3:PutObject`. Uploads in parts to COS also need
  /// `name/cos:InitiateMultipartUpload`, `name/cos:UploadPart` and `name/cos:CompleteMultipartUpload`. Aborting a
  /// multipart upload needs `oss:AbortMultipartUpload`, `name/cos:AbortMultipartUpload` or `s3:AbortMultipartUpload`.
  ///
  /// - Throws: The errors of ``ObjectStore/upload(_:to:options:progress:)``, which also describes the parameters.
  @discardableResult public func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject { try await store.upload(source, to: key, options: options, progress: progress) }

  /// Downloads an object into a file that appears at its destination only when the download is complete.
  ///
  /// From a bucket, large objects are downloaded in several concurrent ranges. The signer needs `oss:GetObject`,
  /// `name/cos:GetObject` or `s3:GetObject`.
  ///
  /// - Throws: The errors of ``ObjectStore/download(_:to:options:progress:)``, which also describes the parameters.
  @discardableResult public func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo { try await store.download(key, to: file, options: options, progress: progress) }

  /// Starts to download an object, or a range of its bytes.
  ///
  /// The signer needs `oss:GetObject`, `name/cos:GetObject` or `s3:GetObject`.
  ///
  /// - Throws: The errors of ``ObjectStore/open(_:options:)``, which also describes the parameters.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await store.open(key, options: options)
  }

  /// Requests the description of an object from the service.
  ///
  /// The signer needs `oss:GetObject`, `name/cos:HeadObject` or `s3:GetObject`.
  ///
  /// - Throws: The errors of ``ObjectStore/head(_:headers:)``, which also describes the parameters.
  public func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await store.head(key, headers: headers)
  }

  /// Deletes an object, and succeeds if the object does not exist.
  ///
  /// The signer needs `oss:DeleteObject`, `name/cos:DeleteObject` or `s3:DeleteObject`.
  ///
  /// - Throws: The errors that ``ObjectStore`` lists.
  public func delete(_ key: String) async throws { try await store.delete(key) }

  /// Deletes objects, up to 1,000 per request, and succeeds for keys that do not exist.
  ///
  /// In a bucket, keys with control characters cannot be represented in XML and are deleted one by one. The signer
  /// needs `oss:DeleteObject`, `name/cos:DeleteMultipleObjects` and `name/cos:DeleteObject`, or `s3:DeleteObject`.
  ///
  /// - Returns: The deleted keys, and the keys that could not be deleted with the reasons.
  /// - Throws: The errors that ``ObjectStore`` lists. The objects of earlier requests are already deleted then.
  @discardableResult
  public func delete(_ keys: [String]) async throws -> DeletionReport { try await store.delete(keys) }

  /// Lists objects in the byte order of their keys, and fetches pages as they are needed.
  ///
  /// The signer needs `oss:ListObjects`, `name/cos:GetBucket` or `s3:ListBucket`. The parameters are those of
  /// ``ObjectStore/list(prefix:delimiter:)``.
  public func list(prefix: String, delimiter: String?) -> ObjectListing {
    store.list(prefix: prefix, delimiter: delimiter).checked(prefix: prefix, delimiter: delimiter)
  }
}

extension StorageClient where Provider: PresigningProvider {
  /// Creates a presigned URL, which authorizes its holder to one operation for a limited time without an access key.
  ///
  /// The URL has the rights of the signer. The signer needs `oss:GetObject`, `name/cos:GetObject` (for `HEAD`
  /// `name/cos:HeadObject`) or `s3:GetObject` for `GET` and `HEAD`; `oss:PutObject`, `name/cos:PutObject` or
  /// `s3:PutObject` for `PUT`; and `oss:DeleteObject`, `name/cos:DeleteObject` or `s3:DeleteObject` for `DELETE`. The
  /// client sends no request to the service; only the credential provider and a remote signer may use the network.
  ///
  /// ```swift
  /// let upload = try await client.presign(.put, "cat.jpg", contentType: "image/jpeg", validFor: .seconds(30 * 60))
  /// // send the bytes with upload.method to upload.url, with upload.headers
  /// ```
  ///
  /// - Parameters:
  ///   - method: The HTTP method of the requests that the URL authorizes.
  ///   - key: The key of the object.
  ///   - contentType: The media type that the request must send. If `nil`, OSS expects a request without a media type.
  ///   - contentMD5: The Base64-encoded MD5 of the body, or `nil` if the URL does not restrict the body.
  ///   - headers: Additional headers that the request must send, such as metadata.
  ///   - parameters: Additional query parameters, such as `response-content-disposition`.
  ///   - duration: The lifetime, at most that of the credential: with OSS V4 up to 7 days, or 12 hours with a token.
  /// - Returns: The method, the URL, the headers that the request must send, and the expiration.
  /// - Throws: A `SigningError` if the request cannot be presigned; a `CredentialError` if there is no credential; a
  ///   ``StorageError`` if the connection is not encrypted and the URL would expose a session token.
  public func presign(
    _ method: HTTPRequest.Method, _ key: String, contentType: String? = nil, contentMD5: String? = nil,
    headers: HTTPFields = [:], parameters: [RequestTarget.Parameter] = [], validFor duration: Duration
  ) async throws -> PresignedRequest {
    var fields = headers
    try fields.set(.contentType, to: contentType)
    try fields.set(.contentMD5, to: contentMD5)
    let request = try provider.endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: fields)
    let scope = CredentialScope(of: method, key: key, parameters: parameters, in: provider.bucket)
    var cached = try await sender.credential(for: scope) {
      provider.presigner.requiredValidity(from: $0, validFor: duration)
    }
    if let remoteSigner = sender.remoteSigner?(provider) {
      return try await sender.signRemotely(as: &cached) { credential, context in
        try await remoteSigner.presign(request, as: credential, validFor: duration, in: context)
      }.result
    }
    let context = SigningContext(date: try sender.serviceTime().time)
    return try provider.presigner.presign(request, with: cached.credential, validFor: duration, in: context)
  }
}
