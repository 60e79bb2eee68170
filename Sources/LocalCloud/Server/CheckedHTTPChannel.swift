internal import HTTPServing
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A connection that speaks HTTP/1.1, with a check of the request line that is only possible before it is translated.
struct CheckedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let base: LimitedHTTPChannel

  init(
    _ limits: ConnectionLimits,
    _ respond: @escaping @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void
  ) {
    base = LimitedHTTPChannel(limits) { request, writer, _ in try await respond(request, writer) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    base.setup(channel: channel, logger: logger) { [RequestLineCheck()] }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Empties a request target that is not a path, so that it is refused.
///
/// A target may also be a whole URL. The translation that follows would drop its host and go on with the path alone:
/// then the Host header decides about the bucket, and a proxy in front may have decided by the URL.
private final class RequestLineCheck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/") else {
      context.fireChannelRead(data)
      return
    }
    head.uri = ""
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
