internal import HTTPServing
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import SystemPackage

/// One port with one service behind it.
final class HTTPService: Sendable {
  /// Answers one request.
  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  /// How long requests that are under way may take when the server stops.
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

  /// Binds a port on loopback and begins to answer.
  static func start(
    port: Int, _ limits: ConnectionLimits, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(limits, respond),
      configuration: ServerConfiguration(
        address: .hostname("127.0.0.1", port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      // What the framework would log are requests, with their authorization.
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
          "Port \(port) of 127.0.0.1 cannot be used: \(Errno(rawValue: error.errnoCode)). Choose another one; 0 picks one."
        )
      }
      throw LocalCloudError("The server ended before it was ready; start it again.")
    }
    return HTTPService(
      port: listening, endpoint: try ServiceEndpoint("http://127.0.0.1:\(listening)", style: .path), server: server,
      work: work)
  }

  /// Takes no more connections, and waits until those that are there are closed.
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
