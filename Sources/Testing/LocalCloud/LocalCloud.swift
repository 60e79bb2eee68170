// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import HummingbirdCore
public import StorageAuth
internal import SystemPackage

/// A server on the loopback interface that imitates object storage services, their token services, and an Aspera node.
///
/// The server stores objects in a directory and verifies every signature.
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
  let stores: StorageServices
  private let services: HTTPService
  private let node: HTTPService
  private let desk: HTTPService
  private let applications: HTTPService
  private let context: CloudContext

  private init(
    storage: Storage, stores: StorageServices, services: HTTPService, node: HTTPService, desk: HTTPService,
    applications: HTTPService, hostKey: HostKeyFingerprint, _ context: CloudContext
  ) {
    self.storage = storage
    self.stores = stores
    self.services = services
    self.node = node
    self.desk = desk
    self.applications = applications
    transferHostKey = hostKey
    self.context = context
  }

  /// Starts a server, which accepts requests as soon as this function returns.
  ///
  /// - Parameter configuration: The accounts, buckets, ports and other settings.
  /// - Returns: The running server; call ``stop()`` when it is no longer needed.
  /// - Throws: ``LocalCloudError`` if the configuration is invalid, a port is in use, or the directory is not writable.
  public static func start(_ configuration: Configuration) async throws -> LocalCloud {
    try configuration.check()
    let storage = try await Storage.open(configuration.root)
    var context = CloudContext(configuration)
    context.callbacks = try configuration.callbacks.map { settings throws(LocalCloudError) in
      try CallbackSender(settings, sleep: configuration.sleep)
    }
    var started: [HTTPService] = []
    do {
      try await storage.createBuckets(configuration.buckets, at: configuration.clock())
      func open(
        _ port: Int, acceptsCancel: Bool = false,
        _ respond:
          @escaping @Sendable @concurrent (Request, consuming ResponseWriter, RequestRecord?) async throws -> Void
      ) async throws -> HTTPService {
        let responder = context.feed.reporting(at: { [context] in context.now }, respond)
        let service = try await HTTPService.start(
          port: port, configuration.limits, acceptsCancel: acceptsCancel, responder)
        started.append(service)
        return service
      }
      let servicesGateway = ServicesGateway(configuration.services, context)
      let aspera = AsperaContext(configuration, storage.node, context)
      try await aspera.prepare(at: configuration.clock())
      let transferGateway = TransferGateway(aspera)
      let stores = try await StorageServices { provider in
        let gateway = Gateway(
          provider.dialect(for: configuration), try storage.store(of: provider), configuration, context)
        return try await open(configuration.port(of: provider)) { try await gateway.respond(to: $0, with: $1, $2) }
      }
      let services = try await open(configuration.services.port) {
        try await servicesGateway.respond(to: $0, with: $1, $2)
      }
      context.callbacks?.keyURL =
        "\(services.endpoint.scheme)://\(services.endpoint.authority)\(CallbackSender.keyPath)"
      let desk = try await open(configuration.aspera.transferPort) {
        try await transferGateway.respond(to: $0, with: $1, $2)
      }
      let nodeAPI = NodeAPI(aspera: aspera, transferPort: desk.port)
      let nodeGateway = NodeGateway(api: nodeAPI, context: context)
      let node = try await open(configuration.aspera.port, acceptsCancel: true) {
        try await nodeGateway.respond(to: $0, with: $1, $2)
      }
      let onCloud = CloudAPI(configuration.aspera.onCloud, aspera, node: node.endpoint)
      try onCloud.prepare(at: configuration.clock())
      let applicationsGateway = ApplicationsGateway(
        onCloud: onCloud,
        faspex: FaspexAPI(configuration.aspera.faspex, aspera, nodeAPI), context: context)
      let applications = try await open(configuration.aspera.applicationsPort) {
        try await applicationsGateway.respond(to: $0, with: $1, $2)
      }
      return LocalCloud(
        storage: storage, stores: stores, services: services, node: node, desk: desk, applications: applications,
        hostKey: aspera.hostKey, context)
    } catch {
      for service in started { await service.stop() }
      await storage.close()
      throw error
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
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    // Stopping must not be cancelled with this task, so it runs in a separate, unstructured task.
    await Task { await cloud.stop() }.value
  }

  /// Stops the server.
  ///
  /// The server accepts no further connections and waits up to two seconds for requests in progress. It removes its
  /// data directory if the directory is temporary.
  public func stop() async {
    await stores.stop()
    await services.stop()
    await node.stop()
    await desk.stop()
    await applications.stop()
    context.feed.finish()
    await storage.close()
  }

  /// The endpoint of the token services, the app server and the instance metadata service: `http://127.0.0.1:…`.
  public var servicesEndpoint: ServiceEndpoint { services.endpoint }

  /// The endpoint of the simulated Aspera Node API: `http://127.0.0.1:…`.
  public var nodeEndpoint: ServiceEndpoint { node.endpoint }

  /// The URL of the simulated Aspera Node API, without a trailing slash.
  public var nodeURL: String { "\(node.endpoint.scheme)://\(node.endpoint.authority)" }

  /// The base URL of the simulated API of Aspera on Cloud, without a trailing slash.
  ///
  /// It stands for `https://api.ibmaspera.com`.
  public var asperaOnCloudURL: String { "\(applications.endpoint.scheme)://\(applications.endpoint.authority)" }

  /// The base URL of the simulated Faspex 5, without a trailing slash.
  ///
  /// It stands for a URL such as `https://faspex.example.com/aspera/faspex`.
  public var faspexURL: String { "\(asperaOnCloudURL)\(FaspexAPI.root)" }

  /// The port of the simulated Aspera transfer server, to which `ascp-simulator` connects instead of the SSH and UDP
  /// ports.
  public var transferPort: Int { desk.port }

  /// The base URL of the token services, the app server and the instance metadata service, without a trailing slash.
  public var servicesURL: String { "\(services.endpoint.scheme)://\(services.endpoint.authority)" }

  /// The URL of the public key with which callbacks are verified, or `nil` if the server sends no callbacks.
  public var callbackKeyURL: String? { context.callbacks?.keyURL }

  /// The statistics since the start of the server.
  public var statistics: Statistics { context.counters.statistics }

  /// Returns the number of writes to each object key of a bucket since the start of the server.
  ///
  /// Uploads, copies and completed multipart uploads count as writes.
  ///
  /// - Parameters:
  ///   - provider: The storage service to which the bucket belongs.
  ///   - bucket: The bucket name.
  /// - Returns: The numbers of writes by object key, including the keys of objects that have since been deleted.
  public func writes(of provider: Provider, in bucket: String) -> [String: Int] {
    context.counters.writes(of: provider, in: bucket)
  }

  /// The faults that the server injects into requests and transfers.
  ///
  /// Changes apply to all later requests.
  public var faults: Faults {
    get { context.injector.faults }
    set { context.injector.faults = newValue }
  }

  /// Returns the temporary credential with a key ID, together with the request for which it was issued.
  ///
  /// - Parameter keyID: The access key ID of the temporary credential.
  /// - Returns: The session, or `nil` if the server never issued the key or has discarded the session.
  public func session(of keyID: AccessKeyID) -> Session? { context.keys.tokens.session(of: keyID) }

  /// The observers of the server's requests.
  var feed: RequestFeed { context.feed }

  /// The path of the server's data directory.
  public var root: String { storage.root.string }
}
