public import StorageAuth
internal import SystemPackage

/// OSS and COS on this machine: an HTTP server on loopback that stores objects in a directory and verifies every
/// signature.
///
/// ```swift
/// let key = AccessKey(id: "test-id", secret: "test-secret")
/// let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
/// // … requests to cloud.ossEndpoint and cloud.cosEndpoint, signed with `key` …
/// await cloud.stop()
/// ```
///
/// The two services have a port and buckets of their own and share the accounts.
public final class LocalCloud: Sendable {
  /// A service that the server stands in for.
  public enum Provider: String, Sendable, Hashable, CaseIterable {
    /// Alibaba Cloud OSS.
    case oss
    /// Tencent Cloud COS.
    case cos
  }

  private let storage: Storage
  private let oss: HTTPService
  private let cos: HTTPService
  private let counters: Counters

  private init(storage: Storage, oss: HTTPService, cos: HTTPService, counters: Counters) {
    self.storage = storage
    self.oss = oss
    self.cos = cos
    self.counters = counters
  }

  /// Starts the server; it answers when this returns.
  ///
  /// - Parameter configuration: Accounts, buckets, ports and the rest.
  /// - Returns: The running server; ``stop()`` has to be called in the end.
  /// - Throws: A ``LocalCloudError`` if the configuration cannot be used, and the system's error if a port is taken or
  ///   the directory cannot be written.
  public static func start(_ configuration: Configuration) async throws -> LocalCloud {
    try configuration.check()
    let storage = try await Storage.open(configuration.root)
    let counters = Counters()
    var started: [HTTPService] = []
    do {
      try await storage.createBuckets(configuration.buckets, at: configuration.clock())
      for (provider, port) in [(Provider.oss, configuration.ossPort), (.cos, configuration.cosPort)] {
        let gateway = Gateway(provider, storage.store(of: provider), configuration, counters)
        started.append(try await HTTPService.start(port: port, gateway))
      }
      return LocalCloud(storage: storage, oss: started[0], cos: started[1], counters: counters)
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
  ///   - onReady: Called once, when both services answer.
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
    await oss.stop()
    await cos.stop()
    await storage.close()
  }

  /// Where OSS is: `http://127.0.0.1:…`, path style.
  public var ossEndpoint: ServiceEndpoint { oss.endpoint }

  /// Where COS is: `http://127.0.0.1:…`, path style.
  public var cosEndpoint: ServiceEndpoint { cos.endpoint }

  /// Where a service is.
  public func endpoint(of provider: Provider) -> ServiceEndpoint {
    switch provider {
    case .oss: oss.endpoint
    case .cos: cos.endpoint
    }
  }

  /// What was verified and refused so far.
  public var statistics: Statistics { counters.statistics }

  /// The directory that everything is in.
  public var root: String { storage.root.string }
}
