// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The time of signing.
///
/// A signer never reads a clock: its caller, which knows the clock skew of this machine, reads the time once for each
/// signature.
public struct SigningContext: Sendable, Equatable {
  /// The present, by the service's clock.
  public var date: Timestamp

  /// Creates a context.
  ///
  /// - Parameter date: The present, by the service's clock.
  public init(date: Timestamp) {
    self.date = date
  }

  /// The present by the clock of this machine.
  public static var now: SigningContext { SigningContext(date: .now) }

  /// Returns a context with a given time.
  ///
  /// - Parameter date: The time, by the service's clock.
  public static func at(_ date: Timestamp) -> SigningContext { SigningContext(date: date) }
}
