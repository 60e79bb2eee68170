// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A channel handler that fails a request for which no bytes are sent or received for too long.
///
/// AsyncHTTPClient's own limits schedule and cancel several tasks for each request. This handler leaves one in place,
/// which schedules itself again when it is early. The limits and the errors are the same.
final class IdleLimit: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The part of the exchange that must make progress: none, the sending of the request, or the response.
  private enum Phase { case idle, sending, receiving }

  private let limit: TimeAmount
  private var phase = Phase.idle
  /// The time until which the next bytes must have been sent or received, or `nil` if the client waits for neither.
  private var deadline: NIODeadline?
  /// The number of bytes that the connection had not sent when the deadline passed last; a peer that reads changes it.
  private var unsentCount = 0
  private var timer: Scheduled<Void>?
  /// The error of the exceeded limit, or `nil`.
  private var exceeded: HTTPClientError?

  init(_ limit: TimeAmount) { self.limit = limit }

  func handlerRemoved(context: ChannelHandlerContext) { cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head:
      phase = .sending
      extendDeadline(context)
    case .body:
      if phase == .sending { extendDeadline(context) }
    case .end:
      // The whole response may have arrived before the end of the request.
      if phase == .sending {
        phase = .receiving
        extendDeadline(context)
      }
    }
    context.write(data, promise: promise.map { naming($0, context) })
  }

  /// Returns a promise that fails with the exceeded limit, and not with the end of the connection that follows from it.
  ///
  /// AsyncHTTPClient reports the first error, and closes the connection before it reports that of this handler.
  private func naming(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
    // Bytes that the connection accepts at once are written before a limit can be exceeded.
    guard !context.channel.isWritable else { return promise }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [self] result in
      switch result {
      case .success: promise.succeed()
      case .failure(let cause): promise.fail(exceeded ?? cause)
      }
    }
    return written
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if phase == .sending { extendDeadline(context) }
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head, .body:
      // A response can arrive while the request is sent.
      if phase != .idle { extendDeadline(context) }
    case .end:
      phase = .idle
      deadline = nil
    }
    context.fireChannelRead(data)
  }

  private func extendDeadline(_ context: ChannelHandlerContext, unsentCount: Int = 0) {
    let nextDeadline = context.eventLoop.now + limit
    (deadline, self.unsentCount) = (nextDeadline, unsentCount)
    // The limit is constant, so that the time of the timer is never after the deadline.
    if timer == nil { schedule(at: nextDeadline, context) }
  }

  private func schedule(at time: NIODeadline, _ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.failIfDue(context) }
  }

  /// Fails the request if the deadline has passed, or schedules the timer again if the deadline was extended.
  ///
  /// A large body is one write, so that only the number of unsent bytes shows whether the peer still reads.
  private func failIfDue(_ context: ChannelHandlerContext) {
    timer = nil
    guard let deadline else { return }
    guard deadline <= context.eventLoop.now else { return schedule(at: deadline, context) }
    // A channel of Network.framework traps at the option. There, only a writable one shows that the peer reads.
    let tellsUnsentCount = MultiThreadedEventLoopGroup.currentEventLoop != nil
    guard tellsUnsentCount || context.channel.isWritable else { return extendDeadline(context) }
    let option = ChannelOptions.bufferedWritableBytes
    let unsentCount = tellsUnsentCount ? (try? context.channel.syncOptions?.getOption(option)) ?? 0 : 0
    guard unsentCount == self.unsentCount else { return extendDeadline(context, unsentCount: unsentCount) }
    let error: HTTPClientError = phase == .sending ? .writeTimeout : .readTimeout
    (phase, self.deadline, exceeded) = (.idle, nil, error)
    context.fireErrorCaught(error)
  }

  private func cancel() {
    timer?.cancel()
    (timer, deadline, phase) = (nil, nil, .idle)
  }
}
