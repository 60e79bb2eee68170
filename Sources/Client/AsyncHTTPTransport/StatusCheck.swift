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

  /// The maximum number of header fields in a response.
  ///
  /// The services send about twenty.
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
              ? "The response has \(head.headers.count) header fields; at most \(Self.mostFields) are accepted."
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
  /// Adds a check of each response's head to the HTTP client's connections.
  mutating func checkStatuses() {
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
