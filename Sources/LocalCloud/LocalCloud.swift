public import AsperaAuth
public import StorageAuth
internal import SystemPackage

/// Storage services and an Aspera node on this machine: an HTTP server on loopback that stores objects in a directory and
/// verifies every signature.
///
/// ```swift
/// let key = AccessKey(id: "test-id", secret: "test-secret")
/// let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
/// // … requests to cloud.ossEndpoint and cloud.cosEndpoint, signed with `key` …
/// await cloud.stop()
/// ```
///
/// Each storage service has a port and buckets of its own, and all share the accounts; the node has files and folders.
public final class LocalCloud: Sendable {
  /// The fingerprint of the host key that the transfer desk shows.
  public let transferHostKey: HostKeyFingerprint

  private let storage: Storage
  let stores: StorageServices
  private let services: HTTPService
  private let node: HTTPService
  private let desk: HTTPService
  private let context: CloudContext

  private init(
    storage: Storage, stores: StorageServices, services: HTTPService, node: HTTPService, desk: HTTPService,
    hostKey: HostKeyFingerprint, _ context: CloudContext
  ) {
    self.storage = storage
    self.stores = stores
    self.services = services
    self.node = node
    self.desk = desk
    transferHostKey = hostKey
    self.context = context
  }

  /// Starts the server; it answers when this returns.
  ///
  /// - Parameter configuration: Accounts, buckets, ports and the rest.
  /// - Returns: The running server; ``stop()`` has to be called in the end.
  /// - Throws: A ``LocalCloudError`` if the configuration cannot be used, a port is taken, or the directory cannot be
  ///   written.
  public static func start(_ configuration: Configuration) async throws -> LocalCloud {
    try configuration.check()
    let storage = try await Storage.open(configuration.root)
    let context = CloudContext(configuration)
    var started: [HTTPService] = []
    do {
      try await storage.createBuckets(configuration.buckets, at: configuration.clock())
      func open(_ port: Int, _ respond: @escaping HTTPService.Responder) async throws -> HTTPService {
        let service = try await HTTPService.start(port: port, configuration.limits, respond)
        started.append(service)
        return service
      }
      let servicesGateway = ServicesGateway(configuration.services, context)
      let aspera = AsperaContext(configuration, storage.node, context)
      let transferGateway = TransferGateway(aspera)
      let stores = try await StorageServices { provider in
        let gateway = Gateway(
          provider.dialect(for: configuration), try storage.store(of: provider), configuration, context)
        return try await open(configuration.port(of: provider)) { try await gateway.respond(to: $0, with: $1) }
      }
      let services = try await open(configuration.services.port) { try await servicesGateway.respond(to: $0, with: $1) }
      let desk = try await open(configuration.aspera.transferPort) {
        try await transferGateway.respond(to: $0, with: $1)
      }
      let nodeGateway = NodeGateway(api: NodeAPI(aspera: aspera, transferPort: desk.port), context: context)
      let node = try await open(configuration.aspera.port) { try await nodeGateway.respond(to: $0, with: $1) }
      return LocalCloud(
        storage: storage, stores: stores, services: services, node: node, desk: desk, hostKey: aspera.hostKey, context)
    } catch {
      for service in started { await service.stop() }
      await storage.close()
      throw error
    }
  }

  /// Starts the server and runs it until the task is cancelled.
  ///
  /// - Parameters:
  ///   - configuration: Accounts, buckets, ports and the rest.
  ///   - onReady: Called once, when all services answer.
  /// - Throws: What ``start(_:)`` throws; being cancelled is not an error.
  public static func run(_ configuration: Configuration, onReady: (LocalCloud) -> Void) async throws {
    let cloud = try await start(configuration)
    onReady(cloud)
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    // Cleaning up is not cancelled: it runs in a task of its own.
    await Task { await cloud.stop() }.value
  }

  /// Stops the server: takes no more connections, lets requests that are under way finish for up to two seconds, and
  /// removes the directory if it was a temporary one.
  public func stop() async {
    await stores.stop()
    await services.stop()
    await node.stop()
    await desk.stop()
    await storage.close()
  }

  /// Where the token services, the app server and the metadata are: `http://127.0.0.1:…`.
  public var servicesEndpoint: ServiceEndpoint { services.endpoint }

  /// Where the Node API of Aspera is: `http://127.0.0.1:…`.
  public var nodeEndpoint: ServiceEndpoint { node.endpoint }

  /// The URL of the Node API of Aspera; without a slash at its end.
  public var nodeURL: String { "\(node.endpoint.scheme)://\(node.endpoint.authority)" }

  /// The port of the desk that `ascp-simulator` transfers files with, in the place of the SSH port and the UDP port.
  public var transferPort: Int { desk.port }

  /// The URL of the token services, and what the paths of the metadata are added to; without a slash at its end.
  public var servicesURL: String { "\(services.endpoint.scheme)://\(services.endpoint.authority)" }

  /// What happened so far.
  public var statistics: Statistics { context.counters.statistics }

  /// How often an object was put at each key of a bucket since the start: by a put, a copy or a completed upload.
  ///
  /// - Parameters:
  ///   - provider: The service.
  ///   - bucket: The bucket.
  /// - Returns: The numbers by the key, also for objects that were deleted since.
  public func writes(of provider: Provider, in bucket: String) -> [String: Int] {
    context.counters.writes(of: provider, in: bucket)
  }

  /// What goes wrong; may be changed at any time and holds from the next request on.
  public var faults: Faults {
    get { context.injector.faults }
    set { context.injector.faults = newValue }
  }

  /// The temporary key of an id, and what was asked for with it; nothing if none was issued, or it was dropped since.
  ///
  /// - Parameter keyID: The id of the key.
  public func session(of keyID: AccessKeyID) -> Session? { context.keys.tokens.session(of: keyID) }

  /// The directory that everything is in.
  public var root: String { storage.root.string }
}
