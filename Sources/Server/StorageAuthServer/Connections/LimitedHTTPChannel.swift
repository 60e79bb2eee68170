// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1
internal import StorageCrypto

/// An HTTP/1.1 connection that enforces ``ConnectionLimits``, and reads each request target in one way.
package struct LimitedHTTPChannel: ServerChildChannel {
  package typealias Value = HTTP1Channel.Value

  /// The limits on the head of a request, which has to be received as a whole before it can be refused.
  private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
    maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 200)

  private let http1Channel: HTTP1Channel
  private let limits: ConnectionLimits

  package init(_ limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
    self.limits = limits
    http1Channel = HTTP1Channel(
      responder: responder, configuration: HTTP1Channel.Configuration(httpDecoderConfiguration: Self.headLimits))
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    setup(channel: channel, logger: logger, additionalHandlers: { [] })
  }

  /// Adds the HTTP/1.1 handlers, the limits and additional handlers to a new connection.
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

/// A handler that reads the target of each HTTP/1.1 request in one way, before it is converted to swift-http-types.
///
/// The host of a URL takes precedence over the `Host` header (RFC 9112, section 3.2.2), but the conversion would drop it,
/// so that what follows would read another host than a proxy in front of the server, which the client may choose. A URL
/// is therefore replaced by its path and query if the only `Host` header names the same host and port, as it must. Any
/// other target that is neither a path nor `*` of the method OPTIONS becomes an empty string, which no client can send;
/// ``LimitedHTTPChannel/refusingUnreadableTargets(_:)`` or the responder refuses it.
final class RequestTargetReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/") else {
      context.fireChannelRead(data)
      return
    }
    // `OPTIONS *` asks about the server itself (RFC 9112, section 3.2.4).
    let isForServer = head.method == .OPTIONS && head.uri.utf8.elementsEqual("*".utf8)
    if !isForServer {
      if let target = AbsoluteTarget(head.uri), let host = target.host(agreeingWith: head.headers["host"]) {
        head.uri = target.path
        head.headers.replaceOrAdd(name: "Host", value: host)
      } else {
        head.uri = ""
      }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// A request target that is a URL, divided into its host and its path.
private struct AbsoluteTarget {
  /// The host with the port, if the URL has one.
  private let authority: Substring
  /// The path with the query; at least `/`.
  let path: String

  /// Parses a URL with the scheme `http` or `https` and a host, without a user and a fragment; `nil` for another text.
  init?(_ text: String) {
    let bytes = text.utf8
    let scheme = ["http://", "https://"].first { scheme in
      bytes.prefix(scheme.utf8.count).map(asciiLowercased).elementsEqual(scheme.utf8)
    }
    guard let scheme else { return nil }
    let urlWithoutScheme = text[bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)...]
    let authorityEnd =
      urlWithoutScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      ?? urlWithoutScheme.endIndex
    authority = urlWithoutScheme[..<authorityEnd]
    let target = urlWithoutScheme[authorityEnd...]
    guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")), !bytes.contains(UInt8(ascii: "#")) else {
      return nil
    }
    path = target.utf8.first == UInt8(ascii: "/") ? String(target) : "/\(target)"
  }

  /// Returns the URL's host if the only `Host` header has the same one, in any letter case.
  func host(agreeingWith headers: [String]) -> String? {
    guard headers.count == 1, let header = headers.first,
      header.utf8.map(asciiLowercased).elementsEqual(authority.utf8.map(asciiLowercased))
    else { return nil }
    return String(authority)
  }
}
