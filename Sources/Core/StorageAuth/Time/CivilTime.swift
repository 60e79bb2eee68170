// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
///
/// The conversions are from Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
/// (<https://howardhinnant.github.io/date_algorithms.html>). An era is 400 years, after which the calendar repeats.
package struct CivilTime: Sendable {
  var year: Int64
  var month: Int64
  var day: Int64
  var hour: Int64 = 0
  var minute: Int64 = 0
  var second: Int64 = 0
  /// The day of the week from 0 for Thursday to 6 for Wednesday, if the time was created from a timestamp.
  private(set) var weekday: Int64 = 0

  static let secondsPerDay: Int64 = 86_400
  private static let daysPerEra: Int64 = 146_097
  /// The days from 0000-03-01 to 1970-01-01: years are counted from March, so that the leap day ends a year.
  private static let daysToEpoch: Int64 = 719_468
}

extension CivilTime {
  package init(_ timestamp: Timestamp) {
    // A timestamp is so far from the limits of `Int64` that none of these operations overflows.
    let dayNumber = timestamp.dayNumber
    let timeOfDay = timestamp.unixSeconds &- dayNumber &* Self.secondsPerDay
    let daysSinceYear0 = dayNumber &+ Self.daysToEpoch
    let era = (daysSinceYear0 >= 0 ? daysSinceYear0 : daysSinceYear0 &- Self.daysPerEra &+ 1) / Self.daysPerEra
    let dayOfEra = daysSinceYear0 &- era &* Self.daysPerEra
    // The leap days are subtracted: one after each 1460 days, none after each 36,524, but one after each 146,096.
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    // Five months from March or August on have 153 days.
    let monthsSinceMarch = (5 &* dayOfYear &+ 2) / 153
    day = dayOfYear &- (153 &* monthsSinceMarch &+ 2) / 5 &+ 1
    month = monthsSinceMarch < 10 ? monthsSinceMarch &+ 3 : monthsSinceMarch &- 9
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    hour = timeOfDay / 3600
    minute = timeOfDay / 60 % 60
    second = timeOfDay % 60
    let dayOfWeek = dayNumber % 7
    weekday = dayOfWeek < 0 ? dayOfWeek &+ 7 : dayOfWeek
  }

  /// The instant of the date and time, or `nil` if the date or time does not exist; a leap second is the next second.
  var timestamp: Timestamp? {
    guard (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second), (0...9999).contains(year)
    else { return nil }
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let dayNumber = era * Self.daysPerEra + dayOfEra - Self.daysToEpoch
    let instant = Timestamp(unixSeconds: dayNumber * Self.secondsPerDay + hour * 3600 + minute * 60 + second)
    // A day that the month does not have, such as 31 April, results in a day of the next month.
    let existingDate = CivilTime(Timestamp(unixSeconds: dayNumber * Self.secondsPerDay))
    return existingDate.day == day && existingDate.month == month ? instant : nil
  }
}
