// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1

/// The limits on a server's connections: their number, and the time for which a client may keep the server waiting.
///
/// Without these limits, a client that sends half a request, or reads its response byte by byte, holds a connection
/// indefinitely. A few hundred such clients use up the file descriptors that the system grants to a process.
///
/// ```swift
/// let limits = ConnectionLimits()
/// let application = Application(
///   router: router, server: .http1(limits),
///   configuration: .init(availableConnectionsDelegate: limits.availableConnections))
/// ```
public struct ConnectionLimits: Sendable, Hashable {
  /// The maximum number of open connections; additional connections wait in the system's accept queue.
  ///
  /// The server accepts up to four connections that arrive together, so the number can be exceeded by three.
  public var connections: Int

  /// The maximum time for a TLS handshake, and for receiving the head of a request, from the connection's opening, the
  /// handshake's end or the head's first byte.
  public var headTimeout: Duration

  /// The maximum total time for which the server waits for the client while it receives a body.
  ///
  /// Received bytes extend the remaining time, up to this value, by one second for every ``minimumBodyRate`` bytes.
  public var bodyTimeout: Duration

  /// The minimum average rate, in bytes per second, at which a client must send a body.
  public var minimumBodyRate: Int

  /// The maximum time for which a connection may stay open between two requests.
  public var idleTimeout: Duration

  /// The maximum time for which a client may leave a response unread.
  public var writeTimeout: Duration

  /// Creates limits on a server's connections.
  ///
  /// - Parameters:
  ///   - connections: The maximum number of open connections, at least 1.
  ///   - headTimeout: The maximum time for receiving the head of a request.
  ///   - bodyTimeout: The maximum total time for which the server waits for the client while it receives a body.
  ///   - minimumBodyRate: The minimum average rate, in bytes per second, at which a client must send a body; at least
  ///     1.
  ///   - idleTimeout: The maximum time for which a connection may stay open between two requests.
  ///   - writeTimeout: The maximum time for which a client may leave a response unread.
  public init(
    connections: Int = 500, headTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(30),
    minimumBodyRate: Int = 1024, idleTimeout: Duration = .seconds(60), writeTimeout: Duration = .seconds(60)
  ) {
    self.connections = max(1, connections)
    self.headTimeout = headTimeout
    self.bodyTimeout = bodyTimeout
    self.minimumBodyRate = max(1, minimumBodyRate)
    self.idleTimeout = idleTimeout
    self.writeTimeout = writeTimeout
  }

  /// The maximum number of connections, in the form that the configuration of a Hummingbird server requires.
  public var availableConnections: MaximumAvailableConnections {
    MaximumAvailableConnections(connections, logger: Logger(label: "connections") { _ in SwiftLogNoOpLogHandler() })
  }
}

/// An HTTP/1.1 connection that enforces ``ConnectionLimits``, and reads each request target in one way.
package struct LimitedHTTPChannel: ServerChildChannel {
  package typealias Value = HTTP1Channel.Value

  private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
    maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 200)

  private let base: HTTP1Channel
  private let limits: ConnectionLimits

  package init(_ limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
    self.limits = limits
    base = HTTP1Channel(
      responder: responder, configuration: HTTP1Channel.Configuration(httpDecoderConfiguration: Self.headLimits))
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    setup(channel: channel, logger: logger, checks: { [] })
  }

  /// Adds the HTTP/1.1 handlers, the limits and additional handlers to a new connection.
  package func setup(
    channel: any Channel, logger: Logger, checks: @escaping @Sendable () -> [any ChannelHandler]
  ) -> EventLoopFuture<Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { [limits] value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandlers(
        [RequestDeadlines<HTTP1Parts>(limits), RequestTargetReader()] + checks(), position: .after(decoder))
      return value
    }
  }

  package func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

extension HTTPServerBuilder {
  /// Returns a builder for an HTTP/1.1 server that limits how long a client may keep a connection waiting.
  ///
  /// To limit the number of connections, set ``ConnectionLimits/availableConnections`` in the server's configuration.
  ///
  /// If the request line contains a URL, its host is the host of the request (RFC 9112, section 3.2.2). A request whose
  /// `Host` header names another host is refused with the status 400. A server from another builder drops the URL's host
  /// before any middleware sees it.
  ///
  /// - Parameter limits: The limits on the time for which a client may keep the server waiting.
  public static func http1(_ limits: ConnectionLimits) -> HTTPServerBuilder {
    HTTPServerBuilder { LimitedHTTPChannel(limits, responder: LimitedHTTPChannel.refusingUnreadableTargets($0)) }
  }
}

extension LimitedHTTPChannel {
  /// Returns a responder that refuses requests whose target ``RequestTargetReader`` could not read, with the status 400.
  static func refusingUnreadableTargets(
    _ responder: @escaping HTTPChannelHandler.Responder
  ) -> HTTPChannelHandler.Responder {
    { request, writer, channel in
      guard request.head.path?.isEmpty ?? true else { return try await responder(request, writer, channel) }
      let text = "The target of the request is not a path, or names another host than the Host header.\n"
      try await writer.write(
        response: HTTPResponse(
          status: .badRequest, headerFields: [.contentType: "text/plain", .contentLength: "\(text.utf8.count)"]),
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }
}
