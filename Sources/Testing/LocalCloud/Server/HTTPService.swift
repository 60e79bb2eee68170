// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import StorageAuth
internal import StorageAuthServer
internal import SystemPackage

/// An HTTP service that listens on one port.
struct HTTPService: Sendable {
  /// The address at which a service listens, and its certificate if it speaks HTTPS.
  struct Interface: Sendable {
    static let loopback = Interface(address: "127.0.0.1", certificate: nil)

    let address: String
    let certificate: ServerCertificate?

    /// The URL of a port for clients on this machine.
    func url(port: Int) -> String {
      let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address] ?? address
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
      return "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }
  }

  typealias Responder = @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void

  /// The time that requests in progress have to finish when the server stops.
  private static let grace = Duration.seconds(2)

  let endpoint: ServiceEndpoint
  let port: Int
  private let server: Server<CheckedHTTPChannel>
  private let work: Task<Void, any Error>

  /// Binds a port, or any free port if it is 0, and starts an HTTP service.
  static func start(
    port: Int, at interface: Interface, _ limits: ConnectionLimits, acceptsCancel: Bool, _ respond: @escaping Responder
  ) async throws -> HTTPService {
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let server = Server(
      childChannelSetup: CheckedHTTPChannel(
        limits, certificate: interface.certificate, acceptsCancel: acceptsCancel, respond),
      configuration: ServerConfiguration(
        address: .hostname(interface.address, port: port), availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      // The framework logs requests including their authorization, so logging is disabled.
      logger: Logger(label: "localcloud") { _ in SwiftLogNoOpLogHandler() })
    let work = Task {
      defer { bound.finish() }
      try await server.run()
    }
    guard let listening = await ports.first(where: { _ in true }) else {
      do {
        try await work.value
      } catch let error as IOError {
        throw LocalCloudError(
          "Port \(port) of \(interface.address) cannot be used: \(Errno(rawValue: error.errnoCode)). Choose another one, or 0 for a free one."
        )
      }
      throw LocalCloudError("The server stopped before it was ready; start it again.")
    }
    return HTTPService(
      endpoint: try ServiceEndpoint(interface.url(port: listening), style: .path), port: listening, server: server,
      work: work)
  }

  /// Stops accepting connections and waits until the open connections are closed, for at most two seconds.
  func stop() async {
    let deadline = Task { [work] in
      try await Task.sleep(for: Self.grace)
      work.cancel()
    }
    try? await server.shutdownGracefully()
    _ = try? await work.value
    deadline.cancel()
  }
}

/// An HTTP/1.1 connection that closes itself after the last response.
///
/// This needs the request in its original form, before it is converted to the types of swift-http-types. A request target
/// that cannot be read arrives as an empty path.
struct CheckedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let base: LimitedHTTPChannel
  private let acceptsCancel: Bool
  private let certificate: ServerCertificate?

  init(
    _ limits: ConnectionLimits, certificate: ServerCertificate?, acceptsCancel: Bool,
    _ respond: @escaping @Sendable @concurrent (Request, consuming ResponseWriter) async throws -> Void
  ) {
    self.acceptsCancel = acceptsCancel
    self.certificate = certificate
    base = LimitedHTTPChannel(limits) { request, writer, _ in try await respond(request, writer) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    if let certificate {
      do {
        try channel.pipeline.syncOperations.addHandler(certificate.makeHandler())
      } catch {
        return channel.eventLoop.makeFailedFuture(error)
      }
    }
    return base.setup(channel: channel, logger: logger) { [ConnectionLifetime()] }
      .flatMapThrowing { [acceptsCancel] value in
        if acceptsCancel { try CancelMethod.addHandlers(to: channel.pipeline.syncOperations) }
        return value
      }
  }

  func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// A handler that closes the sending side of a connection after the last response.
///
/// A response is the last response if it contains `Connection: close`, or if it answers a request with
/// `Connection: close` (in any case) or an HTTP/1.0 request without `keep-alive` (RFC 9112, section 9.3). The handler
/// discards data that arrives after such a request. Only the sending side is closed, so that a client that is still
/// sending receives the response.
private final class ConnectionLifetime: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The value of the `Connection` header that a response must contain, if any.
  private enum Word {
    case nothing, keepAlive, close
  }

  private var awaited = CircularBuffer<Word>()
  private var isLast = false
  private var hasReadLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case _ where hasReadLast: return
    case .head(let head):
      isLast = !head.isKeepAlive
      awaited.append(isLast ? .close : head.version == .http1_0 ? .keepAlive : .nothing)
    case .body: break
    case .end: hasReadLast = isLast
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      if !awaited.isEmpty, head.headers["connection"].contains("close") {
        awaited[awaited.startIndex] = .close
        hasReadLast = true
      }
      switch awaited.first {
      case .close: head.headers.replaceOrAdd(name: "Connection", value: "close")
      case .keepAlive: head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
      case .nothing, nil: break
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end where awaited.popFirst() == .close:
      context.writeAndFlush(data, promise: promise)
      context.close(mode: .output, promise: nil)
    default:
      context.write(data, promise: promise)
    }
  }
}

/// The method `CANCEL`, with which IBM's client aspera-cli cancels a transfer of a node.
///
/// The HTTP parser rejects methods that are not registered. The beginning of such a request is therefore replaced by
/// that of a request with the method `DELETE`, which has the same meaning and the same length.
enum CancelMethod {
  private static let (sent, read) = (Array("CANCEL /ops/transfers/".utf8), "DELETE")

  /// Whether the next byte on a connection begins a request; used only on the connection's event loop.
  private final class Position {
    var isBetweenRequests = true
  }

  /// Adds the handlers to a connection with an HTTP decoder, on the connection's event loop.
  static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let position = Position()
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(Replacement(position), position: .before(decoder))
    try pipeline.addHandler(EndOfRequest(position), position: .after(decoder))
  }

  /// A handler that replaces the method in the first bytes of a request.
  ///
  /// Bytes with which such a request can begin are passed on separately, so that the decoder has read everything that
  /// precedes them, and it is known whether a request begins there.
  private final class Replacement: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let position: Position
    /// The first bytes of a request, as long as they can be the beginning of the method.
    private var beginning = ByteBuffer()

    init(_ position: Position) {
      self.position = position
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var arrived = unwrapInboundIn(data)
      var buffer = beginning
      beginning.clear()
      buffer.writeBuffer(&arrived)
      while buffer.readableBytes > 0 {
        if position.isBetweenRequests, CancelMethod.canBegin(buffer.readableBytesView) {
          guard buffer.readableBytes >= CancelMethod.sent.count else {
            beginning = buffer
            return
          }
          buffer.setString(CancelMethod.read, at: buffer.readerIndex)
        }
        let bytes = buffer.readableBytesView
        let next = bytes.indices.dropFirst().first { CancelMethod.canBegin(bytes[$0...]) } ?? bytes.endIndex
        guard let piece = buffer.readSlice(length: bytes.distance(from: bytes.startIndex, to: next)) else { return }
        position.isBetweenRequests = false
        context.fireChannelRead(wrapInboundOut(piece))
      }
    }
  }

  /// Returns whether bytes begin with those of the method, or are the first ones of them.
  private static func canBegin(_ bytes: ByteBufferView) -> Bool { zip(bytes, sent).allSatisfy { $0 == $1 } }

  private final class EndOfRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let position: Position

    init(_ position: Position) {
      self.position = position
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .end = unwrapInboundIn(data) { position.isBetweenRequests = true }
      context.fireChannelRead(data)
    }
  }
}
