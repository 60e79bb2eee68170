/// Tells the time and waits: the clocks of a machine, or those of a test.
///
/// There are two clocks. The wall clock may be wrong and may jump; it is for what others read. The uptime never jumps;
/// it is for how long something lasts.
public protocol SigningClock: Sendable {
  /// The present by the wall clock, in UTC.
  var now: Timestamp { get }

  /// The time since some fixed instant, counted without jumps, and on while the machine sleeps.
  var uptime: Duration { get }

  /// Waits.
  ///
  /// - Parameter duration: How long, by the clock of ``uptime``.
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The clocks of this machine.
public struct SystemTime: SigningClock {
  private static let origin = ContinuousClock.now

  /// Makes the clocks; all of them are the same.
  public init() {}

  /// The present by the wall clock, in UTC.
  public var now: Timestamp { .now }

  /// The time since the first use, the sleep of the machine included.
  public var uptime: Duration { Self.origin.duration(to: .now) }

  /// Waits.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}

extension SigningClock where Self == SystemTime {
  /// The clocks of this machine.
  public static var system: SystemTime { SystemTime() }
}
