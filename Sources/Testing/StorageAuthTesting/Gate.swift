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

  var waiting: Int { state.withLock { $0.waiters.count } }

  func close() {
    state.withLock { $0.isClosed = true }
  }

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

  /// Waits until the gate is open, or throws `CancellationError` if the task is cancelled.
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

/// A counter with which tasks can wait until it reaches a value.
final class Tally: Sendable {
  private struct Waiter {
    let id: UInt64
    let goal: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var count = 0
    var nextID: UInt64 = 0
    var waiters: [Waiter] = []
  }

  private let state = Lock(State())

  var count: Int { state.withLock { $0.count } }

  /// Adds a number, resumes the tasks whose goal has been reached, and returns the new value.
  @discardableResult
  func add(_ change: Int) -> Int {
    let (count, woken) = state.withLock { state in
      state.count += change
      let woken = state.waiters.filter { $0.goal <= state.count }
      state.waiters.removeAll { $0.goal <= state.count }
      return (state.count, woken)
    }
    for waiter in woken { waiter.continuation.resume() }
    return count
  }

  /// Waits until the counter is at least `goal`, or the task is cancelled.
  func reached(_ goal: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.count >= goal || Task.isCancelled { return true }
          state.waiters.append(Waiter(id: id, goal: goal, continuation: continuation))
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }
}

/// Returns the result of an operation, or `nil` if the operation takes too long.
///
/// Such an operation is cancelled and not awaited. With `yields`, it is cancelled after so many `Task.yield()` calls.
func answered<Value: Sendable>(
  within patience: Duration, cancelledAfter yields: Int? = nil, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
  let (responses, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
  let task = Task {
    continuation.yield(await work())
    continuation.finish()
  }
  let timer = Task {
    try await Task.sleep(for: patience)
    continuation.finish()
    task.cancel()
  }
  defer { timer.cancel() }
  if let yields {
    for _ in 0..<yields { await Task.yield() }
    task.cancel()
  }
  return await responses.first { _ in true }
}
