/// Fields in the encoding of SSH (RFC 4251, part 5), one after the other.
struct SSHFields {
  private(set) var bytes: [UInt8] = []

  /// Appends a 32-bit number.
  mutating func append(_ value: UInt32) {
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
    }
  }

  /// Appends a string of bytes.
  mutating func append(_ string: [UInt8]) {
    append(UInt32(truncatingIfNeeded: string.count))
    bytes += string
  }

  /// Appends a string of text.
  mutating func append(_ text: String) {
    append(Array(text.utf8))
  }

  /// Appends a number that is not negative, given with its highest byte first.
  mutating func append(number: [UInt8]) {
    let digits = number.drop { $0 == 0 }
    let sign = (digits.first ?? 0) >= 0x80 ? 1 : 0
    append(UInt32(truncatingIfNeeded: digits.count + sign))
    if sign == 1 { bytes.append(0) }
    bytes += digits
  }

  /// Appends bytes as they are.
  mutating func append(raw: [UInt8]) {
    bytes += raw
  }

  /// Overwrites everything with zeros.
  mutating func wipeBytes() {
    wipe(&bytes)
  }
}
