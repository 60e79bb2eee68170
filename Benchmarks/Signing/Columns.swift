// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension Double {
  /// Returns the number with up to two decimal places.
  func text(_ digits: Int) -> String {
    let factor = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
    let scaled = Int((self * factor).rounded())
    let whole = "\(scaled / Int(factor))"
    return digits == 0 ? whole : whole + "." + "\(abs(scaled % Int(factor)))".leftPadded(to: digits, with: "0")
  }

  /// Returns the number, right-aligned in a column.
  func column(_ digits: Int, width: Int) -> String { text(digits).leftPadded(to: width, with: " ") }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  func leftPadded(to width: Int, with character: Character) -> String {
    String(repeating: character, count: max(0, width - count)) + self
  }
}
