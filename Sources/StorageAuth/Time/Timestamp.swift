#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An instant in UTC, counted in seconds since 1970-01-01T00:00:00Z without leap seconds (Unix time).
///
/// ```swift
/// let end = Timestamp.now.advanced(by: .seconds(3600))
/// ```
public struct Timestamp: Sendable, Hashable {
  /// Whole seconds since the epoch, rounded down.
  public let unixSeconds: Int64

  /// Nanoseconds in the second, from 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Makes an instant from Unix time.
  ///
  /// - Parameter unixSeconds: Seconds since 1970-01-01T00:00:00Z; more than 2^60 of them, some 36 billion years, to
  ///   either side count as 2^60.
  public init(unixSeconds: Int64) {
    self.unixSeconds = min(max(unixSeconds, Self.range.lowerBound), Self.range.upperBound)
    nanoseconds = 0
  }

  /// Makes an instant from seconds and a fraction; a fraction outside one second carries over.
  init(unixSeconds: Int64, nanoseconds: Int64) {
    let (carry, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.unixSeconds = unixSeconds + (rest < 0 ? carry - 1 : carry)
    self.nanoseconds = Int32(rest < 0 ? rest + 1_000_000_000 : rest)
  }

  /// The present by the clock of this machine.
  public static var now: Timestamp {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(unixSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// The start of the second.
  public var wholeSeconds: Timestamp { Timestamp(unixSeconds: unixSeconds) }
}

extension Timestamp: InstantProtocol {
  /// The instant a duration later, or earlier for a negative one; the first or the last instant there is, if that would
  /// be past it.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = min(max(duration, .zero - Self.longest), Self.longest).components
    let (sum, overflow) = unixSeconds.addingReportingOverflow(seconds)
    guard !overflow, Self.range.contains(sum) else {
      return Timestamp(unixSeconds: seconds < 0 ? Self.range.lowerBound : Self.range.upperBound)
    }
    return Timestamp(unixSeconds: sum, nanoseconds: Int64(nanoseconds) + attoseconds / 1_000_000_000)
  }

  /// Returns the whole second that is some seconds after this one's, or the first or the last instant there is.
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    let (sum, overflow) = unixSeconds.addingReportingOverflow(seconds)
    if overflow { return Timestamp(unixSeconds: seconds < 0 ? Self.range.lowerBound : Self.range.upperBound) }
    return Timestamp(unixSeconds: sum)
  }

  /// Some 36 billion years to either side: what lies between two instants is a duration whose seconds fit, and so is
  /// the sum of two of those, which `Duration.components` traps on otherwise.
  private static let range: ClosedRange<Int64> = (-1 << 60)...(1 << 60)

  /// A duration that leads from any instant past the last one.
  private static let longest = Duration.seconds(1 << 62)

  /// The duration to another instant; negative if that is earlier.
  public func duration(to other: Timestamp) -> Duration {
    .seconds(other.unixSeconds) - .seconds(unixSeconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Whether one instant is before another.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    (first.unixSeconds, first.nanoseconds) < (second.unixSeconds, second.nanoseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// The instant in ISO 8601, to the second: `2026-11-20T08:00:00Z`.
  public var description: String { iso8601 }
}
