// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// The method `CANCEL`, with which IBM's client aspera-cli cancels a transfer of a node.
///
/// The HTTP parser rejects methods that are not registered. The beginning of such a request is therefore replaced by
/// that of a request with the method `DELETE`, which has the same meaning and the same length.
enum CancelMethod {
  private static let (sent, read) = ("CANCEL /ops/transfers/", "DELETE")

  /// Whether the next byte on a connection begins a request; used only on the connection's event loop.
  private final class Position {
    var isBetweenRequests = true
  }

  /// Adds the handlers that replace the method to a connection with an HTTP decoder.
  ///
  /// The function must be called on the connection's event loop.
  static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let position = Position()
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(Replacement(position), position: .before(decoder))
    try pipeline.addHandler(EndOfRequest(position), position: .after(decoder))
  }

  /// A handler that replaces the method in the first bytes of a request.
  private final class Replacement: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let position: Position

    init(_ position: Position) {
      self.position = position
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      if position.isBetweenRequests, buffer.readableBytesView.starts(with: CancelMethod.sent.utf8) {
        buffer.setString(CancelMethod.read, at: buffer.readerIndex)
      }
      position.isBetweenRequests = false
      context.fireChannelRead(wrapInboundOut(buffer))
    }
  }

  /// A handler that notes the end of each request.
  private final class EndOfRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let position: Position

    init(_ position: Position) {
      self.position = position
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .end = unwrapInboundIn(data) { position.isBetweenRequests = true }
      context.fireChannelRead(data)
    }
  }
}
