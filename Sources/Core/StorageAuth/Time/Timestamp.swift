// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

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
  /// - Parameter unixSeconds: Seconds since 1970-01-01T00:00:00Z; clamped to ±2^60, some 36 billion years.
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

  /// Returns this instant, truncated to a whole second and advanced by seconds, clamped to what can be represented.
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    let (sum, overflow) = unixSeconds.addingReportingOverflow(seconds)
    if overflow { return Timestamp(unixSeconds: seconds < 0 ? Self.range.lowerBound : Self.range.upperBound) }
    return Timestamp(unixSeconds: sum)
  }

  /// The range of ``unixSeconds``: some 36 billion years before and after 1970.
  ///
  /// It keeps the seconds between two instants, and sums of two such durations, in `Int64`, whose overflow traps.
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

extension Timestamp {
  /// Parses a time in the extended ISO 8601 format, such as `2026-11-20T08:00:00.5+08:00`.
  ///
  /// The fraction is optional; the zone is `Z` or an offset. The result is `nil` otherwise, or for a nonexistent date.
  ///
  /// - Parameter text: A date and time with a time zone.
  public init?(iso8601 text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
      let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd,
      let instant = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second).timestamp
    else { return nil }
    self.init(unixSeconds: instant.unixSeconds - offset, nanoseconds: fraction)
  }

  /// Parses a time in the basic ISO 8601 format, in UTC, such as `20261120T080000Z`.
  ///
  /// The result is `nil` for any other string, and for a date that does not exist.
  ///
  /// - Parameter text: A date and time that ends in `Z`.
  public init?(iso8601Basic text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), let month = scanner.number(2), let day = scanner.number(2), scanner.skip("T"),
      let hour = scanner.number(2), let minute = scanner.number(2), let second = scanner.number(2), scanner.skip("Z"),
      scanner.isAtEnd,
      let instant = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second).timestamp
    else { return nil }
    self = instant
  }

  /// Parses an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7), such as `Fri, 20 Nov 2026 08:00:00 GMT`.
  ///
  /// The result is `nil` for any other string, and for a date that does not exist. The day of the week is not checked.
  ///
  /// - Parameter text: The value of a date header, such as `Date` or `Last-Modified`.
  public init?(httpDate text: String) {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.parts(between: " ")
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasByteSuffix(","), parts[5] == "GMT",
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    var scanner = DigitScanner("\(parts[1]) \(parts[3]) \(parts[4])")
    guard let day = scanner.number(2), scanner.skip(" "), let year = scanner.number(4), scanner.skip(" "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
      let second = scanner.number(2), scanner.isAtEnd,
      let instant = CivilTime(
        year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second
      ).timestamp
    else { return nil }
    self = instant
  }
}

/// A scanner for integers with a fixed number of digits.
private struct DigitScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func number(_ digits: Int) -> Int64? {
    guard index + digits <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[index..<(index + digits)] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    index += digits
    return value
  }

  /// Parses an optional fraction of a second and returns its value in nanoseconds; digits after the ninth are dropped.
  mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    var value: Int64 = 0
    var count = 0
    while let digit = number(1) {
      if count < 9 { value = value * 10 + digit }
      count += 1
    }
    guard count > 0 else { return nil }
    while count < 9 {
      value *= 10
      count += 1
    }
    return value
  }

  /// Parses a time zone, which is `Z` or an offset, and returns its offset in seconds east of UTC.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = number(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}

private let weekdayNames: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

private let monthNames: [StaticString] = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]

extension Timestamp {
  /// The instant in the extended ISO 8601 format, without fractions of a second: `2026-11-20T08:00:00Z`.
  public var iso8601: String {
    String(writing: { writer in
      let time = CivilTime(self)
      writer.append(time.year, digits: 4)
      writer.append(UInt8(ascii: "-"))
      writer.append(twoDigits: time.month)
      writer.append(UInt8(ascii: "-"))
      writer.append(twoDigits: time.day)
      writer.append(UInt8(ascii: "T"))
      writer.append(clock: time)
      writer.append(UInt8(ascii: "Z"))
    })
  }

  /// The instant in the basic ISO 8601 format, without fractions of a second: `20261120T080000Z`.
  public var iso8601Basic: String { String(writing: { $0.append(basicDate: self) }) }

  /// The instant as an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7): `Fri, 20 Nov 2026 08:00:00 GMT`.
  public var httpDate: String { String(writing: { $0.append(httpDate: self) }) }
}

extension ByteWriter {
  /// Appends an instant as an HTTP date (IMF-fixdate), such as `Fri, 20 Nov 2026 08:00:00 GMT`.
  package mutating func append(httpDate instant: Timestamp) { append(httpDate: CivilTime(instant)) }

  package mutating func append(httpDate time: CivilTime) {
    append(weekdayNames[Int(time.weekday)])
    append(", ")
    append(twoDigits: time.day)
    append(UInt8(ascii: " "))
    append(monthNames[Int(time.month) - 1])
    append(UInt8(ascii: " "))
    append(time.year, digits: 4)
    append(UInt8(ascii: " "))
    append(clock: time)
    append(" GMT")
  }

  /// Appends an instant in the basic ISO 8601 format, such as `20261120T080000Z`.
  package mutating func append(basicDate instant: Timestamp) { append(basicDate: CivilTime(instant)) }

