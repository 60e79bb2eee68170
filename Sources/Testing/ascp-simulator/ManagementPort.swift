// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// The simulator's connection to the management port of a client, which observes the transfer and sends commands.
enum ManagementPort {
  typealias Transfer = @Sendable (Reporter, AsyncStream<SessionCommand>) async throws(Failure) -> Void

  /// Runs a transfer with a connection to the management port, and cancels it if the client requests this or hangs up.
  ///
  /// The last frame reports an error of the transfer. `endProcess` is called before the connection closes, because
  /// aspera-cli interrupts a process that still runs then. Without a port, the transfer runs without a connection.
  static func withConnection(
    to port: Int?, _ transfer: @escaping Transfer,
    endingProcess endProcess: @escaping @Sendable (Result<Void, Failure>) -> Never
  ) async throws(Failure) {
    let (commands, continuation) = AsyncStream.makeStream(of: SessionCommand.self)
    guard let port else {
      continuation.finish()
      return try await transfer(Reporter(nil), commands)
    }
    do {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      try await channel.executeThenClose { inbound, outbound in
        let reporter = Reporter(outbound)
        let result = await Self.runUntilCancelled(inbound, continuation) { () throws(Failure) in
          try await transfer(reporter, commands)
        }
        if case .failure(let failure) = result {
          let fields = [("Loss", "0"), ("Code", "\(failure.code)"), ("Description", failure.text)]
          try? await reporter.report(.error, fields)
        }
        // The empty write completes after the frames before it.
        try? await channel.channel.writeAndFlush(ByteBuffer()).get()
        endProcess(result)
      }
    } catch { throw Failure(.connectionError, "The management port cannot be reached") }
  }

  /// Runs a transfer until it ends, or until the client cancels the session or hangs up.
  private static func runUntilCancelled(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ continuation: AsyncStream<SessionCommand>.Continuation,
    _ transfer: @escaping @Sendable () async throws(Failure) -> Void
  ) async -> Result<Void, Failure> {
    await withTaskGroup(of: Result<Void, Failure>.self) { group in
      group.addTask { await Result.catching(transfer) }
      group.addTask {
        await forwardCommands(inbound, continuation)
        return .failure(.cancelled)
      }
      let firstResult = await group.next() ?? .failure(.cancelled)
      group.cancelAll()
      return firstResult
    }
  }

  /// Forwards commands to the transfer until the client cancels the session or closes the connection.
  private static func forwardCommands(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ continuation: AsyncStream<SessionCommand>.Continuation
  ) async {
    var parser = ManagementFrameParser()
    do {
      for try await bytes in inbound {
        for case .frame(let frame) in parser.feed(bytes.readableBytesView) {
          if frame.kind == .cancel { return }
          if let command = SessionCommand(frame) { continuation.yield(command) }
        }
      }
    } catch {
      // The connection is closed.
    }
  }
}

/// A command of the client to a persistent session.
enum SessionCommand: Sendable {
  case start(source: String, destination: String?)
  case finish

  init?(_ frame: ManagementFrame) {
    switch (frame.kind, frame["Source"]) {
    case (.start?, let source?): self = .start(source: source, destination: frame["Destination"])
    case (.done?, _): self = .finish
    default: return nil
    }
  }
}

/// A reporter that writes frames to the management port, or discards them if the command line specifies no port.
struct Reporter: Sendable {
  let sessionID = UUID().uuidString.lowercased()
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?

  init(_ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?) { self.outbound = outbound }

  /// Writes a frame to the management port, or throws if the client has hung up, or if a field has a line break in it.
  func report(_ kind: ManagementFrame.Kind, _ fields: [(name: String, value: String)] = []) async throws(Failure) {
    guard let outbound else { return }
    let frame: ManagementFrame
    do {
      frame = try ManagementFrame.command(kind, fields + [("SessionId", sessionID)])
    } catch { throw Failure(.illegalCharacters, "A name has a line break or a NUL in it") }
    do { try await outbound.write(ByteBuffer(string: frame.text)) } catch { throw .cancelled }
  }
}
