// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth

/// A channel handler that closes a connection before AsyncHTTPClient receives a response that it cannot process.
///
/// NIO's parser accepts any three digits as a status, but a status below 100 is invalid (RFC 9110, section 15).
/// AsyncHTTPClient 1.37.0 treats such a response as informational, receives the end of the message after it, and
/// terminates the process: "How can we receive a response end". `HTTPTypes` does so on more than 65,535 header fields.
final class ResponseHeadCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  /// The maximum number of header fields in a response; the services send about twenty.
  private static let fieldLimit = 1_000

  private var isRejected = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRejected else { return }
    guard case .head(let head) = unwrapInboundIn(data), let problem = problem(in: head) else {
      return context.fireChannelRead(data)
    }
    isRejected = true
    context.fireErrorCaught(
      TransportError(
        .connectionLost, problem, remedy: "Check that the endpoint is the service itself and not a broken proxy."))
    context.close(promise: nil)
  }

  private func problem(in head: HTTPResponseHead) -> String? {
    if head.headers.count > Self.fieldLimit {
      return "The response has \(head.headers.count) header fields; at most \(Self.fieldLimit) are accepted."
    }
    if (100...999).contains(head.status.code) { return nil }
    return "The response has the status \(head.status.code), which is not valid in HTTP."
  }
}

extension HTTPClient.Configuration {
  mutating func addHandlers(idleLimit: TimeAmount) {
    // Despite its name, this is AsyncHTTPClient's only public hook with access to the pipeline of a connection.
    http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.submit {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandlers(
          [IdleLimit(idleLimit), EarlyResponseHandler(), ResponseHeadCheck()], position: .after(decoder))
      }
    }
  }
}

/// A channel handler that makes AsyncHTTPClient deliver a response that arrives before the request has been sent.
///
/// A service that rejects an upload responds and closes the connection. The bytes that are being sent then fail, and
/// AsyncHTTPClient 1.37.0 discards the response that it has received.
final class EarlyResponseHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// A flag, shared by a request's pending writes, that a redirect or an error (a status from 300) has arrived.
  private final class UnsuccessfulResponseFlag { var hasArrived = false }

  private var unsuccessfulResponse = UnsuccessfulResponseFlag()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.status.code >= 300 { unsuccessfulResponse.hasArrived = true }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data) { unsuccessfulResponse = UnsuccessfulResponseFlag() }
    guard let promise else { return context.write(data, promise: nil) }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [unsuccessfulResponse] result in
      switch result {
      // A failed write makes AsyncHTTPClient fail the request; a finished one makes it deliver the response.
      case .failure where unsuccessfulResponse.hasArrived: promise.succeed()
      case .failure(let error): promise.fail(error)
      case .success: promise.succeed()
      }
    }
    context.write(data, promise: written)
  }
}
