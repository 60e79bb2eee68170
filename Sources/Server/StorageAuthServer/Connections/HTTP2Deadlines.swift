// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTPTypes

/// A channel handler that closes an HTTP/2 connection if the client keeps the server waiting for too long.
///
/// It is placed directly after the TLS handler, and does not interpret frames. ``RequestDeadlines`` limits each stream;
/// this handler limits the time without streams, the time for which the client reads no bytes, and the time until the
/// connection ends when the server stops.
final class HTTP2Deadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let limits: ConnectionLimits
  private let timer = CloseTimer()
  private var openStreams = 0
  private var context: ChannelHandlerContext?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    timer.readDeadline = context.eventLoop.now + TimeAmount(limits.headTimeout)
    timer.schedule(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer.cancel()
    self.context = nil
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer.writeDeadline = context.channel.isWritable ? nil : context.eventLoop.now + TimeAmount(limits.writeTimeout)
    timer.schedule(context)
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      timer.endDeadline = context.eventLoop.now + TimeAmount(limits.idleTimeout)
      timer.schedule(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: Streams

  func streamOpened() {
    openStreams += 1
    timer.readDeadline = nil
  }

  func streamClosed() {
    openStreams -= 1
    guard openStreams == 0, let context else { return }
    // After the idle time the server announces the end of the connection, which a client has to confirm.
    timer.readDeadline = context.eventLoop.now + TimeAmount(limits.idleTimeout + limits.headTimeout)
    timer.schedule(context)
  }
}

/// A channel handler that reports the opening and the end of a stream to the deadlines of its connection.
final class StreamCounter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private var connection: HTTP2Deadlines?

  func handlerAdded(context: ChannelHandlerContext) {
    // Without the deadlines of its connection, there is no receiver of the report.
    connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: HTTP2Deadlines.self)
    connection?.streamOpened()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    connection?.streamClosed()
    connection = nil
  }
}
