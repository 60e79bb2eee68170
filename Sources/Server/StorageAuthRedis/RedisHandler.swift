// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A command on its way to the server, and the promise of its reply.
struct RedisRequest: Sendable {
  let command: RedisCommand
  let replyPromise: EventLoopPromise<RedisValue>
}

/// A channel handler that writes commands and assigns the replies, which arrive in the order of the commands.
///
/// It closes the connection to a server that says that it does not serve. The commands that wait for their replies then
/// fail, so that they can be sent to the server that has taken its place.
final class RedisHandler: ChannelDuplexHandler {
  typealias InboundIn = RedisValue
  typealias OutboundIn = RedisRequest
  typealias OutboundOut = ByteBuffer

  /// The initial size of the buffer of a command, in bytes.
  private static let initialCapacity = 256

  private var pendingReplies = CircularBuffer<EventLoopPromise<RedisValue>>()
  /// The reason why the connection has ended, or `nil` while it is open.
  private var closeReason: RedisFailure?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let request = unwrapOutboundIn(data)
    if let closeReason {
      promise?.fail(closeReason)
      return request.replyPromise.fail(closeReason)
    }
    pendingReplies.append(request.replyPromise)
    var buffer = context.channel.allocator.buffer(capacity: Self.initialCapacity)
    request.command.write(to: &buffer)
    context.write(wrapOutboundOut(buffer), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A reply without a command leaves no way to assign those that follow.
    guard let reply = pendingReplies.popFirst() else { return context.close(promise: nil) }
    let value = unwrapInboundIn(data)
    if case .error(let text) = value, case .notServing(let code) = RedisFailure(reply: text) {
      failPendingReplies(with: .notServing(code))
      context.close(promise: nil)
    }
    reply.succeed(value)
  }

  func channelInactive(context: ChannelHandlerContext) {
    failPendingReplies(with: .closed)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failPendingReplies(with: error is RedisDecoder.Malformed ? .malformed : .closed)
    context.close(promise: nil)
  }

  private func failPendingReplies(with failure: RedisFailure) {
    if closeReason == nil { closeReason = failure }
    while let reply = pendingReplies.popFirst() { reply.fail(failure) }
  }
}
