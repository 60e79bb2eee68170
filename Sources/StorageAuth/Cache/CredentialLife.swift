// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The remaining lifetime of a credential that the provider has just returned.
enum CredentialLife: Equatable {
  /// The credential does not expire, or its expiration cannot be determined here.
  case open
  /// The credential expires after a duration, counted from now on the monotonic clock.
  case ends(after: Duration)
  /// The credential has expired by its issuer's clock, or its issuer gave it a start that is not before its expiration.
  case over

  /// Determines the lifetime of a credential.
  ///
  /// The issuer's clock decides where it is known. Otherwise, a wall clock outside of the period from start to
  /// expiration counts as wrong, because the credential has just been issued; then the whole period is used. If the
  /// start is not known either and the credential has expired by the wall clock, the clock may be wrong: the credential
  /// is used without an expiration, and the service decides.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - issuerTime: The time by the issuer's clock when it issued the credential, or `nil` if it is not known.
  ///   - wallClock: The time by the wall clock of this machine.
  init(of credential: some Credential, issuerTime: Timestamp?, wallClock: Timestamp) {
    guard let expiration = credential.expiration else {
      self = .open
      return
    }
    if let issuerTime {
      self = expiration > issuerTime ? .ends(after: issuerTime.duration(to: expiration)) : .over
    } else if let start = credential.start, start >= expiration {
      self = .over
    } else if let start = credential.start, !(start..<expiration).contains(wallClock) {
      self = .ends(after: start.duration(to: expiration))
    } else {
      self = expiration > wallClock ? .ends(after: wallClock.duration(to: expiration)) : .open
    }
  }
}
