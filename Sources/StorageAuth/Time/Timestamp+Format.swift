package import StorageCrypto

private let weekdayNames: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

private let monthNames: [StaticString] = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]

extension Timestamp {
  /// The instant in the extended form of ISO 8601, to the second: `2026-11-20T08:00:00Z`.
  public var iso8601: String {
    String(writing: { writer in
      let time = CivilTime(self)
      writer.append(time.year, digits: 4)
      writer.append(UInt8(ascii: "-"))
      writer.append(twoDigits: time.month)
      writer.append(UInt8(ascii: "-"))
      writer.append(twoDigits: time.day)
      writer.append(UInt8(ascii: "T"))
      writer.append(clock: time, separator: UInt8(ascii: ":"))
      writer.append(UInt8(ascii: "Z"))
    })
  }

  /// The instant in the basic form of ISO 8601, to the second: `20261120T080000Z`.
  public var iso8601Basic: String {
    String(writing: { $0.append(basicDate: self) })
  }

  /// The instant as HTTP writes dates (IMF-fixdate, RFC 9110, 5.6.7): `Fri, 20 Nov 2026 08:00:00 GMT`.
  public var httpDate: String {
    String(writing: { $0.append(httpDate: self) })
  }
}

extension ByteWriter {
  /// Appends an instant as HTTP writes dates.
  package mutating func append(httpDate instant: Timestamp) {
    let time = CivilTime(instant)
    let weekday = instant.dayNumber % 7
    append(weekdayNames[Int(weekday < 0 ? weekday + 7 : weekday)])
    append(", ")
    append(twoDigits: time.day)
    append(UInt8(ascii: " "))
    append(monthNames[Int(time.month) - 1])
    append(UInt8(ascii: " "))
    append(time.year, digits: 4)
    append(UInt8(ascii: " "))
    append(clock: time, separator: UInt8(ascii: ":"))
    append(" GMT")
  }

  /// Appends an instant in the basic form of ISO 8601: `20261120T080000Z`.
  package mutating func append(basicDate instant: Timestamp) {
    let time = CivilTime(instant)
    append(compactDate: time)
    append(UInt8(ascii: "T"))
    append(clock: time, separator: nil)
    append(UInt8(ascii: "Z"))
  }

  /// Appends the day of an instant: `20261120`.
  package mutating func append(compactDate instant: Timestamp) {
    append(compactDate: CivilTime(instant))
  }

  fileprivate mutating func append(compactDate time: CivilTime) {
    append(time.year, digits: 4)
    append(twoDigits: time.month)
    append(twoDigits: time.day)
  }

  fileprivate mutating func append(clock time: CivilTime, separator: UInt8?) {
    append(twoDigits: time.hour)
    if let separator { append(separator) }
    append(twoDigits: time.minute)
    if let separator { append(separator) }
    append(twoDigits: time.second)
  }

  /// Appends a number from 0 to 99 in two digits.
  @inline(__always)
  fileprivate mutating func append(twoDigits number: Int64) {
    put(twoDigits: UInt8(truncatingIfNeeded: number), at: reserve(2))
  }

  /// Appends a number in decimal, with zeros in front up to a number of digits.
  package mutating func append(_ number: Int64, digits: Int = 1) {
    var rest = number.magnitude
    if number < 0 { append(UInt8(ascii: "-")) }
    // Most numbers are a time, which has ten digits until the year 2286.
    var (width, bound): (Int, UInt64) = rest < 1_000_000_000 ? (1, 10) : (10, 10_000_000_000)
    // The largest magnitude has 19 digits, and so has the bound behind the 18th step.
    while width < 19, rest >= bound {
      width &+= 1
      bound &*= 10
    }
    width = max(width, min(digits, 19))
    // Within what is reserved: the digits go from its end to its start.
    let start = reserve(width)
    var place = start &+ width
    while place &- start > 1 {
      place &-= 2
      let next = rest / 100
      put(twoDigits: UInt8(truncatingIfNeeded: rest &- next &* 100), at: place)
      rest = next
    }
    if place > start { unsafe put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest), at: start) }
  }

  @inline(__always)
  private mutating func put(twoDigits number: UInt8, at place: Int) {
    unsafe put(UInt8(ascii: "0") &+ number / 10, at: place)
    unsafe put(UInt8(ascii: "0") &+ number % 10, at: place &+ 1)
  }
}
