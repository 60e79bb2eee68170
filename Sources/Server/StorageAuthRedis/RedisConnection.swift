// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import StorageAuth

/// An authenticated connection to a Redis server, on which commands are sent without waiting for earlier replies.
final class RedisConnection: Sendable {
  let channel: any Channel
  let information: RedisInformation
  private let commandTimeout: Duration
  private let pendingLimit: Int
  private let pendingCount = Lock(0)

  private init(_ channel: any Channel, _ information: RedisInformation, _ configuration: RedisConfiguration) {
    self.channel = channel
    self.information = information
    commandTimeout = configuration.commandTimeout
    pendingLimit = configuration.pendingLimit
  }

  static func open(_ configuration: RedisConfiguration) async throws(RedisFailure) -> RedisConnection {
    let tlsContext = try configuration.tlsContext()
    let channel: any Channel
    do {
      channel = try await connect(configuration, tlsContext)
    } catch {
      throw .unreachable("no connection within \(configuration.connectTimeout)")
    }
    do throws(RedisFailure) {
      if let password = configuration.password {
        let user = configuration.user.map { [$0] } ?? []
        try await confirmedReply(to: RedisCommand(["AUTH"] + user + [password.reveal()]), on: channel, configuration)
      }
      if configuration.database != 0 {
        try await confirmedReply(to: RedisCommand("SELECT", "\(configuration.database)"), on: channel, configuration)
      }
      let requestTime = NIODeadline.now()
      let report = try await confirmedReply(to: RedisCommand("INFO"), on: channel, configuration)
      return RedisConnection(channel, try RedisInformation(report, openedAt: requestTime), configuration)
    } catch {
      channel.close(promise: nil)
      throw error
    }
  }

  private static func connect(
    _ configuration: RedisConfiguration, _ tlsContext: NIOSSLContext?
  ) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(configuration.connectTimeout))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tlsContext {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tlsContext, serverHostname: configuration.certificateName))
          }
          try channel.pipeline.syncOperations.addHandler(
            ByteToMessageHandler(RedisDecoder(), maximumBufferSize: 2 * RedisDecoder.byteLimit))
          try channel.pipeline.syncOperations.addHandler(RedisHandler())
        }
      }
    switch configuration.address {
    case .host(let host, let port): return try await bootstrap.connect(host: host, port: port).get()
    case .socket(let path): return try await bootstrap.connect(unixDomainSocketPath: path).get()
    }
  }

  /// Sends a command and returns the reply, or throws an error reply.
  @discardableResult private static func confirmedReply(
    to command: RedisCommand, on channel: any Channel, _ configuration: RedisConfiguration
  ) async throws(RedisFailure) -> RedisValue {
    let value = try await reply(to: command, on: channel, within: configuration.commandTimeout)
    if case .error(let text) = value { throw RedisFailure(reply: text) }
    return value
  }

  /// Sends a command and returns the reply, which may be an error; without a reply in time, the connection is closed.
  func reply(to command: RedisCommand) async throws(RedisFailure) -> RedisValue {
    let isFull = pendingCount.withLock { count in
      guard count < pendingLimit else { return true }
      count += 1
      return false
    }
    guard !isFull else { throw .busy }
    defer { pendingCount.withLock { $0 -= 1 } }
    return try await Self.reply(to: command, on: channel, within: commandTimeout)
  }

  private static func reply(
    to command: RedisCommand, on channel: any Channel, within timeout: Duration
  ) async throws(RedisFailure) -> RedisValue {
    let replyPromise = channel.eventLoop.makePromise(of: RedisValue.self)
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
      replyPromise.fail(RedisFailure.timeout)
      channel.close(promise: nil)
    }
    channel.writeAndFlush(RedisRequest(command: command, replyPromise: replyPromise)).whenFailure { error in
      replyPromise.fail(error as? RedisFailure ?? .closed)
    }
    defer { timer.cancel() }
    do {
      return try await replyPromise.futureResult.get()
    } catch {
      throw error as? RedisFailure ?? .closed
    }
  }
}

struct RedisRequest: Sendable {
  let command: RedisCommand
  let replyPromise: EventLoopPromise<RedisValue>
}

/// A channel handler that writes commands and assigns the replies, which arrive in the order of the commands.
///
/// If the server replies that it does not serve, the connection is closed, and all waiting commands fail, so that they
/// can be sent to the server that has taken its place.
final class RedisHandler: ChannelDuplexHandler {
  typealias InboundIn = RedisValue
  typealias OutboundIn = RedisRequest
  typealias OutboundOut = ByteBuffer

  private static let initialCapacity = 256

  private var pendingReplies = CircularBuffer<EventLoopPromise<RedisValue>>()
  private var closeReason: RedisFailure?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let request = unwrapOutboundIn(data)
    if let closeReason {
      promise?.fail(closeReason)
      return request.replyPromise.fail(closeReason)
    }
    pendingReplies.append(request.replyPromise)
    var buffer = context.channel.allocator.buffer(capacity: Self.initialCapacity)
    request.command.write(to: &buffer)
    context.write(wrapOutboundOut(buffer), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A reply without a command leaves no way to assign those that follow.
    guard let reply = pendingReplies.popFirst() else { return context.close(promise: nil) }
    let value = unwrapInboundIn(data)
    if case .error(let text) = value, case .notServing(let code) = RedisFailure(reply: text) {
      failPendingReplies(with: .notServing(code))
      context.close(promise: nil)
    }
    reply.succeed(value)
  }

  func channelInactive(context: ChannelHandlerContext) {
    failPendingReplies(with: .closed)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failPendingReplies(with: error is RedisDecoder.Malformed ? .malformed : .closed)
    context.close(promise: nil)
  }

  private func failPendingReplies(with failure: RedisFailure) {
    if closeReason == nil { closeReason = failure }
    while let reply = pendingReplies.popFirst() { reply.fail(failure) }
  }
}
