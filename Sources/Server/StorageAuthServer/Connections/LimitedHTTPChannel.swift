// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1

/// An HTTP/1.1 connection that enforces ``ConnectionLimits``, and reads targets with ``RequestTargetReader``.
package struct LimitedHTTPChannel: ServerChildChannel {
  package typealias Value = HTTP1Channel.Value

  /// The limits on the head of a request, with room for several fields as long as a session token of a few KiB.
  private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
    maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 200)

  private let http1Channel: HTTP1Channel
  private let limits: ConnectionLimits

  /// Creates a channel; the responder must refuse an empty target, as that of ``refusingUnreadableTargets(_:)`` does.
  package init(_ limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
    self.limits = limits
    http1Channel = HTTP1Channel(
      responder: responder, configuration: HTTP1Channel.Configuration(httpDecoderConfiguration: Self.headLimits))
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    setup(channel: channel, logger: logger, additionalHandlers: { [] })
  }

  package func setup(
    channel: any Channel, logger: Logger, additionalHandlers: @escaping @Sendable () -> [any ChannelHandler]
  ) -> EventLoopFuture<Value> {
    http1Channel.setup(channel: channel, logger: logger).flatMapThrowing { [limits] value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandlers(
        [RequestDeadlines<HTTP1Parts>(limits), RequestTargetReader()] + additionalHandlers(), position: .after(decoder))
      return value
    }
  }

  package func handle(value: Value, logger: Logger) async {
    await http1Channel.handle(value: value, logger: logger)
  }

  /// Returns a responder that refuses targets that ``RequestTargetReader`` could not read, with the status 400.
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

extension HTTPServerBuilder {
  /// Returns a builder for an HTTP/1.1 server that limits how long a client may keep a connection waiting.
  ///
  /// To limit the number of connections, set ``ConnectionLimits/availableConnections`` in the server's configuration.
  ///
  /// If the request line contains a URL, its host is the host of the request (RFC 9112, section 3.2.2). A request whose
  /// `Host` header names another host is refused with the status 400. A server from another builder drops the URL's
  /// host before any middleware sees it.
  ///
  /// - Parameter limits: The limits on the time for which a client may keep the server waiting.
  public static func http1(_ limits: ConnectionLimits) -> HTTPServerBuilder {
    HTTPServerBuilder { LimitedHTTPChannel(limits, responder: LimitedHTTPChannel.refusingUnreadableTargets($0)) }
  }
}
