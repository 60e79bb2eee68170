// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import HummingbirdCore
public import ServiceLifecycle
public import StorageAuth
internal import SystemPackage

@_exported public import struct StorageAuthServer.ConnectionLimits

/// A server that imitates object storage services, their token services, and an Aspera node.
///
/// The server stores objects in a directory and verifies every signature. It listens on the loopback interface, unless
/// the configuration has another address for the storage services.
///
/// ```swift
/// let key = AccessKey(id: "test-id", secret: "test-secret")
/// let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
/// // … requests to cloud.ossEndpoint and cloud.cosEndpoint, signed with `key` …
/// await cloud.stop()
/// ```
///
/// Each storage service has a separate port and separate buckets; all storage services share the accounts. The Aspera
/// node has files and folders instead of buckets.
public final class LocalCloud: Sendable {
  /// The fingerprint of the host key that the simulated Aspera transfer server presents.
  public let transferHostKey: HostKeyFingerprint
  let storage: Storage
  let storageServices: StorageServices
  private let apis: APIServices
  let context: CloudContext

  /// The HTTP services besides the storage services: `shared` is that of the token services, the app server and the
  /// instance metadata, and `applications` that of Aspera on Cloud and Faspex.
  private struct APIServices { let shared, node, transferServer, applications: HTTPService }

  private init(
    _ storage: Storage, _ storageServices: StorageServices, _ apis: APIServices, hostKey: HostKeyFingerprint,
    _ context: CloudContext
  ) {
    (self.storage, self.storageServices, self.apis, self.context) = (storage, storageServices, apis, context)
    transferHostKey = hostKey
  }

  /// Starts a server, which accepts requests as soon as this function returns.
  ///
  /// - Parameter configuration: The accounts, buckets, ports and other settings.
  /// - Returns: The running server; call ``stop()`` when it is no longer needed.
  /// - Throws: ``LocalCloudError`` if the configuration is invalid, a port is in use, or the directory is not writable.
  public static func start(_ configuration: Configuration) async throws -> LocalCloud {
    try configuration.check()
    let context = try CloudContext(
      configuration,
      configuration.callbacks.map { settings throws(LocalCloudError) in
        try CallbackSender(settings, sleep: configuration.sleep)
      })
    let storage = try await Storage.open(configuration.root)
    // From here on, an error must close the storage, which unlocks its directory and removes a temporary one.
    var starter = ServiceStarter(context: context)
    do {
      try await storage.createBuckets(configuration.buckets, at: configuration.clock())
      return try await startServices(with: &starter, storage)
    } catch {
      await starter.stopAll()
      await storage.close()
      throw error
    }
  }

  /// Starts the services; one whose responses contain the port of another starts after it.
  private static func startServices(with starter: inout ServiceStarter, _ storage: Storage) async throws -> LocalCloud {
    let (context, configuration) = (starter.context, starter.context.configuration)
    let (aspera, date) = (AsperaContext(configuration, storage.node, context), configuration.clock())
    try await aspera.prepareAccessKeys(at: date)
    let interface = HTTPService.Interface(address: configuration.address, certificate: configuration.certificate)
    let storageServices = try await StorageServices { provider in
      let handler = try requestHandler(of: provider, storage, context)
      return try await starter.start(handler, at: configuration.port(of: provider), interface)
    }
    let servicesGateway = ServicesGateway(configuration.services, context)
    let shared = try await starter.start(servicesGateway.respond(to:with:_:), at: configuration.services.port)
    context.callbacks?.keyURL = shared.url + CallbackSender.keyPath
    let transferGateway = TransferGateway(server: TransferServer(aspera: aspera))
    let transferServer = try await starter.start(
      transferGateway.respond(to:with:_:), at: configuration.aspera.transferPort)
    let nodeAPI = NodeAPI(aspera: aspera, transferPort: transferServer.port)
    let node = try await starter.start(
      NodeGateway(api: nodeAPI).respond(to:with:_:), at: configuration.aspera.port, .loopbackWithCancel)
    let asperaOnCloud = CloudAPI(configuration.aspera.onCloud, aspera, node: node.endpoint)
    try asperaOnCloud.prepareNode(at: date)
    let faspex = FaspexAPI(configuration.aspera.faspex, aspera, nodeAPI)
    let applicationsGateway = ApplicationsGateway(context: context, onCloud: asperaOnCloud, faspex: faspex)
    let applications = try await starter.start(
      applicationsGateway.respond(to:with:_:), at: configuration.aspera.applicationsPort)
    let apis = APIServices(shared: shared, node: node, transferServer: transferServer, applications: applications)
    return LocalCloud(storage, storageServices, apis, hostKey: aspera.hostKey, context)
  }

  /// Starts the services of a server one by one, and stops those that run if a later one cannot start.
  private struct ServiceStarter {
    let context: CloudContext
    private(set) var started: [HTTPService] = []

