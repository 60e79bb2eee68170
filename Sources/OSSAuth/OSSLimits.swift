internal import StorageAuth

/// The limits that OSS sets for signatures, each in one place.
///
/// Source: "Add signatures to URLs (V4)" and "Appendix: Signature version 4" in the vendor's documentation.
public enum OSSLimits {
  /// The longest lifetime of a V4 URL that is signed with a permanent key, and of a V4 form: seven days.
  public static let urlLifetime = Duration.seconds(604_800)

  /// The longest lifetime of a V4 URL that is signed with a temporary key: twelve hours.
  public static let temporaryURLLifetime = Duration.seconds(43_200)

  /// The largest distance between the time of signing and the present: fifteen minutes.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// The seconds that a V4 URL may live for.
  static func urlSeconds(isTemporary: Bool) -> ClosedRange<Int64> {
    1...(isTemporary ? temporaryURLLifetime : urlLifetime).components.seconds
  }
}
