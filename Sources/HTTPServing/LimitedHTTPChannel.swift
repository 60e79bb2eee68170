// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1

/// A connection that speaks HTTP/1.1 within ``ConnectionLimits``.
package struct LimitedHTTPChannel: ServerChildChannel {
  /// The value that represents a connection after its setup.
  package typealias Value = HTTP1Channel.Value

  private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
    maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 200)

  private let base: HTTP1Channel
  private let limits: ConnectionLimits

  /// Creates the channel setup.
  ///
  /// - Parameters:
  ///   - limits: The limits on how long a client may keep the connection waiting.
  ///   - responder: The handler that responds to requests.
  package init(_ limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
    self.limits = limits
    base = HTTP1Channel(
      responder: responder, configuration: HTTP1Channel.Configuration(httpDecoderConfiguration: Self.headLimits))
  }

  /// Sets up a connection.
  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    setup(channel: channel, logger: logger, checks: { [] })
  }

  /// Sets up a connection, with additional handlers that receive the parts of requests directly after the decoder.
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

  /// Handles the requests of a connection.
  package func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

extension HTTPServerBuilder {
  /// Returns a builder of an HTTP/1.1 server whose connections are limited.
  ///
  /// The number of connections is not limited here but in the configuration of the server, with
  /// ``ConnectionLimits/availableConnections``.
  ///
  /// - Parameter limits: The limits on how long a client may keep a connection waiting.
  public static func http1(_ limits: ConnectionLimits) -> HTTPServerBuilder {
    HTTPServerBuilder { LimitedHTTPChannel(limits, responder: $0) }
  }
}
