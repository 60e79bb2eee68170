// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A date and a time of day in UTC, in the sixteen characters of the basic ISO 8601 format: `20261120T080000Z`.
///
/// A signature contains them several times, so they are formatted once.
package struct BasicTime: Sendable {
  /// The digits of the day, `20261120`, the first in the lowest byte.
  let day: UInt64
  /// The time of day, `T080000Z`, the first character in the lowest byte.
  let timeOfDay: UInt64

  /// Creates the text of an instant; a year that does not have four digits becomes the nearest one that has.
  package init(_ timestamp: Timestamp) {
    let time = CivilTime(timestamp)
    let date = min(max(time.year, 0), 9999) &* 10_000 &+ time.month &* 100 &+ time.day
    day = decimalDigits(of: UInt64(truncatingIfNeeded: date))
    let digits = decimalDigits(of: UInt64(truncatingIfNeeded: time.hour &* 10_000 &+ time.minute &* 100 &+ time.second))
    // The digits start with two zeros: the shift drops the first, and the letter in front replaces the second.
    let letters = UInt64(UInt8(ascii: "T")) | UInt64(UInt8(ascii: "Z")) &<< 56
    timeOfDay = digits &>> 8 & 0x00ff_ffff_ffff_ff00 | letters
  }
}
