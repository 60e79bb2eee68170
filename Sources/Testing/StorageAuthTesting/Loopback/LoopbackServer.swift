// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import StorageAuth

/// A server on 127.0.0.1 that runs a function for each connection, on a thread of its own.
final class LoopbackServer: Sendable {
  /// The port of the server.
  let port: Int

  private let sockets: Sockets
  private let source: Lock<any DispatchSourceRead>

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - patience: The maximum duration of each call on a connection.
  ///   - serve: A function that serves a connection. The connection is closed after its end.
  init(
    patience: Duration, _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
  ) throws(LoopbackError) {
    let listener = try LoopbackSocket.listening(receiveBuffer: 65_536)
    let sockets = Sockets(listener)
    let queue = DispatchQueue(label: "LoopbackServer")
    let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: queue)
    source.setEventHandler {
      guard let socket = try? sockets.listener?.accept(patience: patience) else { return }
      sockets.connections.withLock { $0[socket.descriptor] = socket }
      DispatchQueue(label: "LoopbackConnection").async {
        try? serve(LoopbackConnection(socket))
        sockets.connections.withLock { $0[socket.descriptor] = nil }
      }
    }
    source.setCancelHandler { sockets.closeListener() }
    source.activate()
    port = listener.port
    self.sockets = sockets
    self.source = Lock(source)
  }

  deinit {
    stop()
  }

  /// Closes the listening socket and all connections.
  func stop() {
    source.withLock { $0.cancel() }
    sockets.listenerIsClosed.wait()
    sockets.listenerIsClosed.signal()
    for socket in sockets.connections.withLock({ Array($0.values) }) { socket.shutDown() }
  }

  /// The open sockets of a server.
  private final class Sockets: Sendable {
    let connections = Lock<[Int32: LoopbackSocket]>([:])
    let listenerIsClosed = DispatchSemaphore(value: 0)
    private let listening: Lock<LoopbackSocket?>

    init(_ listener: LoopbackSocket) {
      listening = Lock(listener)
    }

    var listener: LoopbackSocket? { listening.withLock { $0 } }

    func closeListener() {
      listening.withLock { $0 = nil }
      listenerIsClosed.signal()
    }
  }
}
