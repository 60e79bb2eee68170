// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CoreMetrics
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import StorageAuthServer
internal import StorageOperations
internal import SystemPackage

/// A small server with the health and the metrics of another server, for its operators.
struct StatusServer: Service {
  /// The registry of the process, to which all libraries report.
  static let registry = {
    let registry = PrometheusRegistry()
    MetricsSystem.bootstrap(registry)
    return registry
  }()

  let url: String
  private let server: RunningServer
  /// The observers, which feed the registry only as long as they exist.
  private let observers: [StorageMetrics]

  /// Starts the server if the options name a port; `updateMetrics` is called before each reading of the metrics.
  static func start(
    _ options: StatusOptions, _ checks: [HealthCheck] = [], observers: [StorageMetrics] = [],
    updateMetrics: @escaping @Sendable () -> Void = {}
  ) async throws -> StatusServer? {
    guard let port = options.statusPort else { return nil }
    let host = options.statusHost
    let router = Router()
    if options.resolvesToLoopback() { router.add(middleware: LoopbackHostMiddleware()) }
    router.addHealthRoutes(checks)
    router.get("metrics") { _, _ in
      updateMetrics()
      return Response(
        status: .ok, headers: [.contentType: PrometheusRegistry.contentType],
        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
    }
    let server = try await CommandFailure.reportingListenErrors(on: host, port) {
      try await RunningServer(router, host: host, port: port, limits: ConnectionLimits(connections: 50))
    }
    let authority = ServerAddress.authority(host: host, port: server.port)
    return StatusServer(url: "http://\(authority)", server: server, observers: observers)
  }

  func run() async throws {
    // The error is a cancellation, after which the server stops, too.
    try? await gracefulShutdown()
    await stop()
  }

  func stop() async { await server.stop() }
}

struct StatusOptions: ParsableArguments {
  @Option(
    help: .text(
      "Serve /healthz, /readyz and /metrics (for Prometheus) on this port, without a login; 0 for any free port.",
      value: "port"))
  var statusPort: Int?

  @Option(
    help: .text(
      "The address of --status-port, which only the operators should reach. At an address of this machine alone, only "
        + "requests for localhost or 127.0.0.1 are answered; at another one, those for every host name.",
      value: "address"))
  var statusHost = "127.0.0.1"

  /// Returns whether only this machine reaches the address, so that every request must name this machine.
  ///
  /// A name is resolved as the server does it, which blocks, because it can be another spelling of a loopback address.
  func resolvesToLoopback() -> Bool {
    if LoopbackHost.contains(statusHost) { return true }
    let address = try? SocketAddress.makeAddressResolvingHost(statusHost, port: 0).ipAddress
    return address.map { LoopbackHost.contains($0) } ?? false
  }

  func validate() throws {
    guard statusPort != nil || statusHost == "127.0.0.1" else {
      throw ValidationError("--status-host has an effect only with --status-port.")
    }
    try (0...65_535).require(statusPort, of: "--status-port")
  }
}

extension LoopbackHost {
  /// Returns whether a name or an address, for IPv6 without brackets, is one of this machine.
  static func contains(_ host: String) -> Bool { isNamed(by: host) || isNamed(by: "[\(host)]") }
}

/// A server without a log, in a task of its own.
struct RunningServer: Sendable {
  let port: Int
  private let task: Task<Void, any Error>

  init(_ router: Router<BasicRequestContext>, host: String, port: Int, limits: ConnectionLimits) async throws {
    let (ports, started) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, server: .http1(limits),
      configuration: .init(
        address: .hostname(host, port: port), serverName: nil, availableConnectionsDelegate: limits.availableConnections
      ),
      onServerRunning: { started.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
    task = Task {
      defer { started.finish() }
      try await application.run()
    }
    guard let port = await ports.first(where: { _ in true }) else {
      // The stream of ports also ends when the task that waits is cancelled.
      task.cancel()
      try await task.value
      throw CancellationError()
    }
    self.port = port
  }

  func stop() async {
    task.cancel()
    _ = await task.result
  }
}

extension CommandFailure {
  /// Runs a server, and describes the errors of an address at which it cannot listen.
  static func reportingListenErrors<Result>(
    of name: String = "server", on host: String, _ port: Int, _ runServer: () async throws -> Result
  ) async throws -> Result {
    let (address, reason): (String, String)
    do {
      return try await runServer()
    } catch let error as IOError {
      address = ServerAddress.authority(host: host, port: port)
      reason = Errno(rawValue: error.errnoCode).description
    } catch is SocketAddressError.UnknownHost {
      (address, reason) = (host, "No such host")
    }
    throw CommandFailure(
      description:
        "The \(name) cannot listen on \(address): \(reason). Choose another address or port; port 0 selects a free one."
    )
  }
}
