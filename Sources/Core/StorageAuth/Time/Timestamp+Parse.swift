// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension Timestamp {
  /// Parses a time in the extended ISO 8601 format, such as `2026-11-20T08:00:00.5+08:00`.
  ///
  /// The fraction is optional; the time zone is `Z` or an offset. The result is `nil` for any other string, and for a
  /// date that does not exist.
  ///
  /// - Parameter text: A date and time with a time zone.
  public init?(iso8601 text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
      let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
      scanner.isAtEnd,
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

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

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