  package mutating func append(basicDate time: CivilTime) {
    append(compactDate: time)
    append(UInt8(ascii: "T"))
    let clock = time.hour &* 10_000 &+ time.minute &* 100 &+ time.second
    append(lanes: decimalDigits(of: UInt64(truncatingIfNeeded: clock)) &>> 16, count: 6)
    append(UInt8(ascii: "Z"))
  }

  /// Appends the date of an instant in the basic ISO 8601 format, such as `20261120`.
  package mutating func append(compactDate instant: Timestamp) { append(compactDate: CivilTime(instant)) }

  package mutating func append(compactDate time: CivilTime) {
    append(time.year, digits: 4)
    append(lanes: decimalDigits(of: UInt64(truncatingIfNeeded: time.month &* 100 &+ time.day)) &>> 32, count: 4)
  }

  fileprivate mutating func append(clock time: CivilTime) {
    append(twoDigits: time.hour)
    append(UInt8(ascii: ":"))
    append(twoDigits: time.minute)
    append(UInt8(ascii: ":"))
    append(twoDigits: time.second)
  }

  @inline(__always)
  fileprivate mutating func append(twoDigits number: Int64) {
    put(twoDigits: UInt8(truncatingIfNeeded: number), at: reserve(2))
  }

  @inline(__always)
  private mutating func put(twoDigits number: UInt8, at location: Int) {
    unsafe put(UInt8(ascii: "0") &+ number / 10, at: location)
    unsafe put(UInt8(ascii: "0") &+ number % 10, at: location &+ 1)
  }

  /// Appends a decimal integer, padded with leading zeros to at least `digits` digits (19 at most).
  package mutating func append(_ number: Int64, digits: Int = 1) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(magnitude: number.magnitude, digits: min(digits, 19))
  }

  private mutating func append(magnitude: UInt64, digits: Int) {
    if magnitude < 100_000_000, digits <= 8 {
      let decimal = decimalDigits(of: magnitude)
      let zeros = (decimal ^ decimalDigits(of: 0)).trailingZeroBitCount &>> 3
      let width = max(8 &- zeros, digits, 1)
      append(lanes: decimal &>> UInt64(8 &* (8 &- width)), count: width)
    } else {
      let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
      append(magnitude: high, digits: digits &- 8)
      append(lanes: decimalDigits(of: low))
    }
  }
}

/// Returns the eight decimal digits of an integer below 100,000,000 in eight bytes, the first in the lowest byte.
///
/// The integer is divided into halves of four, two and one digits. Each step divides all parts at once by multiplying
/// by a reciprocal that is exact for parts of that size.
@inline(__always)
private func decimalDigits(of number: UInt64) -> UInt64 {
  let fours = number / 10_000 | (number % 10_000) &<< 32
  let hundreds = (fours &* 5243) &>> 19 & 0x0000_007f_0000_007f
  let twos = hundreds | (fours &- hundreds &* 100) &<< 16
  let tens = (twos &* 103) &>> 10 & 0x000f_000f_000f_000f
  let ones = tens | (twos &- tens &* 10) &<< 8
  return ones &+ 0x3030_3030_3030_3030
}

/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
package struct CivilTime: Sendable {
  var year: Int64
  var month: Int64
  var day: Int64
  var hour: Int64 = 0
  var minute: Int64 = 0
  var second: Int64 = 0
  /// The day of the week from 0 for Thursday to 6 for Wednesday, if the time was created from a timestamp.
  private(set) var weekday: Int64 = 0

  private static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra: Int64 = 146_097
  /// The days from 0000-03-01 to 1970-01-01: years are counted from March, so that the leap day ends a year.
  private static let daysToEpoch: Int64 = 719_468

  init(year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  package init(_ timestamp: Timestamp) {
    // A timestamp is so far from the limits of `Int64` that none of these operations overflows.
    let dayNumber = timestamp.dayNumber
    let timeOfDay = timestamp.unixSeconds &- dayNumber &* Self.secondsPerDay
    let shifted = dayNumber &+ Self.daysToEpoch
    let era = (shifted >= 0 ? shifted : shifted &- Self.daysPerEra &+ 1) / Self.daysPerEra
    let dayOfEra = shifted &- era &* Self.daysPerEra
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let marchMonth = (5 &* dayOfYear &+ 2) / 153
    day = dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1
    month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    hour = timeOfDay / 3600
    minute = timeOfDay / 60 % 60
    second = timeOfDay % 60
    let days = dayNumber % 7
    weekday = days < 0 ? days &+ 7 : days
  }

  /// The instant of the date and time, or `nil` if the date or time does not exist; a leap second is the next second.
  var timestamp: Timestamp? {
    guard (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second), (0...9999).contains(year)
    else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let dayNumber = era * Self.daysPerEra + dayOfEra - Self.daysToEpoch
    let instant = Timestamp(unixSeconds: dayNumber * Self.secondsPerDay + hour * 3600 + minute * 60 + second)
    let back = CivilTime(Timestamp(unixSeconds: dayNumber * Self.secondsPerDay))
    return back.day == day && back.month == month ? instant : nil
  }
}

extension Timestamp {
  /// The number of days from 1970-01-01 to the instant's date in UTC.
  package var dayNumber: Int64 {
    let (days, rest) = unixSeconds.quotientAndRemainder(dividingBy: 86_400)
    return rest < 0 ? days - 1 : days
  }
}