    mutating func start(
      _ handler: @escaping RequestFeed.Handler, at port: Int, _ interface: HTTPService.Interface = .loopback
    ) async throws -> HTTPService {
      let responder = context.feed.reporting(at: { [context] in context.now }, handler)
      let service = try await HTTPService.start(port: port, at: interface, context.configuration.limits, responder)
      started.append(service)
      return service
    }

    func stopAll() async { for service in started { await service.stop() } }
  }

  /// Returns the request handler of a storage service, which may offer the interface of S3 besides its own.
  private static func requestHandler(
    of provider: Provider, _ storage: Storage, _ context: CloudContext
  ) throws -> RequestFeed.Handler {
    let (service, store) = (provider.service(for: context.configuration), try storage.store(of: provider))
    let gateway = Gateway(service, store, context)
    let s3Gateway = provider.s3Interface.map { interface in
      Gateway(service.shown(through: interface, region: context.configuration.region(of: provider)), store, context)
    }
    return { request, writer, record in
      let selected = S3Interface.isSelected(by: request.head) ? s3Gateway : nil
      try await (selected ?? gateway).respond(to: request, with: writer, record)
    }
  }

  /// Starts a server and runs it until the current task is cancelled.
  ///
  /// - Parameters:
  ///   - configuration: The accounts, buckets, ports and other settings.
  ///   - onReady: A closure that is called once, when the server accepts requests on all ports.
  /// - Throws: The errors of ``start(_:)``. Cancellation is not an error.
  public static func run(_ configuration: Configuration, onReady: (LocalCloud) -> Void) async throws {
    let cloud = try await start(configuration)
    onReady(cloud)
    await cloud.run()
  }

  /// Stops the server.
  ///
  /// The server accepts no further connections and waits up to two seconds for requests in progress. It removes its
  /// data directory if the directory is temporary.
  public func stop() async {
    for provider in Provider.allCases { await storageServices[provider].stop() }
    for service in [apis.shared, apis.node, apis.transferServer, apis.applications] { await service.stop() }
    context.feed.finish()
    await storage.close()
  }

  /// The endpoint of the token services, the app server and the instance metadata service: `http://127.0.0.1:…`.
  public var servicesEndpoint: ServiceEndpoint { apis.shared.endpoint }
  /// The base URL of the token services, the app server and the instance metadata service, without a trailing slash.
  public var servicesURL: String { apis.shared.url }
  /// The endpoint of the simulated Aspera Node API: `http://127.0.0.1:…`.
  public var nodeEndpoint: ServiceEndpoint { apis.node.endpoint }
  /// The URL of the simulated Aspera Node API, without a trailing slash.
  public var nodeURL: String { apis.node.url }
  /// The base URL of the simulated API of Aspera on Cloud (`https://api.ibmaspera.com`), without a trailing slash.
  public var asperaOnCloudURL: String { apis.applications.url }

  /// The base URL of the simulated Faspex 5, without a trailing slash.
  ///
  /// It stands for a URL such as `https://faspex.example.com/aspera/faspex`.
  public var faspexURL: String { "\(asperaOnCloudURL)\(FaspexAPI.root)" }
  /// The port of the simulated Aspera transfer server, which `ascp-simulator` uses instead of the SSH and UDP ports.
  public var transferPort: Int { apis.transferServer.port }
  /// The URL of the public key with which callbacks are verified, or `nil` if the server sends no callbacks.
  public var callbackKeyURL: String? { context.callbacks?.keyURL }
  /// The statistics since the start of the server.
  public var statistics: Statistics { context.counters.statistics }

  /// Returns the numbers of uploads, copies and completed multipart uploads since the start of the server.
  ///
  /// - Parameters:
  ///   - provider: The storage service to which the bucket belongs.
  ///   - bucket: The bucket name.
  /// - Returns: The numbers of writes by object key, including the keys of objects that have since been deleted.
  public func writes(of provider: Provider, in bucket: String) -> [String: Int] {
    context.counters.writes(of: provider, in: bucket)
  }

  /// The faults that the server injects into requests and transfers; changes apply to all later ones.
  public var faults: Faults {
    get { context.injector.faults }
    set { context.injector.faults = newValue }
  }

  /// Returns the temporary credential with a key ID, together with the request for which it was issued.
  ///
  /// - Parameter keyID: The access key ID of the temporary credential.
  /// - Returns: The session, or `nil` if the server never issued the key or has discarded the session.
  public func session(of keyID: AccessKeyID) -> Session? { context.keys.tokens.session(of: keyID) }

  /// The path of the server's data directory, as a string.
  public var root: String { storage.root.string }
}

extension LocalCloud: Service {
  /// Serves until the shutdown, and then stops the server as ``stop()`` does.
  ///
  /// ```swift
  /// let cloud = try await LocalCloud.start(configuration)
  /// try await ServiceGroup(services: [cloud, worker], gracefulShutdownSignals: [.sigterm], logger: logger).run()
  /// ```
  public func run() async {
    try? await gracefulShutdown()
    // The server stops in an unstructured task, which is not cancelled together with this one.
    await Task { await stop() }.value
  }
}

