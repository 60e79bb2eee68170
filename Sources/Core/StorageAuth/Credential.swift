// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential that authenticates requests.
///
/// Credentials are equatable, so that a cache detects that a provider returned a rejected credential again.
public protocol Credential: Sendable, Equatable {
  /// The first instant at which the credential is valid by its issuer's clock, or `nil` if it is not known.
  var start: Timestamp? { get }
  /// The time at which the credential expires by its issuer's clock, or `nil` if the credential does not expire.
  var expiration: Timestamp? { get }
}

extension Credential {
  /// The default start of a credential's validity, which is `nil`: the issuer did not report a start.
  public var start: Timestamp? { nil }

  /// Returns whether the credential has expired, or expires within a duration; `false` if it does not expire.
  ///
  /// ```swift
  /// if key.expires(within: .seconds(300)) { key = try await refresh() }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The duration to look ahead; zero tests whether the credential has expired.
  ///   - instant: The current time, in UTC.
  public func expires(within duration: Duration, at instant: Timestamp = .now) -> Bool {
    guard let expiration else { return false }
    return expiration <= instant.advanced(by: duration)
  }
}
