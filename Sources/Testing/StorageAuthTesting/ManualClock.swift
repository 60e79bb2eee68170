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
  private let clocks: WaitList<(now: Timestamp, uptime: Duration), Duration>
  private let sleepCount = Tally()

  /// Creates stepped clocks with an uptime of zero.
  ///
  /// - Parameter now: The initial time of the wall clock.
  public init(now: Timestamp = Timestamp(unixSeconds: 1_800_000_000)) { clocks = WaitList((now, .zero)) }

  /// The current time of the wall clock.
  public var now: Timestamp { clocks.state.now }

  /// The total duration by which the test has advanced the clocks.
  public var uptime: Duration { clocks.state.uptime }

  /// The number of tasks that are currently sleeping.
  public var sleepers: Int { clocks.waiterCount }

  /// Waits until the given number of sleeps has started, or the task is cancelled.
  ///
  /// - Parameter count: The number of sleeps since the clocks were created, including sleeps that have ended.
  public func wait(forSleeps count: Int) async { await sleepCount.wait(for: count) }

  /// Advances both clocks, and wakes the tasks whose sleep has ended, in the order of their wake-up times.
  ///
  /// - Parameter duration: The duration by which to advance the clocks, which must not be negative.
  public func advance(by duration: Duration) {
    clocks.update(
      { $0 = ($0.now.advanced(by: duration), $0.uptime + duration) }, resuming: { end, state in end <= state.uptime })
  }

  /// Sets only the wall clock, as a correction of the system time does.
  ///
  /// - Parameter now: The new time of the wall clock.
  public func setWallClock(to now: Timestamp) { clocks.update({ $0.now = now }, resuming: { _, _ in false }) }

  /// Waits until the test has advanced the clocks by the given duration.
  ///
  /// - Parameter duration: The duration to sleep.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    try await clocks.wait(for: { duration <= .zero ? nil : $0.uptime + duration }, whenWaiting: { sleepCount.add(1) })
  }
}
