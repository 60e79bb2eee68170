public import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1

/// A connection that speaks HTTP/1.1 within ``ConnectionLimits``.
package struct LimitedHTTPChannel: ServerChildChannel {
  /// What the connection is made into.
  package typealias Value = HTTP1Channel.Value

  private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
    maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 200)

  private let base: HTTP1Channel
  private let limits: ConnectionLimits

  /// Makes connections.
  ///
  /// - Parameters:
  ///   - limits: How long a client may keep the connection waiting.
  ///   - responder: Answers a request.
  package init(_ limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
    self.limits = limits
    base = HTTP1Channel(
      responder: responder, configuration: HTTP1Channel.Configuration(httpDecoderConfiguration: Self.headLimits))
  }

  /// Sets a connection up.
  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    setup(channel: channel, logger: logger, checks: { [] })
  }

  /// Sets a connection up, with handlers that see the parts of requests right behind the decoder.
  package func setup(
    channel: any Channel, logger: Logger, checks: @escaping @Sendable () -> [any ChannelHandler]
  ) -> EventLoopFuture<Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { [limits] value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandlers([RequestDeadlines(limits)] + checks(), position: .after(decoder))
      return value
    }
  }

  /// Answers the requests of a connection.
  package func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

extension HTTPServerBuilder {
  /// Makes a server for HTTP/1.1 whose connections keep to limits.
  ///
  /// The number of connections is limited where the server is configured: with
  /// ``ConnectionLimits/availableConnections``.
  public static func http1(_ limits: ConnectionLimits) -> HTTPServerBuilder {
    HTTPServerBuilder { LimitedHTTPChannel(limits, responder: $0) }
  }
}
