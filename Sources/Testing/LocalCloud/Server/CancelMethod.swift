// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// The method `CANCEL`, with which IBM's client aspera-cli cancels a transfer of a node.
///
/// The HTTP parser rejects methods that are not registered. The method is therefore replaced by `DELETE`, which has the
/// same meaning and the same length.
enum CancelMethod {
  private static let requestStart = Array("CANCEL /ops/transfers/".utf8)
  private static let substitute = "DELETE"

  static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let replacement = Replacement()
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(replacement, position: .before(decoder))
    try pipeline.addHandler(EndOfRequest(replacement), position: .after(decoder))
  }

  /// A handler that replaces the method in the first bytes of a request.
  ///
  /// Before bytes that can begin such a request, it passes on everything else. The decoder then reads the end of the
  /// previous request, if there is one, which shows whether a request begins with these bytes.
  private final class Replacement: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Whether the next byte on the connection begins a request.
    var isBetweenRequests = true
    /// The first bytes of a request, as long as they can be the beginning of the method.
    private var beginning = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var arrived = unwrapInboundIn(data)
      var buffer = beginning
      beginning.clear()
      buffer.writeBuffer(&arrived)
      while buffer.readableBytes > 0 {
        if isBetweenRequests, CancelMethod.canBegin(buffer.readableBytesView) {
          guard buffer.readableBytes >= CancelMethod.requestStart.count else {
            beginning = buffer
            return
          }
          buffer.setString(CancelMethod.substitute, at: buffer.readerIndex)
        }
        let bytes = buffer.readableBytesView
        let next = bytes.indices.dropFirst().first { CancelMethod.canBegin(bytes[$0...]) } ?? bytes.endIndex
        guard let piece = buffer.readSlice(length: bytes.distance(from: bytes.startIndex, to: next)) else { return }
        isBetweenRequests = false
        context.fireChannelRead(wrapInboundOut(piece))
      }
    }
  }

  /// Returns whether a request with the method can begin with some bytes, which may be too few to decide it.
  private static func canBegin(_ bytes: ByteBufferView) -> Bool { zip(bytes, requestStart).allSatisfy { $0 == $1 } }

  private final class EndOfRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let replacement: Replacement

    init(_ replacement: Replacement) { self.replacement = replacement }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .end = unwrapInboundIn(data) { replacement.isBetweenRequests = true }
      context.fireChannelRead(data)
    }
  }
}
