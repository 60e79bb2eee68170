// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A wall clock and an uptime clock that advance only when a test steps them.
///
/// ```swift
/// let time = ManualClock()
/// let cache = CredentialCache(provider, time: time)
/// time.advance(by: .seconds(3600))
/// ```
public final class ManualClock: SigningClock {
  /// The times of both clocks, and the sleeping tasks, whose goals are the uptimes at which they wake up.
  private let clocks: WaitList<(now: Timestamp, uptime: Duration), Duration>
  private let sleepTally = Tally()

  /// Creates clocks with an uptime of zero and the given time of the wall clock.
  public init(now: Timestamp = Timestamp(unixSeconds: 1_800_000_000)) { clocks = WaitList((now, .zero)) }

  /// The current time of the wall clock.
  public var now: Timestamp { clocks.state.now }

  /// The total duration by which the test has advanced the clocks.
  public var uptime: Duration { clocks.state.uptime }

  /// The number of tasks that are currently sleeping.
  public var sleepers: Int { clocks.waiterCount }

  /// Waits until the given number of sleeps has started since the creation, or the task is cancelled.
  public func wait(forSleeps count: Int) async { await sleepTally.wait(for: count) }

  /// Advances both clocks by a duration that must not be negative, and wakes the tasks whose sleep has ended.
  ///
  /// The tasks are woken in the order of their wake-up times.
  public func advance(by duration: Duration) {
    clocks.update(
      { times in times = (times.now.advanced(by: duration), times.uptime + duration) },
      resuming: { wakeUptime, times in wakeUptime <= times.uptime })
  }

  /// Sets only the wall clock to a new time, as a correction of the system time does.
  public func setWallClock(to now: Timestamp) { clocks.update({ $0.now = now }, resuming: { _, _ in false }) }

  /// Waits until the test has advanced the clocks by the given duration.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    try await clocks.wait(for: { duration <= .zero ? nil : $0.uptime + duration }, whenWaiting: { sleepTally.add(1) })
  }
}
