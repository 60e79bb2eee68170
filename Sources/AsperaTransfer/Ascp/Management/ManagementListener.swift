// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import StorageAuth

/// The management port: a port of the loopback interface that accepts exactly one connection.
///
/// Any other process on this machine can connect before ascp does. ascp then finds the port closed and fails. Data from
/// the other process cannot make a transfer succeed, because ascp's exit status counts as well.
struct ManagementListener: Sendable {
  /// The number of the port.
  let port: Int

  private let server: any Channel
  private let connections: AsyncStream<ManagementConnection>

  /// Opens a port that the system chooses.
  ///
  /// - Throws: NIO's error if no port can be opened.
  init() async throws {
    let (connections, continuation) = AsyncStream.makeStream(of: ManagementConnection.self)
    let isTaken = Lock(false)
    server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
      .serverChannelOption(.backlog, value: 1)
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      // Reads only as fast as the frames are handled.
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
  /// - Returns: The connection, or `nil` if the port was closed before there was one.
  func connection() async -> ManagementConnection? {
    let connection = await connections.first { _ in true }
    shut()
    return connection
  }

  /// Starts closing the port.
  func shut() {
    server.close(promise: nil)
  }

  /// Waits until the port is closed.
  func closed() async {
    try? await server.closeFuture.get()
  }
}
