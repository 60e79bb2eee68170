// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The outcome of an operation whose run time is limited.
package enum LimitedOutcome<Value: Sendable>: Sendable {
  case finished(Value)
  case timedOut
  case cancelled
}

extension SigningClock {
  /// Runs an operation in a separate task for at most a duration, and returns the outcome.
  ///
  /// The function returns at the limit even if the operation ignores its cancellation and continues in the background.
  /// If the caller's task is cancelled, it returns at once with `cancelled`. The operation starts in any case.
  package func run<Value: Sendable>(
    timeout: Duration, _ operation: @escaping @Sendable () async -> Value
  ) async -> LimitedOutcome<Value> {
    let firstOutcome = FirstOutcome<LimitedOutcome<Value>>()
    let operationTask = Task { firstOutcome.decide(on: .finished(await operation())) }
    let timeoutTask = Task {
      // The sleep ends early, with an error, only when the outcome is decided.
      guard (try? await sleep(for: timeout)) != nil else { return }
      firstOutcome.decide(on: .timedOut)
    }
    defer {
      operationTask.cancel()
      timeoutTask.cancel()
    }
    return await withTaskCancellationHandler {
      await firstOutcome.outcome()
    } onCancel: {
      firstOutcome.decide(on: .cancelled)
    }
  }
}

/// A value that is set once, by the first of several competing tasks, and awaited by one task.
private final class FirstOutcome<Outcome: Sendable>: Sendable {
  private enum State {
    case undecided
    case awaited(CheckedContinuation<Outcome, Never>)
    case decided(Outcome)
  }

  private let state = Lock(State.undecided)

  /// Sets the outcome and resumes the waiting task, unless an outcome is already set.
  func decide(on outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      if case .decided = state { return nil }
      defer { state = .decided(outcome) }
      if case .awaited(let waiter) = state { return waiter }
      return nil
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the outcome; only one task may wait.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if case .decided(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
