// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import StorageAuth
internal import StorageAuthServer

/// An authenticated connection to a Redis server, on which commands follow each other without waiting for replies.
final class RedisConnection: Sendable {
  let channel: any Channel
  let information: RedisInformation
  private let timeout: Duration
  private let limit: Int
  private let pending = Lock(0)

  private init(_ channel: any Channel, _ information: RedisInformation, _ configuration: RedisConfiguration) {
    self.channel = channel
    self.information = information
    timeout = configuration.commandTimeout
    limit = configuration.pendingLimit
  }

  /// Connects to the server, authenticates, selects the database and asks the server about itself.
  static func open(_ configuration: RedisConfiguration) async throws(RedisFailure) -> RedisConnection {
    let channel: any Channel
    do {
      channel = try await connect(configuration)
    } catch {
      throw .unreachable("no connection within \(configuration.connectTimeout)")
    }
    do throws(RedisFailure) {
      if let password = configuration.password {
        let user = configuration.user.map { [$0] } ?? []
        try await perform(RedisCommand(["AUTH"] + user + [password.reveal()]), on: channel, configuration)
      }
      if configuration.database != 0 {
        try await perform(RedisCommand("SELECT", "\(configuration.database)"), on: channel, configuration)
      }
      let asked = NIODeadline.now()
      guard
        let information = try await perform(RedisCommand("INFO"), on: channel, configuration).text
          .flatMap({ RedisInformation($0, opened: asked) })
      else { throw .malformed }
      if let code = information.refusal { throw RedisFailure(reply: code) }
      return RedisConnection(channel, information, configuration)
    } catch {
      channel.close(promise: nil)
      throw error
    }
  }

  private static func connect(_ configuration: RedisConfiguration) async throws -> any Channel {
    let tls = try configuration.usesTLS ? NIOSSLContext(configuration: configuration.tls()) : nil
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(configuration.connectTimeout))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: configuration.certificateName))
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

  @discardableResult
  private static func perform(
    _ command: RedisCommand, on channel: any Channel, _ configuration: RedisConfiguration
  ) async throws(RedisFailure) -> RedisValue {
    let value = try await reply(to: command, on: channel, within: configuration.commandTimeout)
    if case .error(let text) = value { throw RedisFailure(reply: text) }
    return value
  }

  /// Sends a command and returns the reply, which may be an error reply.
  ///
  /// Without a reply in time the connection is closed, because later replies could not arrive either.
  func reply(to command: RedisCommand) async throws(RedisFailure) -> RedisValue {
    let isFull = pending.withLock { pending in
      guard pending < limit else { return true }
      pending += 1
      return false
    }
    guard !isFull else { throw .busy }
    defer { pending.withLock { $0 -= 1 } }
    return try await Self.reply(to: command, on: channel, within: timeout)
  }

  private static func reply(
    to command: RedisCommand, on channel: any Channel, within timeout: Duration
  ) async throws(RedisFailure) -> RedisValue {
    let reply = channel.eventLoop.makePromise(of: RedisValue.self)
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
      reply.fail(RedisFailure.timeout)
      channel.close(promise: nil)
    }
    channel.writeAndFlush(RedisRequest(command: command, reply: reply)).whenFailure { error in
      reply.fail(error as? RedisFailure ?? .closed)
    }
    defer { timer.cancel() }
    do {
      return try await reply.futureResult.get()
    } catch let failure as RedisFailure {
      throw failure
    } catch {
      throw .closed
    }
  }
}

struct RedisRequest: Sendable {
  let command: RedisCommand
  let reply: EventLoopPromise<RedisValue>
}

/// A channel handler that writes commands and assigns the replies, which arrive in the order of the commands.
///
/// It closes the connection to a server that says that it does not serve. The commands that wait for their replies then
/// fail, so that they can be sent to the server that has taken its place.
final class RedisHandler: ChannelDuplexHandler {
  typealias InboundIn = RedisValue
  typealias OutboundIn = RedisRequest
  typealias OutboundOut = ByteBuffer

  private var waiting = CircularBuffer<EventLoopPromise<RedisValue>>()
  /// The reason why the connection has ended, or `nil` while it is open.
  private var end: RedisFailure?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let request = unwrapOutboundIn(data)
    if let end {
      promise?.fail(end)
      return request.reply.fail(end)
    }
    waiting.append(request.reply)
    var buffer = context.channel.allocator.buffer(capacity: 256)
    request.command.write(to: &buffer)
    context.write(wrapOutboundOut(buffer), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let reply = waiting.popFirst() else { return context.close(promise: nil) }
    let value = unwrapInboundIn(data)
    if case .error(let text) = value, case .notServing(let code) = RedisFailure(reply: text) {
      fail(.notServing(code))
      context.close(promise: nil)
    }
    reply.succeed(value)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(.closed)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error is RedisDecoder.Malformed ? .malformed : .closed)
    context.close(promise: nil)
  }

  private func fail(_ failure: RedisFailure) {
    if end == nil { end = failure }
    while let reply = waiting.popFirst() { reply.fail(failure) }
  }
}

/// The report of a Redis server about itself when a connection is opened.
struct RedisInformation: Sendable {
  /// The time at which the connection was opened.
  let opened: NIODeadline
  /// The time for which the server process had run then, in whole seconds.
  private let seconds: Int64
  /// Whether the server removes keys before they expire when its memory is full.
  let evicts: Bool
  /// The error with which the server would refuse to store data, or `nil` if it serves.
  let refusal: String?

  init?(_ text: String, opened: NIODeadline) {
    var fields: [Substring: Substring] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1] }
    }
    guard let seconds = fields["uptime_in_seconds"].flatMap({ Int64(digits: $0) }) else { return nil }
    self.seconds = seconds
    self.opened = opened
    let isBounded = fields["maxmemory"].map { $0 != "0" } ?? false
    let isReplica = fields["role"] == "slave" && fields["slave_read_only"] != "0"
    refusal = fields["loading"] == "1" ? "LOADING" : isReplica ? "READONLY" : nil
    evicts = isBounded && fields["maxmemory_policy"].map { $0 != "noeviction" } ?? false
  }

  /// The time for which the server process has certainly run.
  ///
  /// The server counts whole seconds with its wall clock, so two seconds are subtracted.
  var age: Duration {
    let waited = NIODeadline.now() - opened
    return max(.zero, .seconds(seconds) + .nanoseconds(waited.nanoseconds) - .seconds(2))
  }
}
