// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A channel handler that closes a connection if its TLS handshake is not complete in time.
///
/// The handler is placed before the TLS handler, so that the connection closes without waiting for the client, and is
/// removed after the handshake.
final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let timeout: Duration
  private let timer = CloseTimer()

  init(_ timeout: Duration) {
    self.timeout = timeout
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer.cancel()
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A server that stops serves no request on a connection whose handshake is not complete.
    if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  private func begin(_ context: ChannelHandlerContext) {
    timer.read = context.eventLoop.now + TimeAmount(timeout)
    timer.schedule(context)
  }
}
