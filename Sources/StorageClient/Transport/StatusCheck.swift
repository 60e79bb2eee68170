internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth

/// Ends a connection whose answer AsyncHTTPClient cannot take, before AsyncHTTPClient sees the answer.
///
/// A status below 100 is three digits to the parser of NIO and no status to HTTP (RFC 9110, 15). AsyncHTTPClient 1.37.0
/// takes it for an interim answer, sees the end of the message after it, and ends the process: "How can we receive a
/// response end". `HTTPTypes` ends the process on more than 65,535 fields.
final class StatusCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  /// The most fields of the head of an answer; the services send some twenty.
  private static let mostFields = 1_000

  private var isBroken = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isBroken else { return }
    if case .head(let head) = unwrapInboundIn(data) {
      let status = head.status.code
      if !(100...999).contains(status) || head.headers.count > Self.mostFields {
        isBroken = true
        context.fireErrorCaught(
          TransportError(
            .connectionLost,
            head.headers.count > Self.mostFields
              ? "The answer has \(head.headers.count) header fields; at most \(Self.mostFields) are taken."
              : "The answer has the status \(status), which HTTP does not know.",
            remedy: "Check that the endpoint is the service itself and not a broken proxy."))
        context.close(promise: nil)
        return
      }
    }
    context.fireChannelRead(data)
  }
}

extension HTTPClient.Configuration {
  /// Has the connections check answers before the client reads them.
  mutating func checkStatuses() {
    http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.submit {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(StatusCheck(), position: .after(decoder))
      }
    }
  }
}
