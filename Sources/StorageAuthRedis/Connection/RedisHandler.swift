// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A command with the promise of its reply.
struct RedisRequest: Sendable {
  let command: RedisCommand
  let reply: EventLoopPromise<RedisValue>
}

/// A channel handler that writes commands and assigns the replies, which arrive in the order of the commands.
final class RedisHandler: ChannelDuplexHandler {
  typealias InboundIn = RedisValue
  typealias OutboundIn = RedisRequest
  typealias OutboundOut = ByteBuffer

  private var waiting = CircularBuffer<EventLoopPromise<RedisValue>>()
  private var isOpen = true

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let request = unwrapOutboundIn(data)
    guard isOpen else {
      promise?.fail(RedisFailure.closed)
      return request.reply.fail(RedisFailure.closed)
    }
    waiting.append(request.reply)
    var buffer = context.channel.allocator.buffer(capacity: 256)
    request.command.write(to: &buffer)
    context.write(wrapOutboundOut(buffer), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let reply = waiting.popFirst() else { return context.close(promise: nil) }
    reply.succeed(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(.closed)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error is RedisDecoder.Malformed ? .malformed : .closed)
    context.close(promise: nil)
  }

  private func fail(_ failure: RedisFailure) {
    isOpen = false
    while let reply = waiting.popFirst() { reply.fail(failure) }
  }
}
