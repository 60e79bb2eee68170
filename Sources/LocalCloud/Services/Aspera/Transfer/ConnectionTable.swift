// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The connections to the transfer desk, limited in number; the oldest one is discarded first.
final class ConnectionTable: Sendable {
  private static let capacity = 4096

  private struct State {
    var connections: [String: TransferConnection] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// Adds a connection.
  ///
  /// - Returns: The id of the connection, which is random and hard to guess.
  func add(_ connection: TransferConnection) -> String {
    let id = BlobID.random().description
    state.withLock { state in
      if state.order.count >= Self.capacity { state.connections[state.order.removeFirst()] = nil }
      state.connections[id] = connection
      state.order.append(id)
    }
    return id
  }

  subscript(id: String) -> TransferConnection? { state.withLock { $0.connections[id] } }

  /// Removes a connection.
  func remove(_ id: String) {
    state.withLock { state in
      state.connections[id] = nil
      state.order.removeAll { $0 == id }
    }
  }
}
