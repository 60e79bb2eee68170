// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential from a provider, with the issuer's time and the source if they are known.
public struct IssuedCredential<Value: Credential>: Sendable {
  /// The credential that the provider returned.
  public let credential: Value

  /// The issuer's time when the provider received the credential, or `nil` if the issuer did not report it.
  ///
  /// A credential with a ``lifetime`` comes from a store: this is the time at which it was taken from the store. For
  /// example, the time is 12:40 if a credential that expires at 13:00 was issued at 12:00 and taken at 12:40.
  public let issuerTime: Timestamp?

  /// The name of the source that issued the credential, or `nil` if the source is the provider that was called.
  public let source: String?
  /// The lifetime that a stored credential had at its issue, or `nil` for a credential that was issued just now.
  public let lifetime: Duration?

  /// Creates a provider's result; the parameters are the properties.
  public init(_ credential: Value, issuerTime: Timestamp? = nil, source: String? = nil, lifetime: Duration? = nil) {
    self.credential = credential
    self.issuerTime = issuerTime
    self.source = source
    self.lifetime = lifetime
  }

  /// Returns the same result with the name of the source that issued the credential.
  package func with(source: String) -> IssuedCredential {
    IssuedCredential(credential, issuerTime: issuerTime, source: source, lifetime: lifetime)
  }
}

/// The remaining lifetime of a credential that a provider has just returned.
enum RemainingLifetime: Equatable {
  /// The credential does not expire, or its expiration cannot be determined on this machine.
  case unlimited
  /// The credential expires after a duration, which is counted from now on the monotonic clock.
  case expires(after: Duration)
  /// The credential has expired by its issuer's clock, or expires at its start if the issuer's time is not known.
  case expired

  /// Determines the remaining lifetime of a credential that a provider has just returned.
  ///
  /// The issuer's time decides if it is known. Otherwise, a wall clock outside of the period from start to expiration
  /// counts as wrong, because the credential has just been issued; the lifetime is then the whole period. If the start
  /// is not known either and the credential has expired according to the wall clock, the clock may be wrong. In this
  /// case the credential is used without an expiration, and the service decides.
  init(of credential: some Credential, issuerTime: Timestamp?, wallClock: Timestamp) {
    guard let expiration = credential.expiration else {
      self = .unlimited
      return
    }
    if let issuerTime {
      self = expiration > issuerTime ? .expires(after: issuerTime.duration(to: expiration)) : .expired
    } else if let start = credential.start, start >= expiration {
      self = .expired
    } else if let start = credential.start, !(start..<expiration).contains(wallClock) {
      self = .expires(after: start.duration(to: expiration))
    } else {
      self = expiration > wallClock ? .expires(after: wallClock.duration(to: expiration)) : .unlimited
    }
  }
}
