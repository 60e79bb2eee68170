// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A gate at which tasks wait while the gate is closed.
package final class Gate: Sendable {
  /// Whether the gate is closed, and the tasks that wait until it is open; all of them have the same goal.
  private let closedState: WaitList<Bool, Int>

  package init(isClosed: Bool = false) { closedState = WaitList(isClosed) }

  /// The number of tasks that wait at the closed gate.
  var waiterCount: Int { closedState.waiterCount }

  func close() { closedState.update({ $0 = true }, resuming: { _, _ in false }) }
  package func open() { closedState.update({ $0 = false }, resuming: { _, _ in true }) }

  /// Resumes the task that has waited longest, without opening or closing the gate.
  func letOneThrough() {
    var isFirst = true
    closedState.update({ _ in }) { _, _ in
      defer { isFirst = false }
      return isFirst
    }
  }

  /// Waits until the gate is open, or throws `CancellationError` if the task is cancelled.
  package func pass() async throws { try await closedState.wait { isClosed in isClosed ? 0 : nil } }
}

/// A counter with which tasks can wait until it reaches a value.
final class Tally: Sendable {
  private let counter = WaitList<Int, Int>(0)

  var count: Int { counter.state }

  /// Adds a number, resumes the tasks whose goal has been reached, and returns the new count.
  @discardableResult func add(_ addend: Int) -> Int {
    counter.update({ $0 += addend }, resuming: { goal, count in goal <= count })
  }

  /// Waits until the counter reaches a number, or the task is cancelled.
  func wait(for goal: Int) async { try? await counter.wait { count in count >= goal ? nil : goal } }
}

/// The values that a double has recorded, in order, and the tasks that wait for a number of them.
final class Recording<Value: Sendable>: Sendable {
  private let recorded = WaitList<[Value], Int>([])

  var values: [Value] { recorded.state }
  func add(_ value: Value) { recorded.update({ $0.append(value) }, resuming: { goal, values in goal <= values.count }) }
  /// Waits until a number of values has been recorded, or the task is cancelled.
  func wait(for count: Int) async { try? await recorded.wait { values in values.count >= count ? nil : count } }

  /// Waits until a number of values has been recorded, and returns whether there were enough in time.
  func wait(for count: Int, within patience: Duration) async -> Bool {
    await answered(within: patience) { await self.wait(for: count) } != nil && values.count >= count
  }
}

/// A state, and the tasks that wait until it reaches their goals; the basis of the other types in this file.
final class WaitList<State: Sendable, Goal: Comparable & Sendable>: Sendable {
  private struct Waiter {
    let id: UInt64
    let goal: Goal
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content {
    var state: State
    var lastID: UInt64 = 0
    var waiters: [Waiter] = []
  }

  private let content: Lock<Content>

  init(_ state: State) { content = Lock(Content(state: state)) }

  var state: State { content.withLock { $0.state } }
  var waiterCount: Int { content.withLock { $0.waiters.count } }

  /// Changes the state, resumes the tasks with a reached goal in the order of the goals, and returns the new state.
  @discardableResult func update(_ change: (inout State) -> Void, resuming isReached: (Goal, State) -> Bool) -> State {
    let (state, resumed) = content.withLock { content in
      change(&content.state)
      var (waiting, resumed): ([Waiter], [Waiter]) = ([], [])
      for waiter in content.waiters {
        if isReached(waiter.goal, content.state) { resumed.append(waiter) } else { waiting.append(waiter) }
      }
      content.waiters = waiting
      return (content.state, resumed)
    }
    for waiter in resumed.sorted(by: { $0.goal < $1.goal }) { waiter.continuation.resume() }
    return state
  }

  /// Waits until an update reaches the goal for the present state, or returns at once if that goal is `nil`.
  ///
  /// As soon as the task is a waiter, `whenWaiting` is called. A cancelled task throws `CancellationError`.
  func wait(for goal: (State) -> Goal?, whenWaiting: () -> Void = {}) async throws {
    let id = content.withLock { content in
      content.lastID += 1
      return content.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = content.withLock { content in
          guard let goal = goal(content.state) else { return .success(()) }
          if Task.isCancelled { return .failure(CancellationError()) }
          content.waiters.append(Waiter(id: id, goal: goal, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) } else { whenWaiting() }
      }
    } onCancel: {
      let waiter = content.withLock { content in
        content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Returns the result of an operation, or `nil` if the operation takes too long or the caller is cancelled.
///
/// The operation is then cancelled but not awaited, because it may ignore its cancellation. With `yieldCount`, it is
/// cancelled after that number of `Task.yield()` calls, and awaited.
package func answered<Value: Sendable>(
  within patience: Duration, cancelledAfter yieldCount: Int? = nil, _ operation: @escaping @Sendable () async -> Value
) async -> Value? {
  let (results, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
  let task = Task {
    continuation.yield(await operation())
    continuation.finish()
  }
  let timer = Task {
    try await Task.sleep(for: patience)
    continuation.finish()
  }
  defer {
    timer.cancel()
    task.cancel()
  }
  if let yieldCount {
    for _ in 0..<yieldCount { await Task.yield() }
    task.cancel()
  }
  return await results.first { _ in true }
}
