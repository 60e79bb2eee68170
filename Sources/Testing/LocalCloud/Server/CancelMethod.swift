// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// The method `CANCEL`, with which IBM's client aspera-cli cancels a transfer of a node.
///
/// The HTTP parser rejects methods that are not registered. The beginning of such a request is therefore replaced by
/// that of a request with the method `DELETE`, which has the same meaning and the same length.
enum CancelMethod {
  private static let (sent, read) = (Array("CANCEL /ops/transfers/".utf8), "DELETE")

  /// Whether the next byte on a connection begins a request; used only on the connection's event loop.
  private final class Position {
    var isBetweenRequests = true
  }

  /// Adds the handlers to a connection with an HTTP decoder, on the connection's event loop.
  static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let position = Position()
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(Replacement(position), position: .before(decoder))
    try pipeline.addHandler(EndOfRequest(position), position: .after(decoder))
  }

  /// A handler that replaces the method in the first bytes of a request.
  ///
  /// Bytes with which such a request can begin are passed on separately, so that the decoder has read everything that
  /// precedes them, and it is known whether a request begins there.
  private final class Replacement: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let position: Position
    /// The first bytes of a request, as long as they can be the beginning of the method.
    private var beginning = ByteBuffer()

    init(_ position: Position) {
      self.position = position
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var arrived = unwrapInboundIn(data)
      var buffer = beginning
      beginning.clear()
      buffer.writeBuffer(&arrived)
      while buffer.readableBytes > 0 {
        if position.isBetweenRequests, CancelMethod.canBegin(buffer.readableBytesView) {
          guard buffer.readableBytes >= CancelMethod.sent.count else {
            beginning = buffer
            return
          }
          buffer.setString(CancelMethod.read, at: buffer.readerIndex)
        }
        let bytes = buffer.readableBytesView
        let next = bytes.indices.dropFirst().first { CancelMethod.canBegin(bytes[$0...]) } ?? bytes.endIndex
        guard let piece = buffer.readSlice(length: bytes.distance(from: bytes.startIndex, to: next)) else { return }
        position.isBetweenRequests = false
        context.fireChannelRead(wrapInboundOut(piece))
      }
    }
  }

  /// Returns whether bytes begin with those of the method, or are the first ones of them.
  private static func canBegin(_ bytes: ByteBufferView) -> Bool { zip(bytes, sent).allSatisfy { $0 == $1 } }

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
