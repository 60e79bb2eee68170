// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// A TLS connection with the negotiated protocol, HTTP/1.1 or HTTP/2, that enforces ``ConnectionLimits``.
struct SecureHTTPChannel: ServerChildChannel {
  /// A connection whose protocol is known after its TLS handshake.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let connection: EventLoopFuture<Connection>
  }

  enum Connection: Sendable {
    case http1(LimitedHTTPChannel.Value)
    case http2(HTTP2Channel.Value)
  }

  private let limits: ConnectionLimits
  private let certificate: ServerCertificate
  private let allowsHTTP2: Bool
  private let http1: LimitedHTTPChannel
  private let http2: HTTP2Channel

  init(
    _ limits: ConnectionLimits, certificate: ServerCertificate, allowsHTTP2: Bool,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.limits = limits
    self.certificate = certificate
    self.allowsHTTP2 = allowsHTTP2
    http1 = LimitedHTTPChannel(limits, responder: LimitedHTTPChannel.refusingUnreadableTargets(responder))
    let streamLimits = Self.streamLimits(limits)
    http2 = HTTP2Channel(
      responder: responder,
      configuration: HTTP2ChannelConfiguration(
        idleTimeout: limits.idleTimeout, gracefulCloseTimeout: limits.idleTimeout,
        streamConfiguration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [StreamLifetimeReporter(), RequestDeadlines<StreamParts>(streamLimits)])))
  }

  /// Returns the limits of a stream, whose idle time is the time in which the client reads the only response.
  private static func streamLimits(_ connectionLimits: ConnectionLimits) -> ConnectionLimits {
    var limits = connectionLimits
    limits.idleTimeout = connectionLimits.writeTimeout
    return limits
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Connection> { result, channel in
        configure(result, channel: channel, logger: logger)
      }
      try channel.pipeline.syncOperations.addHandlers([
        HandshakeDeadline(limits.headTimeout),
        NIOSSLServerHandler(context: certificate.context(allowsHTTP2: allowsHTTP2)), negotiation,
      ])
      return Value(channel: channel, connection: negotiation.protocolNegotiationResult)
    }
  }

  private func configure(_ result: ALPNResult, channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
    let pipeline = channel.pipeline.syncOperations
    do {
      pipeline.removeHandler(try pipeline.handler(type: HandshakeDeadline.self), promise: nil)
      guard case .negotiated("h2") = result else {
        return http1.setup(channel: channel, logger: logger).map { .http1($0) }
      }
      try pipeline.addHandler(HTTP2Deadlines(limits))
      return http2.setup(channel: channel, logger: logger).map { .http2($0) }
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.connection.get() {
      case .http1(let connection): await http1.handle(value: connection, logger: logger)
      case .http2(let connection): await http2.handle(value: connection, logger: logger)
      }
    } catch {
      logger.debug("A TLS connection was not set up: \(error)")
    }
  }
}

extension HTTPServerBuilder {
  /// Returns a builder for an HTTPS server that limits how long a client may keep a connection waiting.
  ///
  /// The server accepts TLS 1.2 and 1.3. The TLS handshake may take ``ConnectionLimits/headTimeout``, and the head of
  /// the first request as long again. With HTTP/1.1, a URL in the request line is read as by a server of ``http1(_:)``.
  ///
  /// With HTTP/2, the limits on bodies and responses are those of each request. A connection may be without requests
  /// for ``ConnectionLimits/idleTimeout``; then the server announces its end, which the client has to confirm within
  /// ``ConnectionLimits/headTimeout``. When the server stops, a connection ends after ``ConnectionLimits/idleTimeout``
  /// even during a request. A connection has at most 100 concurrent requests, whose headers have at most 16 KiB each,
  /// and ends after 200 requests that the client resets within 30 seconds.
  ///
  /// To limit the number of connections, set ``ConnectionLimits/availableConnections`` in the server's configuration.
  ///
  /// ```swift
  /// let certificate = try ServerCertificate(chain: chain, key: Secret(key))
  /// let limits = ConnectionLimits()
  /// let application = Application(
  ///   router: router, server: .https(limits, certificate: certificate),
  ///   configuration: .init(availableConnectionsDelegate: limits.availableConnections))
  /// ```
  ///
  /// - Parameters:
  ///   - limits: The limits on the time for which a client may keep the server waiting.
  ///   - certificate: The certificate of the server. After its replacement, new connections use the new certificate.
  ///   - allowsHTTP2: Whether clients may choose HTTP/2.
  public static func https(
    _ limits: ConnectionLimits, certificate: ServerCertificate, allowsHTTP2: Bool = true
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { SecureHTTPChannel(limits, certificate: certificate, allowsHTTP2: allowsHTTP2, responder: $0) }
  }
}

/// A channel handler that closes a connection if its TLS handshake is not complete in time.
///
/// It precedes the TLS handler, so that the connection is closed without the client's `close_notify`.
final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let timeout: Duration
  private let timer = CloseTimer()
  init(_ timeout: Duration) { self.timeout = timeout }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { startDeadline(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    startDeadline(context)
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A server that stops serves no request on a connection whose handshake is not complete.
    if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  private func startDeadline(_ context: ChannelHandlerContext) {
    timer.readDeadline = context.eventLoop.now + TimeAmount(timeout)
    timer.schedule(context)
  }
}
