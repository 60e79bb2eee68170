// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

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

  /// Adds a number to the counter, and resumes the tasks whose goal has been reached.
  ///
  /// - Returns: The value of the counter after the addition.
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
