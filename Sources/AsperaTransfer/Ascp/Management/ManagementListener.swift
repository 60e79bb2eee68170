internal import NIOCore
internal import NIOPosix
internal import StorageAuth

/// The management port: a port of the loopback interface that takes one connection and no more.
///
/// Whoever else runs on this machine can connect before ascp does. ascp finds the port closed then and fails, and what
/// the other one sent does not make a transfer succeed, because ascp's exit status counts as well.
struct ManagementListener: Sendable {
  /// The port.
  let port: Int

  private let server: any Channel
  private let connections: AsyncStream<ManagementConnection>

  /// Opens a port that the system chooses.
  ///
  /// - Throws: What NIO does if there is none.
  init() async throws {
    let (connections, continuation) = AsyncStream.makeStream(of: ManagementConnection.self)
    let isTaken = Lock(false)
    server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
      .serverChannelOption(.backlog, value: 1)
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      // What comes is read as fast as it is taken in.
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let isFirst = isTaken.withLock { taken in
            defer { taken = true }
            return !taken
          }
          guard isFirst, channel.remoteAddress?.ipAddress?.hasPrefix("127.") == true else {
            throw ChannelError.ioOnClosedChannel
          }
          continuation.yield(try ManagementConnection(channel))
          continuation.finish()
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    server.closeFuture.whenComplete { _ in continuation.finish() }
    port = server.localAddress?.port ?? 0
    self.connections = connections
  }

  /// Waits for the connection, and closes the port.
  ///
  /// - Returns: The connection; nothing if the port was closed before there was one.
  func connection() async -> ManagementConnection? {
    let connection = await connections.first { _ in true }
    shut()
    return connection
  }

  /// Closes the port, which it is soon.
  func shut() {
    server.close(promise: nil)
  }

  /// Waits until the port is closed.
  func closed() async {
    try? await server.closeFuture.get()
  }
}