extension LocalCloud {
  /// An issued temporary credential, without its secret and session token, and the request for which it was issued.
  public struct Session: Sendable, Hashable {
    /// The access key ID of the temporary credential.
    public let keyID: AccessKeyID
    /// The storage service that accepts the temporary credential.
    public let provider: Provider
    /// The ARN of the assumed role, or `nil` if the credential was issued by GetFederationToken.
    public let role: String?
    /// The session name that the caller chose.
    public let name: String
    /// The session policy as JSON, or `nil` if the credential has no session policy.
    public let policy: String?
    /// The expiration of the temporary credential, according to the server's clock.
    public let expiration: Timestamp
    /// The number of requests to the storage service that contained the key ID, including rejected requests.
    public let requests: Int
    package let start: Timestamp
    /// The key that signed the call for the credential, or `nil` if no key did.
    package let caller: AccessKeyID?
    /// The service that issued the credential.
    package let endpoint: Endpoint
    /// The number of requests with the key ID that the storage service answered with an error.
    package let refusals: Int
    package let isRevoked: Bool
  }

  /// A role for which the local server issues temporary credentials.
  public struct Role: Sendable, Hashable {
    /// The resource name of the role, in the vendor's format.
    ///
    /// The format determines the vendor: `acs:ram::1250000000:role/app`, `qcs::cam::uin/1250000000:roleName/app` or
    /// `arn:aws:iam::125000000000:role/app`.
    public var arn: String
    /// The maximum lifetime of the role's credentials, in whole seconds; the real services allow 1 to 12 hours.
    public var maximumDuration: Duration
    /// The IDs of the access keys that can assume the role, or `nil` to allow all accounts.
    public var trustedKeys: Set<AccessKeyID>?

    /// Creates a role for temporary credentials; the parameters are the properties.
    public init(_ arn: String, maximumDuration: Duration = .seconds(3600), trustedKeys: Set<AccessKeyID>? = nil) {
      (self.arn, self.maximumDuration, self.trustedKeys) = (arn, maximumDuration, trustedKeys)
    }

    /// An Alibaba Cloud role that all accounts can assume for up to one hour.
    public static let alibaba = Role("acs:ram::1250000000:role/localcloud")
    /// A Tencent Cloud role that all accounts can assume for up to twelve hours.
    public static let tencent = Role(
      "qcs::cam::uin/1250000000:roleName/localcloud", maximumDuration: .seconds(12 * 3600))

    /// An Amazon Web Services role that all accounts can assume for up to twelve hours.
    public static let amazon = Role("arn:aws:iam::125000000000:role/localcloud", maximumDuration: .seconds(12 * 3600))

    /// The storage service that accepts the role's credentials, or `nil` if the name is in no vendor's format.
    var provider: Provider? { Provider.allCases.first { $0.service.behavior.roleResource(arn) != nil } }

    var name: String { arn.parts(between: "/").last.map(String.init) ?? "" }
  }
}

extension LocalCloud {
  package struct BucketSummary: Sendable, Hashable {
    package let name: String
    package let created: Timestamp
    package let objectCount: Int
    package let isPublic: Bool
  }

  package struct ObjectSummary: Sendable, Hashable {
    package let key: String
    package let byteCount: Int64
    package let modified: Timestamp
  }

  package struct ObjectPage: Sendable, Hashable {
    package let objects: [ObjectSummary]
    /// The common prefixes of the keys that contain another slash after the prefix of the page.
    package let folders: [String]
    /// The key or folder after which the next page starts, or `nil` on the last page.
    package let next: String?
  }

  /// The current time according to the server's clock, which includes the injected clock offset.
  package var now: Timestamp { context.now }

  package var configuration: Configuration { context.configuration }
  package func region(of provider: Provider) -> String { configuration.region(of: provider) }
  package func sessions(limit: Int) -> [Session] { context.keys.tokens.sessions(limit: limit) }
  /// Makes a temporary credential unknown to all services, or returns `false` if it was never issued or is discarded.
  package func revoke(_ keyID: AccessKeyID) -> Bool { context.keys.tokens.revoke(keyID) }

  package func buckets(of provider: Provider) -> [BucketSummary] {
    guard let store = try? storage.store(of: provider) else { return [] }
    return store.bucketsByName.map {
      BucketSummary(name: $0.name, created: $0.created, objectCount: $0.objects.count, isPublic: $0.access.isPublic)
    }
  }

  /// Returns a page of a bucket's objects and folders, ordered by key, or `nil` if the bucket does not exist.
  package func objects(
    in bucket: String, of provider: Provider, prefix: String, after: String, limit: Int
  ) -> ObjectPage? {
    let query = ListQuery(prefix: prefix, delimiter: "/", after: after, limit: limit)
    guard let page = try? storage.store(of: provider).read(bucket, { $0.objectPage(query) }) else { return nil }
    let objects = page.entries.map {
      ObjectSummary(key: $0.key.string, byteCount: $0.content.byteCount, modified: $0.modified)
    }
    return ObjectPage(objects: objects, folders: page.groups, next: page.next)
  }
}
