// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

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
    append(timeOfDay: time)
    append(" GMT")
  }

  /// Appends a time in the basic ISO 8601 format, such as `20261120T080000Z`.
  package mutating func append(_ time: BasicTime) {
    append(lanes: time.day)
    append(lanes: time.timeOfDay)
  }

  /// Appends the day of a time in the basic ISO 8601 format, such as `20261120`.
  package mutating func append(dayOf time: BasicTime) { append(lanes: time.day) }

  /// Appends a time in the extended ISO 8601 format, such as `2026-11-20T08:00:00Z`.
  mutating func append(extendedDate time: CivilTime) {
    append(time.year, digits: 4)
    append(UInt8(ascii: "-"))
    append(twoDigits: time.month)
    append(UInt8(ascii: "-"))
    append(twoDigits: time.day)
    append(UInt8(ascii: "T"))
    append(timeOfDay: time)
    append(UInt8(ascii: "Z"))
  }

  /// Appends a time of day, such as `08:00:00`.
  private mutating func append(timeOfDay time: CivilTime) {
    // The zeros between the numbers become colons.
    let digits = decimalDigits(
      of: UInt64(truncatingIfNeeded: time.hour &* 1_000_000 &+ time.minute &* 1000 &+ time.second))
    append(lanes: digits | 0x0000_0a00_000a_0000)
  }

  @inline(__always) private mutating func append(twoDigits number: Int64) {
    let number = UInt8(truncatingIfNeeded: number)
    let location = reserve(2)
    unsafe put(UInt8(ascii: "0") &+ number / 10, at: location)
    unsafe put(UInt8(ascii: "0") &+ number % 10, at: location &+ 1)
  }

  /// Appends a decimal integer, padded with leading zeros to at least `digits` digits (19 at most).
  package mutating func append(_ number: Int64, digits: Int = 1) {
    if number < 0 { append(UInt8(ascii: "-")) }
    // 19 digits hold every `Int64`, and bound the recursion, which takes eight digits off at each step.
    append(magnitude: number.magnitude, digits: min(digits, 19))
  }

  private mutating func append(magnitude: UInt64, digits: Int) {
    if magnitude < 100_000_000, digits <= 8 { return append(upToEightDigitsOf: magnitude, digits: digits) }
    let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
    if high < 100_000_000, digits <= 16 {
      append(upToEightDigitsOf: high, digits: digits &- 8)
    } else {
      append(magnitude: high, digits: digits &- 8)
    }
    append(lanes: decimalDigits(of: low))
  }

  @inline(__always) private mutating func append(upToEightDigitsOf magnitude: UInt64, digits: Int) {
    let decimal = decimalDigits(of: magnitude)
    // The first digit is in the lowest byte, so that leading zero digits are trailing zero bits once `"0"` is removed.
    let zeros = (decimal ^ decimalDigits(of: 0)).trailingZeroBitCount &>> 3
    let width = max(8 &- zeros, digits, 1)
    append(lanes: decimal &>> UInt64(8 &* (8 &- width)), count: width)
  }
}

/// Returns the eight decimal digits of an integer below 100,000,000 as ASCII bytes, the first in the lowest byte.
///
/// The integer is divided into halves of four, two and one digits. Each step divides all parts at once by multiplying
/// by a reciprocal that is exact for parts of that size: 5243 / 2^19 for 1 / 100, and 103 / 2^10 for 1 / 10.
@inline(__always) func decimalDigits(of number: UInt64) -> UInt64 {
  let fours = number / 10_000 | (number % 10_000) &<< 32
  let hundreds = (fours &* 5243) &>> 19 & 0x0000_007f_0000_007f
  let twos = hundreds | (fours &- hundreds &* 100) &<< 16
  let tens = (twos &* 103) &>> 10 & 0x000f_000f_000f_000f
  let ones = tens | (twos &- tens &* 10) &<< 8
  return ones &+ 0x3030_3030_3030_3030
}

/// The names of the days in an HTTP date, in the order of `CivilTime.weekday`: 1970-01-01 was a Thursday.
private let weekdayNames: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

/// The names of the months in an HTTP date, whatever the language of the system.
let monthNames: [StaticString] = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
