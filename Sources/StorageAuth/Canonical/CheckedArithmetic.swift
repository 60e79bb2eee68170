/// Arithmetic on numbers that come from outside: a result that does not fit is `nil` or the nearest number that does.
///
/// Swift's own operators end the process on overflow, and with it every tenant of the process.
extension FixedWidthInteger {
  /// Reads a number that is written in ASCII digits alone, as protocols write sizes, positions and counts.
  ///
  /// - Parameter text: The digits.
  /// - Returns: `nil` for a sign, a blank, no digits at all, or a number that does not fit.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    self.init(text, radix: 10)
  }

  /// Returns the sum, or `nil` if it does not fit.
  package func checkedAdding(_ other: Self) -> Self? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }

  /// Returns the sum, or the nearest number that fits.
  package func saturatingAdding(_ other: Self) -> Self {
    checkedAdding(other) ?? (other < 0 ? .min : .max)
  }
}
