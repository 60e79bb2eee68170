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

  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  /// The time that requests in progress have to finish when the server stops.
  private static let grace = Duration.seconds(2)

  let endpoint: ServiceEndpoint
  let port: Int
  private let server: Server<CheckedHTTPChannel>
  private let serving: Task<Void, any Error>

  /// The URL of the service, without a trailing slash.
  var url: String { "\(endpoint.scheme)://\(endpoint.authority)" }

  /// Binds a port, or any free port if it is 0, and starts an HTTP service.
  static func start(
    port: Int, at interface: Interface, _ limits: ConnectionLimits, acceptsCancel: Bool, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(
        limits, certificate: interface.certificate, acceptsCancel: acceptsCancel, respond),
      configuration: ServerConfiguration(
        address: .hostname(interface.address, port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      // The framework logs requests including their authorization, so logging is disabled.
      logger: Logger(label: "localcloud") { _ in SwiftLogNoOpLogHandler() })
    let serving = Task {
      defer { bound.finish() }
      try await server.run()
    }
    guard let listening = await ports.first(where: { _ in true }) else {
      do {
        try await serving.value
      } catch let error as IOError {
        throw LocalCloudError(
          "Port \(port) of \(interface.address) cannot be used: \(Errno(rawValue: error.errnoCode)). Choose another one, or 0 for a free one."
        )
      }
      throw LocalCloudError("The server stopped before it was ready; start it again.")
    }
    return HTTPService(
      endpoint: try ServiceEndpoint(interface.url(port: listening), style: .path), port: listening, server: server,
      serving: serving)
  }

  /// Stops accepting connections and waits until the open connections are closed, for at most two seconds.
  func stop() async {
    let deadline = Task { [serving] in
      try await Task.sleep(for: Self.grace)
      serving.cancel()
    }
    try? await server.shutdownGracefully()
    _ = try? await serving.value
    deadline.cancel()
  }
}
