public import StorageAuth

/// Clocks that stand still until they are stepped.
///
/// ```swift
/// let time = SteppedTime()
/// let cache = CredentialCache(provider, time: time)
/// time.advance(by: .seconds(3600))
/// ```
public final class SteppedTime: SigningClock {
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

  /// Makes clocks.
  ///
  /// - Parameter now: What the wall clock shows.
  public init(now: Timestamp = Timestamp(unixSeconds: 1_800_000_000)) {
    state = Lock(State(now: now))
  }

  /// What the wall clock shows.
  public var now: Timestamp { state.withLock { $0.now } }

  /// How far the clocks have been stepped.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// How many tasks sleep.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Waits until as many tasks sleep or have slept, counted from the start, or the task is cancelled.
  public func wait(forSleeps count: Int) async {
    await slept.reached(count)
  }

  /// Moves both clocks, and wakes whoever has slept long enough, in the order in which they wanted to wake.
  ///
  /// - Parameter duration: How far; not negative.
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

  /// Sets the wall clock alone, as somebody who corrects it does.
  public func setWallClock(to now: Timestamp) {
    state.withLock { $0.now = now }
  }

  /// Waits until the clocks have been stepped far enough.
  ///
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
