// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth

/// The management port for ascp, which is a loopback port that accepts exactly one connection.
///
/// Any other process on this machine can connect before ascp does. In that case, ascp finds the port closed and fails.
/// Data from the other process cannot make a transfer succeed, because ascp's exit status counts as well.
struct ManagementListener: Sendable {
  let port: Int
  private let server: any Channel
  private let connections: AsyncStream<ManagementConnection>

  init() async throws {
    let (connections, continuation) = AsyncStream.makeStream(of: ManagementConnection.self)
    let hasConnection = Lock(false)
    server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
      .serverChannelOption(.backlog, value: 1)
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      // Data are read only as fast as the frames are handled.
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let isFirst = hasConnection.withLock { hasConnection in
            defer { hasConnection = true }
            return !hasConnection
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

  /// Waits for ascp's connection, or until the port is closed, and then closes the port to additional connections.
  func connection() async -> ManagementConnection? {
    let connection = await connections.first { _ in true }
    close()
    return connection
  }

  func close() { server.close(promise: nil) }

  /// Waits until the port is free again; the future of the end of a channel does not fail.
  func waitUntilClosed() async { try? await server.closeFuture.get() }
}

struct ManagementConnection: Sendable {
  private let channel: any Channel
  private let received: AsyncStream<ByteBuffer>

  /// Creates a connection from a channel without automatic reads, on the channel's event loop.
  init(_ channel: any Channel) throws {
    let (received, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    try channel.pipeline.syncOperations.addHandler(Forwarder(to: continuation))
    self.channel = channel
    self.received = received
  }

  /// Reads, with back pressure, until either side closes the connection or the task is cancelled.
  func read(_ receive: (ArraySlice<UInt8>) async -> Void) async {
    for await buffer in received {
      await receive(ArraySlice(buffer.readableBytesView))
      channel.read()
    }
  }

  /// Sends a string to ascp, and waits until the system has accepted the string or the connection has closed.
  ///
  /// A write fails only if the connection has closed, which ends ``read(_:)``.
  func send(_ text: String) async { try? await channel.writeAndFlush(ByteBuffer(string: text)).get() }

  /// Sends a string to ascp without waiting until the system has accepted the string.
  func post(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
  func close() { channel.close(promise: nil) }

  /// A channel handler that forwards the received data, one buffer per requested read.
  private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(to continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

    func channelActive(context: ChannelHandlerContext) {
      context.read()
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
      context.fireChannelInactive()
    }

    /// Closes the connection after any error, so that a connection reset is handled like an ordinary end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
