// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// A server on loopback that records the heads that it receives byte for byte and sends the same text as every
/// response.
package struct WireServer: Sendable {
  package let port: Int
  package let heads: Collected<String>

  /// Runs a server for the duration of a function.
  package static func run<Result: Sendable>(
    answering answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"E\"\r\nx-oss-request-id: R\r\n\r\n",
    _ body: (WireServer) async throws -> Result
  ) async throws -> Result {
    let heads = Collected<String>()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(HeadRecorder(heads: heads, answer: answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    do {
      let result = try await body(WireServer(port: channel.localAddress?.port ?? 0, heads: heads))
      try await channel.close()
      return result
    } catch {
      try? await channel.close()
      throw error
    }
  }
}

/// Responds as soon as a head is complete.
private final class HeadRecorder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let heads: Collected<String>
  private let answer: String
  private var received = ""

  init(heads: Collected<String>, answer: String) {
    self.heads = heads
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += String(buffer: unwrapInboundIn(data))
    guard let end = received.firstRange(of: "\r\n\r\n") else { return }
    heads.append(String(received[..<end.lowerBound]))
    received = ""
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
  }
}
