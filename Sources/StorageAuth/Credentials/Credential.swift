/// What proves who asks.
///
/// The only thing that all credentials share is that they may end. Two of them can be told apart, so that a source that
/// answers with the credential that was just rejected is noticed.
public protocol Credential: Sendable, Equatable {
  /// From when the credential is valid, in its issuer's time; nothing if the issuer did not say.
  var start: Timestamp? { get }

  /// When the credential ends, in its issuer's time; nothing if it does not end by itself.
  var expiration: Timestamp? { get }
}

extension Credential {
  /// Nothing: the issuer did not say.
  public var start: Timestamp? { nil }

  /// Whether the credential ends within a duration from an instant, or has ended already.
  ///
  /// ```swift
  /// if key.expires(within: .seconds(300), at: .now) { key = try await refresh() }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: How far to look ahead; zero asks whether the credential has ended.
  ///   - instant: The present, in UTC.
  /// - Returns: `false` for a credential without an expiration.
  public func expires(within duration: Duration, at instant: Timestamp) -> Bool {
    guard let expiration else { return false }
    return expiration <= instant.advanced(by: duration)
  }
}
