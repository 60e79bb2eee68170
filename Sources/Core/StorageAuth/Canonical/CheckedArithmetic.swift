// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Arithmetic on untrusted integers that never traps. A result that does not fit in the type is `nil` or the nearest
/// representable value. Swift's own operators trap on overflow, which would end the process for all of its tenants.
extension FixedWidthInteger {
  /// Parses an integer that consists only of ASCII digits, as protocols encode sizes, positions and counts.
  ///
  /// It is `nil` for any other text and above 2^60, as in `Timestamp`, so that sums of a few integers fit `Int64`.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0.isASCIIDigit }) else { return nil }
    self.init(text, radix: 10)
    if let limit = Self(exactly: Int64(1) << 60), self > limit { return nil }
  }

  /// Parses an integer like ``init(digits:)``, with a minus sign before the digits if it is negative.
  package init?(signedDigits text: some StringProtocol) where Self: SignedInteger {
    guard let digits = text.removingBytePrefix("-") else {
      self.init(digits: text)
      return
    }
    guard let magnitude = Self(digits: digits) else { return nil }
    self = -magnitude
  }

  package func checkedAdding(_ other: Self) -> Self? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }

  /// Returns the sum of two integers, or the nearest representable value if the sum does not fit in the type.
  package func saturatingAdding(_ other: Self) -> Self { checkedAdding(other) ?? (other < 0 ? .min : .max) }
}
