// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// A channel handler that makes a response available which arrives before the request has been sent.
///
/// A service that rejects an upload responds and closes the connection. The bytes that are being sent then fail, and
/// AsyncHTTPClient 1.37.0 discards the response that it has received.
final class EarlyResponse: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The flag whether a response has arrived, which the bytes on their way share.
  private final class Arrival {
    var isAnswered = false
  }

  private var arrival = Arrival()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.status.code >= 300 { arrival.isAnswered = true }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data) { arrival = Arrival() }
    guard let promise else { return context.write(data, promise: nil) }
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { [arrival] result in
      switch result {
      case .failure where arrival.isAnswered: promise.succeed()
      case .failure(let error): promise.fail(error)
      case .success: promise.succeed()
      }
    }
    context.write(data, promise: sent)
  }
}
