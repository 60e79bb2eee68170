// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import NIOCore
internal import NIOPosix
internal import StorageAuth
internal import SystemPackage

/// A check that a server accepts connections, before ascp is started.
///
/// ascp reports a closed port with a code that does not say so (44, `PMTU_BRTT_ERROR`). An engine checks each server
/// before its first attempt, and again after an attempt that failed because of the network.
final class ServerReach: Sendable {
  private struct State {
    /// The servers that need no check before the next attempt.
    var checkedServers: Set<ByteExactString> = []
    /// The servers that have ever accepted a connection.
    var reachedServers: Set<ByteExactString> = []
  }

  private let state = Lock(State())

  /// Checks that a server accepts connections, unless it was checked before; throws `transport` or `cancelled`.
  func requireReachable(
    _ spec: TransferSpec, with options: AscpOptions, within limit: Duration
  ) async throws(TransferFailure) {
    guard let server = Server(spec, options) else { return }
    if state.withLock({ $0.checkedServers.contains(server.name) }) { return }
    do {
      try await Self.connect(to: server, within: limit)
    } catch {
      if Task.isCancelled { throw .cancelled }
      var failure = TransferFailure(
        .transport,
        "The transfer server \(server.name.string) was not reached: \(Self.reason(for: error, within: limit)).",
        remedy: "Check the host and the port, that the server runs, and that no firewall is between.")
      failure.neverReachedServer = state.withLock { !$0.reachedServers.contains(server.name) }
      throw failure
    }
    state.withLock { state in
      state.checkedServers.insert(server.name)
      state.reachedServers.insert(server.name)
    }
  }

  /// Makes the next attempt check the server again.
  func repeatCheck(of spec: TransferSpec, with options: AscpOptions) {
    guard let server = Server(spec, options) else { return }
    state.withLock { _ = $0.checkedServers.remove(server.name) }
  }

  /// Opens a TCP connection and closes it; closes it early if the task is cancelled.
  private static func connect(to server: Server, within limit: Duration) async throws {
    // One channel for each address that is tried.
    let attempts = Lock<(channels: [any Channel], isCancelled: Bool)>(([], false))
    let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(limit))
      .channelInitializer { channel in
        let isCancelled = attempts.withLock { attempts in
          attempts.channels.append(channel)
          return attempts.isCancelled
        }
        guard isCancelled else { return channel.eventLoop.makeSucceededVoidFuture() }
        return channel.eventLoop.makeFailedFuture(CancellationError())
      }
      .connect(host: server.host, port: server.port)
    let channel = try await withTaskCancellationHandler {
      try await connecting.get()
    } onCancel: {
      let channels = attempts.withLock { attempts in
        attempts.isCancelled = true
        return attempts.channels
      }
      for channel in channels { channel.close(promise: nil) }
    }
    channel.close(promise: nil)
  }

  private static func reason(for error: any Error, within limit: Duration) -> String {
    guard let error = error as? NIOConnectionError else { return "it cannot be connected to" }
    guard let connectionError = error.connectionErrors.first else { return "its name is not known" }
    switch connectionError.error {
    case let error as IOError where Errno(rawValue: error.errnoCode) == .connectionRefused:
      return "it refuses connections at this port"
    case is ChannelError: return "it accepted no connection within \(limit)"
    default: return "it cannot be connected to (\(connectionError.error))"
    }
  }

  /// The address to which ascp connects first.
  private struct Server {
    let host: String
    let port: Int

    var name: ByteExactString { ByteExactString("\(host):\(port)") }

    /// The address in a specification, or `nil` if ascp connects in another way, such as through a proxy.
    init?(_ spec: TransferSpec, _ options: AscpOptions) {
      guard let host = spec.remoteHost, spec.fields["proxy"]?.string?.isEmpty ?? true,
        spec.fields["use_system_ssh"]?.bool != true, spec.httpFallback != .on, spec.httpFallback != .force
      else { return nil }
      self.host = host
      // The default ports of WebSocket Secure and of SSH, as ascp has them.
      port = options.usesWebSocket(for: spec) ? spec.webSocketPort ?? 443 : spec.sshPort ?? 22
    }
  }
}
