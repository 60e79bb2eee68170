internal import NIOCore

/// The connection of ascp to the management port.
struct ManagementConnection: Sendable {
  private let channel: any Channel
  private let received: AsyncStream<ByteBuffer>

  /// Takes over a channel that does not read by itself; on its event loop.
  init(_ channel: any Channel) throws {
    let (received, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    try channel.pipeline.syncOperations.addHandler(Forwarder(to: continuation))
    self.channel = channel
    self.received = received
  }

  /// Reads until the other side closes the connection, this side does, or the task is cancelled.
  ///
  /// - Parameter receive: Is handed what came, before more is read.
  func read(_ receive: (ArraySlice<UInt8>) async -> Void) async {
    for await buffer in received {
      await receive(ArraySlice(buffer.readableBytesView))
      channel.read()
    }
  }

  /// Sends text, and waits until the system has taken it or the connection is closed.
  func send(_ text: String) async {
    try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
  }

  /// Sends text without waiting.
  func post(_ text: String) {
    channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
  }

  /// Closes the connection, which ends reading and sending soon.
  func shut() {
    channel.close(promise: nil)
  }

  /// Hands on what comes, one buffer for each time that somebody asks for more.
  private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(to continuation: AsyncStream<ByteBuffer>.Continuation) {
      self.continuation = continuation
    }

    func channelActive(context: ChannelHandlerContext) {
      context.read()
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
      context.fireChannelInactive()
    }

    /// A connection that is reset has ended like any other.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
