// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import StorageAuthServer
internal import SystemPackage

/// An HTTP service that listens on one port of the loopback interface.
final class HTTPService: Sendable {
  /// The type of the closure that responds to one request.
  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  /// The time that requests in progress have to finish when the server stops.
  private static let grace = Duration.seconds(2)

  let endpoint: ServiceEndpoint
  let port: Int
  private let server: Server<CheckedHTTPChannel>
  private let work: Task<Void, any Error>

  private init(port: Int, endpoint: ServiceEndpoint, server: Server<CheckedHTTPChannel>, work: Task<Void, any Error>) {
    self.port = port
    self.endpoint = endpoint
    self.server = server
    self.work = work
  }

  /// Binds a port on the loopback interface and starts an HTTP service.
  ///
  /// - Parameters:
  ///   - port: The port, or 0 for any free port.
  ///   - limits: The limits of the service's connections.
  ///   - acceptsCancel: Whether the method ``CancelMethod`` is accepted.
  ///   - respond: The closure that responds to each request.
  /// - Throws: ``LocalCloudError`` if the port cannot be used.
  static func start(
    port: Int, _ limits: ConnectionLimits, acceptsCancel: Bool, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(limits, acceptsCancel: acceptsCancel, respond),
      configuration: ServerConfiguration(
        address: .hostname("127.0.0.1", port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      // The framework logs requests including their authorization, so logging is disabled.
      logger: Logger(label: "localcloud") { _ in SwiftLogNoOpLogHandler() })
    let work = Task {
      defer { bound.finish() }
      try await server.run()
    }
    guard let listening = await ports.first(where: { _ in true }) else {
      do {
        try await work.value
      } catch let error as IOError {
        throw LocalCloudError(
          "Port \(port) of 127.0.0.1 cannot be used: \(Errno(rawValue: error.errnoCode)). Choose another one, or 0 for a free one."
        )
      }
      throw LocalCloudError("The server stopped before it was ready; start it again.")
    }
    return HTTPService(
      port: listening, endpoint: try ServiceEndpoint("http://127.0.0.1:\(listening)", style: .path), server: server,
      work: work)
  }

  /// Stops accepting connections and waits until the open connections are closed, for at most two seconds.
  func stop() async {
    let deadline = Task { [work] in
      try await Task.sleep(for: Self.grace)
      work.cancel()
    }
    try? await server.shutdownGracefully()
    _ = try? await work.value
    deadline.cancel()
  }
}
