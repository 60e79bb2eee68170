// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A gate at which tasks wait while the gate is closed.
final class Gate: Sendable {
  private struct State {
    var isClosed: Bool
    var nextID: UInt64 = 0
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Lock<State>

  init(isClosed: Bool = false) {
    state = Lock(State(isClosed: isClosed))
  }

  /// The number of tasks that are waiting at the gate.
  var waiting: Int { state.withLock { $0.waiters.count } }

  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Opens the gate and resumes all waiting tasks.
  func open() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isClosed = false
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  /// Resumes the task that has waited longest, without opening or closing the gate.
  func letOneThrough() {
    let waiter = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
    waiter?.continuation.resume()
  }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func pass() async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          guard state.isClosed else { return .success(()) }
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiters.append((id, continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
