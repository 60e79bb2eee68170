// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Formatting, parsing and arithmetic of timestamps.
///
/// The known answers were computed with Python's datetime.
final class TimestampTests: XCTestCase {
  private let known: [(unixSeconds: Int64, extended: String, basic: String, http: String)] = [
    (0, "1970-01-01T00:00:00Z", "19700101T000000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
    (-1, "1969-12-31T23:59:59Z", "19691231T235959Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
    (951_825_600, "2000-02-29T12:00:00Z", "20000229T120000Z", "Tue, 29 Feb 2000 12:00:00 GMT"),
    (-2_203_891_201, "1900-02-28T23:59:59Z", "19000228T235959Z", "Wed, 28 Feb 1900 23:59:59 GMT"),
    (-2_203_891_200, "1900-03-01T00:00:00Z", "19000301T000000Z", "Thu, 01 Mar 1900 00:00:00 GMT"),
    (1_709_251_199, "2024-02-29T23:59:59Z", "20240229T235959Z", "Thu, 29 Feb 2024 23:59:59 GMT"),
    (1_709_251_200, "2024-03-01T00:00:00Z", "20240301T000000Z", "Fri, 01 Mar 2024 00:00:00 GMT"),
    (4_107_542_399, "2100-02-28T23:59:59Z", "21000228T235959Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
    (4_107_542_400, "2100-03-01T00:00:00Z", "21000301T000000Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
    (2_147_483_648, "2038-01-19T03:14:08Z", "20380119T031408Z", "Tue, 19 Jan 2038 03:14:08 GMT"),
    (1_795_161_600, "2026-11-20T08:00:00Z", "20261120T080000Z", "Fri, 20 Nov 2026 08:00:00 GMT"),
    (-62_135_596_800, "0001-01-01T00:00:00Z", "00010101T000000Z", "Mon, 01 Jan 0001 00:00:00 GMT"),
    (253_402_300_799, "9999-12-31T23:59:59Z", "99991231T235959Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-11_670_998_400, "1600-02-29T00:00:00Z", "16000229T000000Z", "Tue, 29 Feb 1600 00:00:00 GMT"),
    (-12_219_292_800, "1582-10-15T00:00:00Z", "15821015T000000Z", "Fri, 15 Oct 1582 00:00:00 GMT"),
    (1_132_253_398, "2005-11-17T18:49:58Z", "20051117T184958Z", "Thu, 17 Nov 2005 18:49:58 GMT"),
    (946_684_799, "1999-12-31T23:59:59Z", "19991231T235959Z", "Fri, 31 Dec 1999 23:59:59 GMT"),
    (153_260_660_279, "6826-08-21T05:37:59Z", "68260821T053759Z", "Fri, 21 Aug 6826 05:37:59 GMT"),
    (-33_570_050_736, "0906-03-17T17:54:24Z", "09060317T175424Z", "Wed, 17 Mar 0906 17:54:24 GMT"),
    (-8_294_393_557, "1707-03-01T01:47:23Z", "17070301T014723Z", "Tue, 01 Mar 1707 01:47:23 GMT"),
    (56_007_940_085, "3744-10-27T01:08:05Z", "37441027T010805Z", "Tue, 27 Oct 3744 01:08:05 GMT"),
    (-14_729_913_896, "1503-03-25T21:15:04Z", "15030325T211504Z", "Wed, 25 Mar 1503 21:15:04 GMT"),
    (167_360_163_930, "7273-06-06T22:25:30Z", "72730606T222530Z", "Tue, 06 Jun 7273 22:25:30 GMT"),
    (67_013_448_847, "4093-07-27T14:54:07Z", "40930727T145407Z", "Mon, 27 Jul 4093 14:54:07 GMT"),
    (238_901_723_353, "9540-06-30T05:49:13Z", "95400630T054913Z", "Sun, 30 Jun 9540 05:49:13 GMT"),
    (-30_247_529_690, "1011-06-30T20:25:10Z", "10110630T202510Z", "Sun, 30 Jun 1011 20:25:10 GMT"),
    (250_653_351_343, "9912-11-21T10:55:43Z", "99121121T105543Z", "Thu, 21 Nov 9912 10:55:43 GMT"),
    (-28_000_446_807, "1082-09-13T18:06:33Z", "10820913T180633Z", "Wed, 13 Sep 1082 18:06:33 GMT"),
    (-34_662_063_340, "0871-08-08T17:04:20Z", "08710808T170420Z", "Sat, 08 Aug 0871 17:04:20 GMT"),
  ]

  func testKnownInstantsAreFormatted() {
    for row in known {
      let instant = Timestamp(unixSeconds: row.unixSeconds)
      XCTAssertEqual(instant.iso8601, row.extended)
      XCTAssertEqual(instant.iso8601Basic, row.basic)
      XCTAssertEqual(instant.httpDate, row.http)
      XCTAssertEqual("\(instant)", row.extended)
    }
  }

  func testKnownInstantsAreParsed() {
    for row in known {
      let instant = Timestamp(unixSeconds: row.unixSeconds)
      XCTAssertEqual(Timestamp(iso8601: row.extended), instant)
      XCTAssertEqual(Timestamp(iso8601Basic: row.basic), instant)
      XCTAssertEqual(Timestamp(httpDate: row.http), instant)
    }
  }

  func testOffsetsAndFractionsAreParsed() {
    let base: Int64 = 1_795_161_600
    let cases: [(String, Int64, Int32)] = [
      ("2026-11-20T16:00:00+08:00", base, 0), ("2026-11-20T16:00:00+0800", base, 0),
      ("2026-11-20T02:30:00-05:30", base, 0), ("2026-11-20t08:00:00z", base, 0), ("2026-11-20 08:00:00Z", base, 0),
      ("2026-11-20T08:00:00.5Z", base, 500_000_000), ("2026-11-20T08:00:00.000000001Z", base, 1),
      ("2026-11-20T08:00:00.1234567899Z", base, 123_456_789), ("2026-11-20T08:00:00.25+00:00", base, 250_000_000),
      ("1969-12-31T23:59:59.75Z", -1, 750_000_000), ("2026-11-20T07:59:60Z", base, 0),
      ("2026-11-20T08:00:00-00:00", base, 0),
    ]
    for (text, seconds, nanoseconds) in cases {
      let instant = Timestamp(iso8601: text)
      XCTAssertEqual(instant?.unixSeconds, seconds, text)
      XCTAssertEqual(instant?.nanoseconds, nanoseconds, text)
    }
  }

  func testMalformedISO8601DatesAreRejected() {
    for text in [
      "", "2026", "2026-11-20", "2026-11-20T08:00:00", "2026-11-20T08:00Z", "2026-11-20T08:00:00.Z",
      "2026-11-20T08:00:00,5Z",
      "2026-13-20T08:00:00Z", "2026-00-20T08:00:00Z", "2026-11-31T08:00:00Z", "2026-11-00T08:00:00Z",
      "2026-02-29T08:00:00Z",
      "1900-02-29T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T08:60:00Z", "2026-11-20T08:00:61Z",
      "2026-11-20T08:00:00+8",
      "2026-11-20T08:00:00+08:0", "2026-11-20T08:00:00+24:00", "2026-11-20T08:00:00+08:60", "2026-11-20T08:00:00Zx",
      " 2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z ", "26-11-20T08:00:00Z", "-026-11-20T08:00:00Z",
      "2026-1-20T08:00:00Z",
      "+026-11-20T08:00:00Z", "２026-11-20T08:00:00Z", "2026-11-20T08:00:00UTC", "20261120T080000Z",
    ] {
      XCTAssertNil(Timestamp(iso8601: text), text)
    }
  }

  func testBasicISO8601DateHasFourDigitsForTheYear() {
    XCTAssertEqual(Timestamp(unixSeconds: 253_402_300_799).iso8601Basic, "99991231T235959Z")
    XCTAssertEqual(Timestamp(unixSeconds: 253_402_300_800).iso8601Basic, "99990101T000000Z")
    XCTAssertEqual(Timestamp(unixSeconds: -62_167_219_200).iso8601Basic, "00000101T000000Z")
    XCTAssertEqual(Timestamp(unixSeconds: -62_167_219_201).iso8601Basic, "00001231T235959Z")
  }

  func testMalformedBasicISO8601DatesAreRejected() {
    for text in [
      "", "20261120", "20261120T080000", "20261120T0800Z", "20261120T080000z", "20261120t080000Z", "20261120T080000Z ",
      " 20261120T080000Z", "20261120T080000ZZ", "20260229T080000Z", "20261320T080000Z", "20261120T250000Z",
      "2026-11-20T08:00:00Z",
      "20261120T080000.5Z", "20261120T080000+0000",
    ] {
      XCTAssertNil(Timestamp(iso8601Basic: text), text)
    }
  }

  func testMalformedHTTPDatesAreRejected() {
    for text in [
      "", "Fri, 20 Nov 2026 08:00:00", "Fri, 20 Nov 2026 08:00:00 UTC", "Fri, 20 Nov 2026 08:00:00 +0000",
      "20 Nov 2026 08:00:00 GMT",
      "Friday, 20-Nov-26 08:00:00 GMT", "Fri Nov 20 08:00:00 2026", "Fri, 20 nov 2026 08:00:00 GMT",
      "Fri,  20 Nov 2026 08:00:00 GMT",
      " Fri, 20 Nov 2026 08:00:00 GMT", "Fri, 20 Nov 2026 08:00:00 GMT ", "Fri, 2 Nov 2026 08:00:00 GMT",
      "Fri, 31 Nov 2026 08:00:00 GMT",
      "Fri, 20 Nov 26 08:00:00 GMT", "Fri, 20 Nov 2026 8:00:00 GMT", "Fri, 20 Nov 2026 08:00 GMT",
      "Fri, 20 Nov 2026 08:00:00 gmt",
      "Fri, 20 Nov 2026 08:00:00 G", "F i, 20 Nov 2026 08:00:00 GMT", "Fr, 20 Nov 2026 08:00:00 GMT",
      "Frí, 20 Nov 2026 08:00:00 GMT",
      "Fri 20 Nov 2026 08:00:00 GMT", "Fri, 29 Feb 2026 08:00:00 GMT",
    ] {
      XCTAssertNil(Timestamp(httpDate: text), text)
    }
  }

  func testAdvancingCarriesFractionsInBothDirections() {
    let instant = Timestamp(unixSeconds: 10)
    XCTAssertEqual(instant.advanced(by: .milliseconds(-500)).unixSeconds, 9)
    XCTAssertEqual(instant.advanced(by: .milliseconds(-500)).nanoseconds, 500_000_000)
    XCTAssertEqual(
      instant.advanced(by: .milliseconds(1_500)).advanced(by: .milliseconds(500)), Timestamp(unixSeconds: 12))
    XCTAssertEqual(instant.advanced(by: .milliseconds(1_500)).wholeSeconds, Timestamp(unixSeconds: 11))
    XCTAssertEqual(Timestamp(unixSeconds: -1).advanced(by: .milliseconds(-1)).unixSeconds, -2)
    XCTAssertEqual(instant.duration(to: instant.advanced(by: .milliseconds(-2_250))), .milliseconds(-2_250))
    XCTAssertLessThan(instant, instant.advanced(by: .nanoseconds(1)))
    XCTAssertLessThan(instant.advanced(by: .nanoseconds(-1)), instant)
  }

  func testExtremeInstantsDoNotTrap() {
    let last = Timestamp(unixSeconds: .max)
    let first = Timestamp(unixSeconds: .min)
    XCTAssertEqual(last.advanced(by: .seconds(Int64.max)), last)
    XCTAssertEqual(first.advanced(by: .seconds(Int64.min)), first)
    XCTAssertEqual(first.advanced(by: .nanoseconds(-1)).iso8601.isEmpty, false)
    XCTAssertEqual(last.advanced(by: .seconds(Int64.min)), first)
    XCTAssertEqual(Timestamp(unixSeconds: 0).advanced(by: .seconds(Int64.max)), last)
    XCTAssertEqual(first.duration(to: last), .seconds(1 << 61))
    for instant in [first, last] {
      XCTAssertFalse(instant.iso8601.isEmpty || instant.iso8601Basic.isEmpty || instant.httpDate.isEmpty)
    }
  }

  /// Two centuries, around a year that is a leap year and one that is not, counted day by day.
  func testCalendarAgreesWithCountingDays() {
    var (year, month, day) = (1895, 1, 1)
    for number in Int64(-27_393)..<49_000 {
      let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
      let text = "\(year)-\(digits(month))-\(digits(day))T00:00:00Z"
      let instant = Timestamp(unixSeconds: number * 86_400)
      guard instant.iso8601 == text, Timestamp(iso8601: text) == instant else {
        return XCTFail("\(number): \(instant) is not \(text)")
      }
      let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
      day += 1
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    XCTAssertEqual(year, 2104)
  }

  func testDurationBetweenExtremeInstantsDoesNotOverflow() {
    let ends = [Int64.min, -1, 0, 1, .max].map { Timestamp(unixSeconds: $0) }
    for first in ends {
      for second in ends {
        let duration = first.duration(to: second)
        XCTAssertEqual(duration.components.seconds, second.unixSeconds - first.unixSeconds)
        XCTAssertEqual(first.advanced(by: duration), second)
        XCTAssertEqual((duration + duration).components.seconds, 2 * duration.components.seconds)
      }
      for seconds in [Int64.min, .max] {
        let far = Duration.seconds(seconds)
        let end = seconds < 0 ? ends[0] : ends[4]
        XCTAssertEqual(first.advanced(by: far), end)
        XCTAssertEqual(first.advanced(by: far + far + far), end)
      }
    }
  }
}
