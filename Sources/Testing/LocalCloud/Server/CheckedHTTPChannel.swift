// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuthServer

/// An HTTP/1.1 connection that closes itself after the last response.
///
/// A request target that cannot be read arrives as an empty path.
struct CheckedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let base: LimitedHTTPChannel
  private let interface: HTTPService.Interface

  init(_ limits: ConnectionLimits, at interface: HTTPService.Interface, _ respond: @escaping HTTPService.Responder) {
    self.interface = interface
    base = LimitedHTTPChannel(limits) { request, writer, _ in try await respond(request, writer) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      if let certificate = interface.certificate {
        try channel.pipeline.syncOperations.addHandler(certificate.makeHandler())
      }
    }.flatMap { [base] in
      base.setup(channel: channel, logger: logger) { [ConnectionLifetime()] }
    }.flatMapThrowing { [interface] value in
      if interface.acceptsCancel { try CancelMethod.addHandlers(to: channel.pipeline.syncOperations) }
      return value
    }
  }

  func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// A handler that closes the sending side of a connection after the last response.
///
/// The last response is one with `Connection: close`, or one to a request with `Connection: close` (in any letter case)
/// or to an HTTP/1.0 request without `keep-alive` (RFC 9112, section 9.3). The handler discards what arrives after such
/// a request. The receiving side stays open, so that a client that is still sending receives the response. It handles
/// requests before their conversion to the types of swift-http-types, which have no HTTP version.
private final class ConnectionLifetime: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The values of `Connection` in the responses to the requests that arrived, or `nil` for no such header.
  private var requestedOptions = CircularBuffer<String?>()
  private var isReadingLast = false
  private var hasReadLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case _ where hasReadLast: return
    case .head(let head):
      isReadingLast = !head.isKeepAlive
      requestedOptions.append(isReadingLast ? "close" : head.version == .http1_0 ? "keep-alive" : nil)
    case .body: break
    case .end: hasReadLast = isReadingLast
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      if !requestedOptions.isEmpty, head.headers["connection"].contains("close") {
        requestedOptions[requestedOptions.startIndex] = "close"
        hasReadLast = true
      }
      if let option = requestedOptions.first ?? nil { head.headers.replaceOrAdd(name: "Connection", value: option) }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end where requestedOptions.popFirst() == "close":
      context.writeAndFlush(data, promise: promise)
      context.close(mode: .output, promise: nil)
    default: context.write(data, promise: promise)
    }
  }
}
