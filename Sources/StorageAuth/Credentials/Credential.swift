/// What proves who asks.
///
/// The only thing that all credentials share is that they may end.
public protocol Credential: Sendable {
  /// When the credential ends, in UTC; nothing if it does not end by itself.
  var expiration: Timestamp? { get }
}

extension Credential {
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
