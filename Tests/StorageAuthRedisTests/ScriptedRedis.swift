// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import StorageAuth
import XCTest

@testable import StorageAuthRedis

/// A server on loopback that speaks Redis's protocol and answers as its script says.
final class ScriptedRedis: Sendable {
  /// A closure that returns the reply, without its line end, to a command on the connection with a number from 1 on, or
  /// `nil` to close the connection.
  typealias Script = @Sendable (_ connection: Int, _ words: [String]) -> String?

  static let primary = "role:master\r\nuptime_in_seconds:1000\r\n"

  private let channel: any Channel
  private let counter = Counter()

  /// The number of connections that were opened so far.
  var connections: Int { counter.count.withLock { $0 } }

  /// The URL of the server.
  var url: String { "redis://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  init(_ test: XCTestCase, script: @escaping Script) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { [counter] channel in
        let number = counter.next()
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(RedisDecoder()))
          try channel.pipeline.syncOperations.addHandler(Responder(number: number, script: script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    test.addTeardownBlock { [channel] in try? await channel.close() }
  }

  /// Returns the reply to INFO with a text.
  static func information(_ text: String = primary) -> String { "$\(text.utf8.count)\r\n\(text)" }

  /// Returns a new pool of connections.
  func pool(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> RedisPool {
    var configuration = try RedisConfiguration(url: url)
    configuration.commandTimeout = .seconds(5)
    configuration.connectTimeout = .seconds(5)
    change(&configuration)
    return RedisPool(configuration)
  }

  private final class Counter: Sendable {
    let count = Lock(0)

    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  private final class Responder: ChannelInboundHandler {
    typealias InboundIn = RedisValue
    typealias OutboundOut = ByteBuffer

    let number: Int
    let script: Script

    init(number: Int, script: @escaping Script) {
      self.number = number
      self.script = script
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .array(let values) = unwrapInboundIn(data) else { return context.close(promise: nil) }
      guard let reply = script(number, values.map { $0.text ?? "" }) else { return context.close(promise: nil) }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply + "\r\n")), promise: nil)
    }
  }
}
