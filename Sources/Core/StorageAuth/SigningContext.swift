// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The context of a signature, which consists of the signing date.
///
/// A signer never reads a clock. Its caller, which knows the clock skew, reads the clock once for each signature.
public struct SigningContext: Sendable, Equatable {
  /// The date and time of signing, according to the service's clock.
  public var date: Timestamp

  /// Creates a signing context; the parameter is the property.
  public init(date: Timestamp) { self.date = date }
  /// A signing context with the current date of this machine's clock, without correction for clock skew.
  public static var now: SigningContext { SigningContext(date: .now) }
  /// Returns a signing context with a signing date according to the service's clock.
  public static func at(_ date: Timestamp) -> SigningContext { SigningContext(date: date) }
}
