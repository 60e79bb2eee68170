// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// A channel handler that closes a connection if the client keeps the server waiting for longer than the limits allow.
///
/// The handler is placed directly after the decoder of HTTP/1.1, or on a stream of HTTP/2, which it resets instead. It
/// enforces ``ConnectionLimits``, but does not count the time that the server itself takes to respond or to process
/// received bytes.
final class RequestDeadlines<Parts: MessageParts>: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = Parts.Request
  typealias InboundOut = Parts.Request
  typealias OutboundIn = Parts.Response
  typealias OutboundOut = Parts.Response

  /// The part of a request for which the server is waiting.
  private enum Awaited {
    case head, nextHead, body, nothing, closing
  }

  private let limits: ConnectionLimits
  private var awaited = Awaited.head
  private var unansweredRequests = 0
  /// Whether the bytes of the current read completed a part.
  private var hasPartsInRead = false
  /// Whether the server has asked for bytes, so that it is the client who keeps it waiting.
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
    if mode == .output {
      // The server has finished sending, so the client must close its side of the connection.
      awaitPart(.closing, for: limits.headTimeout, context)
    }
    context.close(mode: mode, promise: promise)
  }

  private func awaitFirstHead(_ context: ChannelHandlerContext) {
    awaitPart(.head, for: limits.headTimeout, context)
  }

  // MARK: Requests

  func read(context: ChannelHandlerContext) {
    isReading = true
    if awaited == .body { resumeBody(context) }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasPartsInRead = true
    switch Parts.part(unwrapInboundIn(data)) {
    case .head:
      unansweredRequests += 1
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
    } else if awaited == .nextHead, !hasPartsInRead {
      // The received bytes did not complete a part, so the next head has begun.
      awaitPart(.head, for: limits.headTimeout, context)
    }
    hasPartsInRead = false
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
    if unansweredRequests > 0 {
      awaited = .nothing
      timer.readDeadline = nil
    } else {
      awaitPart(.nextHead, for: limits.idleTimeout, context)
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if Parts.isEnd(unwrapOutboundIn(data)) {
      unansweredRequests = max(0, unansweredRequests - 1)
      if awaited == .nothing { awaitNextHead(context) }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer.writeDeadline = context.channel.isWritable ? nil : context.eventLoop.now + TimeAmount(limits.writeTimeout)
    timer.schedule(context)
    context.fireChannelWritabilityChanged()
  }

  // MARK: Time

  /// Sets the part for which the server waits, and the deadline of the client.
  private func awaitPart(_ awaited: Awaited, for duration: Duration, _ context: ChannelHandlerContext) {
    self.awaited = awaited
    bodyWaitStart = nil
    timer.readDeadline = context.eventLoop.now + TimeAmount(duration)
    timer.schedule(context)
  }
}

/// A part of a request, without its content.
enum RequestPart {
  case head
  case body(byteCount: Int)
  case end
}

/// The parts of requests and responses in the pipeline of a protocol.
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

  static func isEnd(_ value: HTTPServerResponsePart) -> Bool {
    if case .end = value { true } else { false }
  }
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

/// A timer that closes a channel at the earliest of several deadlines.
///
/// A timer that fires before the earliest deadline is left in place and reschedules itself, so that moving a deadline
/// costs no task.
final class CloseTimer {
  /// The time until which the client must have sent what the server waits for, or `nil` if the server does not wait.
  var readDeadline: NIODeadline?

  /// The time until which the client must have read what the server sends, or `nil` if the server does not wait.
  var writeDeadline: NIODeadline?

  /// The time at which the channel ends in any case, or `nil` if there is no such time.
  var endDeadline: NIODeadline?

  private var scheduledClose: (deadline: NIODeadline, task: Scheduled<Void>)?

  private var earliestDeadline: NIODeadline? { [readDeadline, writeDeadline, endDeadline].compactMap(\.self).min() }

  /// Starts the timer after a deadline was set; when one is removed, a timer that fires in vain does no harm.
  func schedule(_ context: ChannelHandlerContext) {
    guard let nextDeadline = earliestDeadline else { return }
    if let scheduledClose {
      guard scheduledClose.deadline > nextDeadline else { return }
      scheduledClose.task.cancel()
    }
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: nextDeadline) { self.closeIfDue(context) }
    scheduledClose = (nextDeadline, task)
  }

  func cancel() {
    scheduledClose?.task.cancel()
    scheduledClose = nil
  }

  private func closeIfDue(_ context: ChannelHandlerContext) {
    scheduledClose = nil
    if let earliestDeadline, earliestDeadline <= context.eventLoop.now {
      context.close(promise: nil)
    } else {
      schedule(context)
    }
  }
}
