// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A wall clock and an uptime clock that advance only when a test steps them.
///
/// ```swift
/// let time = ManualClock()
/// let cache = CredentialCache(provider, time: time)
/// time.advance(by: .seconds(3600))
/// ```
public final class ManualClock: SigningClock {
  private struct Sleeper {
    let id: UInt64
    let end: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Timestamp
    var uptime = Duration.zero
    var nextID: UInt64 = 0
    var sleepers: [Sleeper] = []
  }

  private let state: Lock<State>
  private let slept = Tally()

  /// Creates stepped clocks with an uptime of zero.
  ///
  /// - Parameter now: The initial time of the wall clock.
  public init(now: Timestamp = Timestamp(unixSeconds: 1_800_000_000)) {
    state = Lock(State(now: now))
  }

  /// The current time of the wall clock.
  public var now: Timestamp { state.withLock { $0.now } }

  /// The total duration by which the test has advanced the clocks.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// The number of tasks that are currently sleeping.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Waits until the given number of sleeps has started, or the task is cancelled.
  ///
  /// - Parameter count: The number of sleeps since the clocks were created, including sleeps that have ended.
  public func wait(forSleeps count: Int) async {
    await slept.reached(count)
  }

  /// Advances both clocks, and wakes the tasks whose sleep has ended, in the order of their wake-up times.
  ///
  /// - Parameter duration: The duration by which to advance the clocks, which must not be negative.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      state.uptime += duration
      let woken = state.sleepers.filter { $0.end <= state.uptime }.sorted { $0.end < $1.end }
      state.sleepers.removeAll { $0.end <= state.uptime }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Sets only the wall clock, as a correction of the system time does.
  ///
  /// - Parameter now: The new time of the wall clock.
  public func setWallClock(to now: Timestamp) {
    state.withLock { $0.now = now }
  }

  /// Waits until the test has advanced the clocks by the given duration.
  ///
  /// - Parameter duration: The duration to sleep.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if duration <= .zero { return .success(()) }
          state.sleepers.append(Sleeper(id: id, end: state.uptime + duration, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) } else { slept.add(1) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
