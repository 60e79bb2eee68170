// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// A channel handler that closes a connection if the client keeps the server waiting for longer than the limits allow.
///
/// The handler is placed directly after the decoder. It enforces ``ConnectionLimits``, but does not count the time that
/// the server itself takes to respond or to process received bytes.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The part of a request for which the server is waiting.
  private enum Awaited {
    case head, nextHead, body, nothing, closing
  }

  private let limits: ConnectionLimits
  private var awaited = Awaited.head
  private var unansweredRequests = 0
  private var hasPartsInRead = false
  private var isReading = false

  /// The remaining time for the client to send the body, counted from `bodyWaitStart`.
  private var bodyAllowance = Duration.zero
  private var bodyWaitStart: NIODeadline?

  private var readDeadline: NIODeadline?
  private var writeDeadline: NIODeadline?
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?

  init(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  // MARK: Connection

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.task.cancel()
    timer = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    readDeadline = nil
    writeDeadline = nil
    schedule(context)
    context.fireChannelInactive()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .output {
      // The server has finished sending, so the client must close its side of the connection.
      expect(.closing, for: limits.headTimeout, context)
    }
    context.close(mode: mode, promise: promise)
  }

  private func begin(_ context: ChannelHandlerContext) {
    expect(.head, for: limits.headTimeout, context)
  }

  // MARK: Requests

  func read(context: ChannelHandlerContext) {
    isReading = true
    if awaited == .body { resumeBody(context) }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasPartsInRead = true
    switch unwrapInboundIn(data) {
    case .head:
      unansweredRequests += 1
      bodyAllowance = limits.bodyTimeout
      bodyWaitStart = nil
      awaited = .body
      if isReading { resumeBody(context) }
    case .body(let bytes):
      pauseBody(context)
      let earned = Duration.seconds(Double(bytes.readableBytes) / Double(limits.minimumBodyRate))
      bodyAllowance = min(bodyAllowance + earned, limits.bodyTimeout)
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
      expect(.head, for: limits.headTimeout, context)
    }
    hasPartsInRead = false
    context.fireChannelReadComplete()
  }

  private func resumeBody(_ context: ChannelHandlerContext) {
    guard bodyWaitStart == nil else { return }
    bodyWaitStart = context.eventLoop.now
    readDeadline = context.eventLoop.now + TimeAmount(bodyAllowance)
    schedule(context)
  }

  private func pauseBody(_ context: ChannelHandlerContext) {
    guard let start = bodyWaitStart else { return }
    let waited = context.eventLoop.now - start
    bodyAllowance -= .nanoseconds(waited.nanoseconds)
    bodyWaitStart = nil
    readDeadline = nil
    schedule(context)
  }

  private func awaitNextHead(_ context: ChannelHandlerContext) {
    guard awaited != .closing else { return }
    if unansweredRequests > 0 {
      awaited = .nothing
      readDeadline = nil
      schedule(context)
    } else {
      expect(.nextHead, for: limits.idleTimeout, context)
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unansweredRequests = max(0, unansweredRequests - 1)
      if awaited == .nothing { awaitNextHead(context) }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writeDeadline = context.channel.isWritable ? nil : context.eventLoop.now + TimeAmount(limits.writeTimeout)
    schedule(context)
    context.fireChannelWritabilityChanged()
  }

  // MARK: Time

  private func expect(_ awaited: Awaited, for duration: Duration, _ context: ChannelHandlerContext) {
    self.awaited = awaited
    bodyWaitStart = nil
    readDeadline = context.eventLoop.now + TimeAmount(duration)
    schedule(context)
  }

  /// Schedules the timer for the next deadline.
  ///
  /// A timer that fires earlier is left in place and reschedules itself.
  private func schedule(_ context: ChannelHandlerContext) {
    guard let next = [readDeadline, writeDeadline].compactMap(\.self).min() else { return }
    if let timer {
      guard timer.deadline > next else { return }
      timer.task.cancel()
    }
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.goOff(context) }
    timer = (next, task)
  }

  private func goOff(_ context: ChannelHandlerContext) {
    timer = nil
    let now = context.eventLoop.now
    let isLate = [readDeadline, writeDeadline].contains { deadline in deadline.map { $0 <= now } ?? false }
    if isLate {
      context.close(promise: nil)
    } else {
      schedule(context)
    }
  }
}
