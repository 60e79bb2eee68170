// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A pair of clocks, one wall clock and one monotonic clock; tests can replace the clocks of the machine.
///
/// The wall clock may be wrong and may jump; other machines read it. The uptime never jumps; it is for durations.
public protocol SigningClock: Sendable {
  /// The current time according to the wall clock, in UTC.
  var now: Timestamp { get }
  /// The monotonic time since a fixed instant, including time while the machine sleeps.
  var uptime: Duration { get }

  /// Waits for a duration by the clock of ``uptime``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The wall clock and the monotonic clock of this machine.
public struct SystemTime: SigningClock {
  private static let origin = ContinuousClock.now

  /// Creates a value that represents this machine's clocks; all instances are equal.
  public init() {}

  /// The current time according to this machine's wall clock, in UTC.
  public var now: Timestamp { .now }
  /// The monotonic time since this property was first used in the process, including time while the machine sleeps.
  public var uptime: Duration { Self.origin.duration(to: .now) }

  /// Waits for a duration by the clock of ``uptime``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration, clock: .continuous) }
}

extension SigningClock where Self == SystemTime {
  /// This machine's wall clock and monotonic clock.
  public static var system: SystemTime { SystemTime() }
}
