internal import Synchronization

/// The connections to the desk; there is room for a bounded number, and the oldest has to go first.
final class ConnectionTable: Sendable {
  private static let capacity = 4096

  private struct State {
    var connections: [String: TransferConnection] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// Takes a connection.
  ///
  /// - Returns: The name that it is found by, which nobody can guess.
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

  /// Lets go of a connection.
  func remove(_ id: String) {
    state.withLock { state in
      state.connections[id] = nil
      state.order.removeAll { $0 == id }
    }
  }
}
