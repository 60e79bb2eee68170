// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import StorageAuthServer
internal import SystemPackage

/// An HTTP service that listens on one port.
struct HTTPService: Sendable {
  /// The address at which a service listens, and its certificate if it speaks HTTPS.
  struct Interface: Sendable {
    static let loopback = Interface(address: "127.0.0.1", certificate: nil)

    let address: String
    let certificate: ServerCertificate?

    /// The URL of a port for clients on this machine.
    func url(port: Int) -> String {
      let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address] ?? address
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
      return "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }
  }

  /// A closure that handles a request, and writes its response.
  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  /// The time that requests in progress have to finish when the server stops.
  private static let shutdownGrace = Duration.seconds(2)

  let endpoint: ServiceEndpoint
  let port: Int
  private let server: Server<CheckedHTTPChannel>
  private let serverTask: Task<Void, any Error>

  /// The URL of the service, without a trailing slash.
  var url: String { "\(endpoint.scheme)://\(endpoint.authority)" }

  /// Binds a port, or any free port if it is 0, and starts an HTTP service.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - interface: The address, and the certificate for HTTPS.
  ///   - limits: The limits of the connections.
  ///   - acceptsCancel: Whether requests with the Node API's method `CANCEL` are accepted.
  ///   - respond: The closure that handles the requests.
  /// - Throws: A ``LocalCloudError`` if the server cannot listen, and `CancellationError`.
  static func start(
    port: Int, at interface: Interface, _ limits: ConnectionLimits, acceptsCancel: Bool, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (boundPorts, portSignal) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(
        limits, certificate: interface.certificate, acceptsCancel: acceptsCancel, respond),
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
      let reason: String
      switch error {
      case let error as IOError: reason = Errno(rawValue: error.errnoCode).description
      case is SocketAddressError.UnknownHost: reason = "No such host"
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
