/// Values in the distinguished encoding rules of ASN.1 (X.690), as far as private keys need them.
enum DER {
  /// A value with its tag and its length.
  static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
      }
    return [tag] + length + contents
  }

  /// A number that is not negative, given with its highest byte first.
  static func integer(_ number: [UInt8]) -> [UInt8] {
    let digits = Array(number.drop { $0 == 0 })
    return value(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
  }

  /// Values one after the other.
  static func sequence(_ values: [[UInt8]]) -> [UInt8] {
    value(0x30, values.flatMap { $0 })
  }
}
