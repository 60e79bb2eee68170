// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  /// The whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public let unixSeconds: Int64

  /// The nanoseconds within the second, from 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Creates an instant from Unix time.
  ///
  /// - Parameter unixSeconds: Seconds since 1970-01-01T00:00:00Z; clamped to 2^60 seconds, some 36 billion years, to
  ///   either side.
  public init(unixSeconds: Int64) {
    self.unixSeconds = min(max(unixSeconds, Self.range.lowerBound), Self.range.upperBound)
    nanoseconds = 0
  }

  /// Creates an instant from seconds since 1970 and nanoseconds; nanoseconds outside of one second are carried over.
  init(unixSeconds: Int64, nanoseconds: Int64) {
    let (carry, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.unixSeconds = unixSeconds + (rest < 0 ? carry - 1 : carry)
    self.nanoseconds = Int32(rest < 0 ? rest + 1_000_000_000 : rest)
  }

  /// The current time according to this machine's wall clock.
  public static var now: Timestamp {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(unixSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// The instant truncated to a whole second.
  public var wholeSeconds: Timestamp { Timestamp(unixSeconds: unixSeconds) }
}

extension Timestamp: InstantProtocol {
  /// Returns the instant that is later than this instant by a duration, or earlier for a negative duration.
  ///
  /// - Parameter duration: The time to add to this instant.
  /// - Returns: The instant, clamped to the first and the last instant that can be represented.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = min(max(duration, .zero - Self.longest), Self.longest).components
    let (sum, overflow) = unixSeconds.addingReportingOverflow(seconds)
    guard !overflow, Self.range.contains(sum) else {
      return Timestamp(unixSeconds: seconds < 0 ? Self.range.lowerBound : Self.range.upperBound)
    }
    return Timestamp(unixSeconds: sum, nanoseconds: Int64(nanoseconds) + attoseconds / 1_000_000_000)
  }

  /// Returns this instant, truncated to a whole second and advanced by a number of seconds.
  ///
  /// - Returns: The instant, clamped to the first and the last instant that can be represented.
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    let (sum, overflow) = unixSeconds.addingReportingOverflow(seconds)
    if overflow { return Timestamp(unixSeconds: seconds < 0 ? Self.range.lowerBound : Self.range.upperBound) }
    return Timestamp(unixSeconds: sum)
  }

  /// The range of ``unixSeconds``: some 36 billion years before and after 1970.
  ///
  /// The range ensures that the seconds of the duration between two instants, and of the sum of two such durations, fit
  /// in an `Int64`; `Duration.components` traps otherwise.
  private static let range: ClosedRange<Int64> = (-1 << 60)...(1 << 60)

  /// A duration that exceeds the time between any two instants.
  private static let longest = Duration.seconds(1 << 62)

  /// Returns the duration from this instant to another instant, which is negative if the other instant is earlier.
  ///
  /// - Parameter other: The instant at the end of the duration.
  public func duration(to other: Timestamp) -> Duration {
    .seconds(other.unixSeconds) - .seconds(unixSeconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Returns a Boolean value that indicates whether the first instant is earlier than the second.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    (first.unixSeconds, first.nanoseconds) < (second.unixSeconds, second.nanoseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// The instant in the extended ISO 8601 format, without fractions of a second: `2026-11-20T08:00:00Z`.
  public var description: String { iso8601 }
}
