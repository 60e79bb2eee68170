// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth

/// A channel handler that closes a connection before AsyncHTTPClient receives a response that it cannot process.
///
/// NIO's parser accepts any three digits as a status, but a status below 100 is invalid (RFC 9110, section 15).
/// AsyncHTTPClient 1.37.0 treats such a response as informational, receives the end of the message after it, and
/// terminates the process: "How can we receive a response end". `HTTPTypes` terminates the process on more than 65,535
/// header fields.
final class StatusCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  /// The maximum number of header fields in a response; the services send about twenty.
  private static let fieldLimit = 1_000

  private var isBroken = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isBroken else { return }
    if case .head(let head) = unwrapInboundIn(data) {
      let status = head.status.code
      if !(100...999).contains(status) || head.headers.count > Self.fieldLimit {
        isBroken = true
        context.fireErrorCaught(
          TransportError(
            .connectionLost,
            head.headers.count > Self.fieldLimit
              ? "The response has \(head.headers.count) header fields; at most \(Self.fieldLimit) are accepted."
              : "The response has the status \(status), which is not valid in HTTP.",
            remedy: "Check that the endpoint is the service itself and not a broken proxy."))
        context.close(promise: nil)
        return
      }
    }
    context.fireChannelRead(data)
  }
}

extension HTTPClient.Configuration {
  /// Adds the handlers of responses to the connections of the HTTP client.
  mutating func addResponseHandlers() {
    http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.submit {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(StatusCheck(), position: .after(decoder))
        try pipeline.addHandler(EarlyResponse(), position: .after(decoder))
      }
    }
  }
}

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
