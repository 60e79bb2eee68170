internal import HTTPServing
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A connection that speaks HTTP/1.1, with what is only possible before requests are translated: a check of the request line, and the end
/// of a connection that the client asks for.
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
    base.setup(channel: channel, logger: logger) { [RequestLineCheck(), ConnectionLifetime()] }
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

/// Ends a connection after the answer to the request that asks for it: by `Connection: close` in any spelling, or by being
/// of HTTP/1.0 without `keep-alive` (RFC 9112, 9.3); and after an answer that says `Connection: close` itself.
///
/// What arrives behind such a request is not read. Only the sending side is closed, so that a client which is still
/// sending gets its answer.
private final class ConnectionLifetime: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// What an answer says about the connection.
  private enum Word {
    case nothing, keepAlive, close
  }

  private var awaited = CircularBuffer<Word>()
  private var isLast = false
  private var hasReadLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case _ where hasReadLast: return
    case .head(let head):
      isLast = !head.isKeepAlive
      awaited.append(isLast ? .close : head.version == .http1_0 ? .keepAlive : .nothing)
    case .body: break
    case .end: hasReadLast = isLast
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      if !awaited.isEmpty, head.headers["connection"].contains("close") {
        awaited[awaited.startIndex] = .close
        hasReadLast = true
      }
      switch awaited.first {
      case .close: head.headers.replaceOrAdd(name: "connection", value: "close")
      case .keepAlive: head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
      case .nothing, nil: break
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end where awaited.popFirst() == .close:
      context.writeAndFlush(data, promise: promise)
      context.close(mode: .output, promise: nil)
    default:
      context.write(data, promise: promise)
    }
  }
}
