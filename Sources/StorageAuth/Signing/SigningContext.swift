/// The circumstances of one act of signing.
///
/// A signer never asks a clock: the time is taken once per act, by whoever knows how far this machine's clock is off.
public struct SigningContext: Sendable, Equatable {
  /// The present, in the service's time.
  public var date: Timestamp

  /// Makes a context.
  ///
  /// - Parameter date: The present, in the service's time.
  public init(date: Timestamp) {
    self.date = date
  }

  /// The present by the clock of this machine.
  public static var now: SigningContext { SigningContext(date: .now) }

  /// A given instant.
  public static func at(_ date: Timestamp) -> SigningContext { SigningContext(date: date) }
}
