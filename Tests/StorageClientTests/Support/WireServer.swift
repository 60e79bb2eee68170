import NIOCore
import NIOPosix

/// A server on loopback that records every byte of the heads it receives and answers each with the same text.
struct WireServer: Sendable {
  let port: Int
  let heads = Collected<String>()

  /// Runs a server as long as a body needs it.
  static func run<Result: Sendable>(
    answering answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    _ body: (WireServer) async throws -> Result
  ) async throws -> Result {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let server = WireServer(port: channel.channel.localAddress?.port ?? 0)
    let serving = Task { try await server.serve(channel, answer: answer) }
    defer { serving.cancel() }
    return try await body(server)
  }

  private func serve(
    _ channel: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>, answer: String
  ) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      try await channel.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { try? await converse(connection, answer: answer) }
        }
      }
    }
  }

  private func converse(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, answer: String) async throws {
    try await connection.executeThenClose { inbound, outbound in
      var received = ""
      for try await chunk in inbound {
        received += String(buffer: chunk)
        guard let end = received.firstRange(of: "\r\n\r\n") else { continue }
        heads.append(String(received[..<end.lowerBound]))
        received = ""
        try await outbound.write(ByteBuffer(string: answer))
      }
    }
  }
}
