// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import StorageAuthServer
internal import SystemPackage

/// An HTTP service that listens on one port.
struct HTTPService: Sendable {
  struct Interface: Sendable {
    static let loopback = Interface(address: "127.0.0.1")
    static let loopbackWithCancel = Interface(address: "127.0.0.1", acceptsCancel: true)

    let address: String
    /// The certificate for HTTPS, or `nil` for HTTP.
    var certificate: ServerCertificate?
    /// Whether requests with the Node API's method `CANCEL` are accepted.
    var acceptsCancel = false

    /// The URL of a port for clients on this machine.
    func url(port: Int) -> String {
      let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address] ?? address
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
      return "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }
  }

  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  private static let shutdownGrace = Duration.seconds(2)

  let endpoint: ServiceEndpoint
  let port: Int
  private let server: Server<CheckedHTTPChannel>
  private let serverTask: Task<Void, any Error>

  /// The URL of the service, without a trailing slash.
  var url: String { "\(endpoint.scheme)://\(endpoint.authority)" }

  /// Starts an HTTP service at a port, or at any free port if it is 0, or throws a ``LocalCloudError``.
  static func start(
    port: Int, at interface: Interface, _ limits: ConnectionLimits, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (boundPorts, portSignal) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(limits, at: interface, respond),
      configuration: ServerConfiguration(
        address: .hostname(interface.address, port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in portSignal.yield(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      // The framework logs requests including their authorization, so logging is disabled.
      logger: Logger(label: "localcloud") { _ in SwiftLogNoOpLogHandler() })
    let serverTask = Task {
      defer { portSignal.finish() }
      try await server.run()
    }
    do {
      let port = try await boundPort(boundPorts, of: serverTask)
      let endpoint = try ServiceEndpoint(interface.url(port: port), style: .path)
      return HTTPService(endpoint: endpoint, port: port, server: server, serverTask: serverTask)
    } catch {
      serverTask.cancel()
      let reason =
        switch error {
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        case is SocketAddressError.UnknownHost: "No such host"
        default: throw error
        }
      throw LocalCloudError(
        "The server cannot listen on \(interface.address), port \(port): \(reason). Choose another address or port; port 0 selects a free one."
      )
    }
  }

  /// Returns the port of a server as soon as it listens, or throws the error that ended the server.
  private static func boundPort(_ ports: AsyncStream<Int>, of serverTask: Task<Void, any Error>) async throws -> Int {
    if let port = await ports.first(where: { _ in true }) { return port }
    // The stream also ends when the task that waits is cancelled.
    try Task.checkCancellation()
    try await serverTask.value
    throw LocalCloudError("The server stopped before it was ready; start it again.")
  }

  /// Stops accepting connections and waits until the open connections are closed, for at most two seconds.
  func stop() async {
    let deadline = Task { [serverTask] in
      try await Task.sleep(for: Self.shutdownGrace)
      serverTask.cancel()
    }
    try? await server.shutdownGracefully()
    _ = try? await serverTask.value
    deadline.cancel()
  }
}
