// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTPTypes

/// A channel handler that closes an HTTP/2 connection if the client keeps the server waiting for too long.
///
/// It follows the TLS handler, and does not interpret frames. ``RequestDeadlines`` limits each stream; this handler
/// limits the time without streams, the time after which the client has not read enough for the server to write again,
/// and the time until the connection ends when the server stops.
final class HTTP2Deadlines: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let limits: ConnectionLimits
  private let timer = CloseTimer()
  private var openStreamCount = 0
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

  func streamOpened() {
    openStreamCount += 1
    timer.readDeadline = nil
  }

  func streamClosed() {
    openStreamCount -= 1
    guard openStreamCount == 0, let context else { return }
    // Hummingbird sends GOAWAY after `idleTimeout`; the client then has `headTimeout` to acknowledge it.
    timer.readDeadline = context.eventLoop.now + TimeAmount(limits.idleTimeout + limits.headTimeout)
    timer.schedule(context)
  }
}

/// A channel handler that reports the opening and the end of a stream to the ``HTTP2Deadlines`` of its connection.
final class StreamLifetimeReporter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private var deadlines: HTTP2Deadlines?

  func handlerAdded(context: ChannelHandlerContext) {
    deadlines = try? context.channel.parent?.pipeline.syncOperations.handler(type: HTTP2Deadlines.self)
    deadlines?.streamOpened()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadlines?.streamClosed()
    deadlines = nil
  }
}
