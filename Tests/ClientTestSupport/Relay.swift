// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
package import NIOSSL

/// A server on loopback that passes the bytes of its connections to another port: at once, or after a request for a
/// tunnel (`CONNECT`), as an HTTP proxy does; with TLS or without.
package struct Relay: Sendable {
  package let port: Int
  /// The first lines of the requests for a tunnel.
  package let tunnels: Collected<String>

  /// Runs a relay for the duration of a function.
  ///
  /// - Parameters:
  ///   - target: The port on loopback to which all connections lead.
  ///   - login: The value of `Proxy-Authorization` that a proxy requires, or `nil` for a relay that is no proxy.
  ///   - tls: The certificate of a relay that decrypts, or `nil`.
  package static func run<Result: Sendable>(
    to target: Int, login: String? = nil, tls: NIOSSLContext? = nil, _ body: (Relay) async throws -> Result
  ) async throws -> Result {
    let tunnels = Collected<String>()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          try channel.pipeline.syncOperations.addHandler(Passage(target: target, login: login, tunnels: tunnels))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    do {
      let result = try await body(Relay(port: channel.localAddress?.port ?? 0, tunnels: tunnels))
      try await channel.close()
      return result
    } catch {
      try? await channel.close()
      throw error
    }
  }
}

/// Passes the bytes of one connection to the target.
private final class Passage: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let target: Int
  private let login: String?
  private let tunnels: Collected<String>
  private var received = ByteBuffer()
  private var isOpening = false
  private var upstream: (any Channel)?

  init(target: Int, login: String?, tunnels: Collected<String>) {
    self.target = target
    self.login = login
    self.tunnels = tunnels
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    if let upstream { return upstream.writeAndFlush(buffer, promise: nil) }
    received.writeBuffer(&buffer)
    guard !isOpening else { return }
    guard let login else { return open(context, answering: nil) }
    let text = String(buffer: received)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return }
    received.clear()
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    tunnels.append(lines[0])
    guard lines.contains(where: { $0.lowercased() == "proxy-authorization: \(login)".lowercased() }) else {
      let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: refusal)), promise: nil)
      return context.close(promise: nil)
    }
    open(context, answering: "HTTP/1.1 200 OK\r\n\r\n")
  }

  func channelInactive(context: ChannelHandlerContext) {
    upstream?.close(promise: nil)
  }

  private func open(_ context: ChannelHandlerContext, answering answer: String?) {
    isOpening = true
    let downstream = context.channel
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Return(to: downstream))
        }
      }
      .connect(host: "127.0.0.1", port: target).assumeIsolated().whenComplete { result in
        guard case .success(let channel) = result else { return downstream.close(promise: nil) }
        self.upstream = channel
        if let answer { downstream.writeAndFlush(ByteBuffer(string: answer), promise: nil) }
        if self.received.readableBytes > 0 { channel.writeAndFlush(self.received, promise: nil) }
      }
  }
}

/// Passes the bytes of the target back.
private final class Return: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let downstream: any Channel

  init(to downstream: any Channel) {
    self.downstream = downstream
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    downstream.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    downstream.close(promise: nil)
  }
}
