// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The remaining lifetime of a credential that a provider has just returned.
enum RemainingLifetime: Equatable {
  /// The credential does not expire, or its expiration cannot be determined on this machine.
  case unlimited
  /// The credential expires after a duration, which is counted from now on the monotonic clock.
  case ends(after: Duration)
  /// The credential has expired according to its issuer's clock, or its start is not before its expiration.
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
      self = expiration > issuerTime ? .ends(after: issuerTime.duration(to: expiration)) : .expired
    } else if let start = credential.start, start >= expiration {
      self = .expired
    } else if let start = credential.start, !(start..<expiration).contains(wallClock) {
      self = .ends(after: start.duration(to: expiration))
    } else {
      self = expiration > wallClock ? .ends(after: wallClock.duration(to: expiration)) : .unlimited
    }
  }
}
