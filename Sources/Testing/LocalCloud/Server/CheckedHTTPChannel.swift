// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuthServer

/// An HTTP/1.1 connection that closes itself after the last response.
///
/// This needs the request in its original form, before it is converted to the types of swift-http-types. A request target
/// that cannot be read arrives as an empty path.
struct CheckedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let base: LimitedHTTPChannel
  private let acceptsCancel: Bool
  private let certificate: ServerCertificate?

  init(
    _ limits: ConnectionLimits, certificate: ServerCertificate?, acceptsCancel: Bool,
    _ respond: @escaping @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void
  ) {
    self.acceptsCancel = acceptsCancel
    self.certificate = certificate
    base = LimitedHTTPChannel(limits) { request, writer, _ in try await respond(request, writer) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      if let certificate { try channel.pipeline.syncOperations.addHandler(certificate.makeHandler()) }
    }.flatMap { [base] in
      base.setup(channel: channel, logger: logger) { [ConnectionLifetime()] }
    }.flatMapThrowing { [acceptsCancel] value in
      if acceptsCancel { try CancelMethod.addHandlers(to: channel.pipeline.syncOperations) }
      return value
    }
  }

  func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// A handler that closes the sending side of a connection after the last response.
///
/// A response is the last response if it contains `Connection: close`, or if it answers a request with
/// `Connection: close` (in any case) or an HTTP/1.0 request without `keep-alive` (RFC 9112, section 9.3). The handler
/// discards data that arrives after such a request. Only the sending side is closed, so that a client that is still
/// sending receives the response.
private final class ConnectionLifetime: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The values of `Connection` in the responses to the requests that arrived, or `nil` for no such header.
  private var requestedOptions = CircularBuffer<String?>()
  private var isLast = false
  private var hasReadLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case _ where hasReadLast: return
    case .head(let head):
      isLast = !head.isKeepAlive
      requestedOptions.append(isLast ? "close" : head.version == .http1_0 ? "keep-alive" : nil)
    case .body: break
    case .end: hasReadLast = isLast
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
    default:
      context.write(data, promise: promise)
    }
  }
}
