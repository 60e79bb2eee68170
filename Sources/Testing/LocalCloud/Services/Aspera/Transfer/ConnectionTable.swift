// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The open connections to the simulated transfer server.
///
/// Their number is limited; if there are too many, the oldest connection is discarded.
final class ConnectionTable: Sendable {
  private static let capacity = 4096

  private struct State {
    var connections: [String: TransferConnection] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// Adds a connection to the table.
  ///
  /// - Returns: The ID of the connection, which is random and hard to guess.
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

  /// Removes the connection with an ID.
  func remove(_ id: String) {
    state.withLock { state in
      state.connections[id] = nil
      state.order.removeAll { $0 == id }
    }
  }
}
