// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp {
  /// Creates an instant from a date of Foundation.
  ///
  /// A date that is no number counts as the earliest instant, so that a credential with it has expired.
  ///
  /// - Parameter date: The date, of which the nanoseconds are kept as far as its floating-point number has them.
  public init(_ date: Date) {
    let interval = date.timeIntervalSince1970
    let whole = interval.rounded(.down)
    let seconds = Int64(exactly: whole) ?? (interval > 0 ? .max : .min)
    let nanoseconds = Int64(exactly: ((interval - whole) * 1_000_000_000).rounded()) ?? 0
    self = Timestamp(unixSeconds: seconds).advanced(by: .nanoseconds(nanoseconds))
  }
}

extension Date {
  /// Creates a date of Foundation from an instant.
  ///
  /// - Parameter instant: The instant.
  public init(_ instant: Timestamp) {
    self.init(timeIntervalSince1970: Double(instant.unixSeconds) + Double(instant.nanoseconds) / 1_000_000_000)
  }
}
