// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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

  /// Creates an instant from the seconds since 1970-01-01T00:00:00Z, clamped to ±2^60, some 36 billion years.
  public init(unixSeconds: Int64) {
    self.unixSeconds = min(max(unixSeconds, Self.range.lowerBound), Self.range.upperBound)
    nanoseconds = 0
  }

  /// Creates an instant from seconds since 1970 and nanoseconds; nanoseconds outside of one second are carried over.
  init(unixSeconds: Int64, nanoseconds: Int64) {
    let (carry, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.unixSeconds = unixSeconds + (remainder < 0 ? carry - 1 : carry)
    self.nanoseconds = Int32(remainder < 0 ? remainder + 1_000_000_000 : remainder)
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
  /// The result is clamped to the first and the last instant that can be represented.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = min(max(duration, .zero - Self.maximumDuration), Self.maximumDuration).components
    let sum = unixSeconds.saturatingAdding(seconds)
    guard Self.range.contains(sum) else { return Timestamp(unixSeconds: sum) }
    return Timestamp(unixSeconds: sum, nanoseconds: Int64(nanoseconds) + attoseconds / 1_000_000_000)
  }

  /// Returns this instant, truncated to a whole second and advanced by seconds, clamped to what can be represented.
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    Timestamp(unixSeconds: unixSeconds.saturatingAdding(seconds))
  }

  /// The range of ``unixSeconds``, in which sums of two durations between instants fit `Int64`, whose overflow traps.
  private static let range: ClosedRange<Int64> = (-1 << 60)...(1 << 60)
  /// A duration that exceeds the time between any two instants.
  private static let maximumDuration = Duration.seconds(1 << 62)

  /// Returns the duration from this instant to another instant, which is negative if the other instant is earlier.
  public func duration(to other: Timestamp) -> Duration {
    .seconds(other.unixSeconds) - .seconds(unixSeconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Returns whether the first instant is earlier than the second.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    (first.unixSeconds, first.nanoseconds) < (second.unixSeconds, second.nanoseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// The instant in the extended ISO 8601 format, without fractions of a second: `2026-11-20T08:00:00Z`.
  public var description: String { iso8601 }
}

extension Timestamp {
  /// Parses a time in the extended ISO 8601 format, such as `2026-11-20T08:00:00.5+08:00`.
  ///
  /// The fraction is optional; the zone is `Z` or an offset. The result is `nil` otherwise, or for a nonexistent date.
  public init?(iso8601 text: String) {
    var scanner = DateScanner(text)
    // RFC 3339, section 5.6, also allows a small `t` or a space between the date and the time.
    guard let date = scanner.readDate(separator: "-"), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let time = scanner.readTimeOfDay(on: date, separator: ":"), let fraction = scanner.readFraction(),
      let offset = scanner.readOffset(), scanner.isAtEnd, let instant = time.timestamp
    else { return nil }
    self.init(unixSeconds: instant.unixSeconds - offset, nanoseconds: fraction)
  }

  /// Parses a time in the basic ISO 8601 format, in UTC, such as `20261120T080000Z`.
  ///
  /// The result is `nil` for any other string, and for a date that does not exist.
  public init?(iso8601Basic text: String) {
    var scanner = DateScanner(text)
    guard let date = scanner.readDate(separator: nil), scanner.skip("T"),
      let time = scanner.readTimeOfDay(on: date, separator: nil), scanner.skip("Z"), scanner.isAtEnd,
      let instant = time.timestamp
    else { return nil }
    self = instant
  }

  /// Parses an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7), such as `Fri, 20 Nov 2026 08:00:00 GMT`.
  ///
  /// The result is `nil` for any other string, and for a date that does not exist. The day of the week is not checked.
  public init?(httpDate text: String) {
    var scanner = DateScanner(text)
    guard scanner.readName() != nil, scanner.skip(","), scanner.skip(" "), let day = scanner.readNumber(2),
      scanner.skip(" "), let monthName = scanner.readName(),
      let month = monthNames.firstIndex(where: { monthName.elementsEqual($0.description.utf8) }), scanner.skip(" "),
      let year = scanner.readNumber(4), scanner.skip(" "),
      let time = scanner.readTimeOfDay(
        on: CivilTime(year: year, month: Int64(month) + 1, day: day), separator: ":"), scanner.skip(" "),
      let zone = scanner.readName(), zone.elementsEqual("GMT".utf8), scanner.isAtEnd, let instant = time.timestamp
    else { return nil }
    self = instant
  }

  /// The instant in the extended ISO 8601 format, without fractions of a second: `2026-11-20T08:00:00Z`.
  public var iso8601: String { String(writing: { $0.append(extendedDate: CivilTime(self)) }) }

  /// The instant in the basic ISO 8601 format, without fractions of a second: `20261120T080000Z`.
  ///
  /// The format has four digits for the year; a year that does not fit becomes the nearest one that does.
  public var iso8601Basic: String { String(writing: { $0.append(BasicTime(self)) }) }

  /// The instant as an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7): `Fri, 20 Nov 2026 08:00:00 GMT`.
  public var httpDate: String { String(writing: { $0.append(httpDate: self) }) }

  /// The number of days from 1970-01-01 to the instant's date in UTC.
  package var dayNumber: Int64 {
    let (days, remainder) = unixSeconds.quotientAndRemainder(dividingBy: CivilTime.secondsPerDay)
    return remainder < 0 ? days - 1 : days
  }
}

/// A reader of the parts of a date, each of which moves past its part or returns `nil`.
private struct DateScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }
  var isAtEnd: Bool { index == bytes.count }

  /// Moves past a character, if one is given, and returns whether it was there.
  @inline(__always) mutating func skip(_ character: Unicode.Scalar?) -> Bool {
    guard let character else { return true }
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// Reads an integer with exactly this number of digits.
  mutating func readNumber(_ digitCount: Int) -> Int64? {
    guard index + digitCount <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[index..<(index + digitCount)] {
      guard byte.isASCIIDigit else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    index += digitCount
    return value
  }

  /// Reads a year, a month and a day, such as `2026-11-20` or, without a separator, `20261120`.
  @inline(__always) mutating func readDate(separator: Unicode.Scalar?) -> CivilTime? {
    guard let year = readNumber(4), skip(separator), let month = readNumber(2), skip(separator), let day = readNumber(2)
    else { return nil }
    return CivilTime(year: year, month: month, day: day)
  }

  /// Reads a time of day, such as `08:00:00` or, without a separator, `080000`, and returns it on a date.
  @inline(__always) mutating func readTimeOfDay(on date: CivilTime, separator: Unicode.Scalar?) -> CivilTime? {
    guard let hour = readNumber(2), skip(separator), let minute = readNumber(2), skip(separator),
      let second = readNumber(2)
    else { return nil }
    return CivilTime(year: date.year, month: date.month, day: date.day, hour: hour, minute: minute, second: second)
  }

  /// Reads the name of a day or a month, or of a time zone: three ASCII letters.
  mutating func readName() -> ArraySlice<UInt8>? {
    let name = bytes[index...].prefix(3)
    guard name.count == 3, name.allSatisfy(\.isASCIILetter) else { return nil }
    index += 3
    return name
  }

  /// Parses an optional fraction of a second and returns its value in nanoseconds; digits after the ninth are dropped.
  mutating func readFraction() -> Int64? {
    guard skip(".") else { return 0 }
    guard let firstDigit = readNumber(1) else { return nil }
    var nanosecondsPerDigit: Int64 = 100_000_000
    var nanoseconds = firstDigit * nanosecondsPerDigit
    while let digit = readNumber(1) {
      nanosecondsPerDigit /= 10
      nanoseconds += digit * nanosecondsPerDigit
    }
    return nanoseconds
  }

  /// Parses a time zone, which is `Z` or an offset, and returns its offset in seconds east of UTC.
  mutating func readOffset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = readNumber(2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = readNumber(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
