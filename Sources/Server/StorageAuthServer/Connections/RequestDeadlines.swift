// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// A channel handler that closes a connection if the client keeps the server waiting for longer than the limits allow.
///
/// The handler follows the decoder of HTTP/1.1, or is on a stream of HTTP/2, which it resets instead. The time that the
/// server itself takes to respond or to process received bytes does not count.
final class RequestDeadlines<Parts: MessageParts>: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = Parts.Request
  typealias InboundOut = Parts.Request
  typealias OutboundIn = Parts.Response
  typealias OutboundOut = Parts.Response

  /// The part of a request, or the end of the connection, for which the server is waiting.
  private enum AwaitedPart { case head, nextHead, body, nothing, closing }

  private let limits: ConnectionLimits
  private var awaited = AwaitedPart.head
  private var unansweredRequestCount = 0
  private var currentReadHasParts = false
  /// Whether the server has asked for bytes, so that the client keeps it waiting.
  private var isReading = false
  /// The remaining time for the client to send the body, counted from `bodyWaitStart`.
  private var bodyAllowance = Duration.zero
  private var bodyWaitStart: NIODeadline?
  private let timer = CloseTimer()
  init(_ limits: ConnectionLimits) { self.limits = limits }

  // MARK: Connection

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { awaitFirstHead(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    awaitFirstHead(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer.readDeadline = nil
    timer.writeDeadline = nil
    context.fireChannelInactive()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // The server has finished sending, so the client must close its side of the connection.
    if mode == .output { awaitReader(.closing, context) }
    context.close(mode: mode, promise: promise)
  }

  private func awaitFirstHead(_ context: ChannelHandlerContext) { awaitPart(.head, for: limits.headTimeout, context) }

  // MARK: Requests

  func read(context: ChannelHandlerContext) {
    isReading = true
    if awaited == .body { resumeBody(context) }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    currentReadHasParts = true
    switch Parts.part(unwrapInboundIn(data)) {
    case .head:
      unansweredRequestCount += 1
      bodyAllowance = limits.bodyTimeout
      bodyWaitStart = nil
      awaited = .body
      if isReading { resumeBody(context) }
    case .body(let byteCount):
      pauseBody(context)
      let earnedTime = Duration.seconds(Double(byteCount) / Double(limits.minimumBodyRate))
      bodyAllowance = min(bodyAllowance + earnedTime, limits.bodyTimeout)
      if isReading, awaited == .body { resumeBody(context) }
    case .end:
      bodyWaitStart = nil
      awaitNextHead(context)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    if awaited == .body {
      pauseBody(context)
    } else if awaited == .nextHead, !currentReadHasParts {
      // The received bytes did not complete a part, so the next head has begun.
      awaitPart(.head, for: limits.headTimeout, context)
    }
    currentReadHasParts = false
    context.fireChannelReadComplete()
  }

  private func resumeBody(_ context: ChannelHandlerContext) {
    guard bodyWaitStart == nil else { return }
    bodyWaitStart = context.eventLoop.now
    timer.readDeadline = context.eventLoop.now + TimeAmount(bodyAllowance)
    timer.schedule(context)
  }

  private func pauseBody(_ context: ChannelHandlerContext) {
    guard let start = bodyWaitStart else { return }
    let waitingTime = context.eventLoop.now - start
    bodyAllowance -= .nanoseconds(waitingTime.nanoseconds)
    bodyWaitStart = nil
    timer.readDeadline = nil
  }

  private func awaitNextHead(_ context: ChannelHandlerContext) {
    guard awaited != .closing else { return }
    if unansweredRequestCount > 0 {
      awaited = .nothing
      timer.readDeadline = nil
    } else {
      awaitReader(.nextHead, context)
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let isEnd = Parts.isEnd(unwrapOutboundIn(data))
    context.write(data, promise: promise)
    guard isEnd else { return }
    unansweredRequestCount = max(0, unansweredRequestCount - 1)
    if awaited == .nothing { awaitNextHead(context) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer.writeDeadline = context.channel.isWritable ? nil : context.eventLoop.now + TimeAmount(limits.writeTimeout)
    if context.channel.isWritable, awaited == .nextHead || awaited == .closing {
      awaitReader(awaited, context)
    } else {
      timer.schedule(context)
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: Time

  /// Waits for the next head or the end of the connection, once the client has read the last response.
  private func awaitReader(_ part: AwaitedPart, _ context: ChannelHandlerContext) {
    if context.channel.isWritable {
      awaitPart(part, for: part == .closing ? limits.headTimeout : limits.idleTimeout, context)
    } else {
      awaited = part
      timer.readDeadline = nil
    }
  }

  private func awaitPart(_ part: AwaitedPart, for duration: Duration, _ context: ChannelHandlerContext) {
    awaited = part
    bodyWaitStart = nil
    timer.readDeadline = context.eventLoop.now + TimeAmount(duration)
    timer.schedule(context)
  }
}

/// A part of a request, without its contents.
enum RequestPart {
  case head
  case body(byteCount: Int)
  case end
}

/// The types of the parts of requests and responses in a pipeline.
protocol MessageParts: SendableMetatype {
  associatedtype Request
  associatedtype Response

  static func part(_ value: Request) -> RequestPart
  static func isEnd(_ value: Response) -> Bool
}

/// The parts directly after the decoder of HTTP/1.1.
enum HTTP1Parts: MessageParts {
  static func part(_ value: HTTPServerRequestPart) -> RequestPart {
    switch value {
    case .head: .head
    case .body(let bytes): .body(byteCount: bytes.readableBytes)
    case .end: .end
    }
  }

  static func isEnd(_ value: HTTPServerResponsePart) -> Bool { if case .end = value { true } else { false } }
}

/// The parts on a stream of HTTP/2.
enum StreamParts: MessageParts {
  static func part(_ value: HTTPRequestPart) -> RequestPart {
    switch value {
    case .head: .head
    case .body(let bytes): .body(byteCount: bytes.readableBytes)
    case .end: .end
    }
  }

  static func isEnd(_ value: HTTPResponsePart) -> Bool { if case .end = value { true } else { false } }
}
