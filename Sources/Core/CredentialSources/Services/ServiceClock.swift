// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A clock that follows a service's time after the service has rejected the time of this machine's clock.
///
/// The service's time is advanced by the uptime since its response, so that the wall clock does not affect it.
package final class ServiceClock: Sendable {
  private struct Anchor {
    let time: Timestamp
    let uptime: Duration
  }

  /// The clock skew below which no correction is made.
  ///
  /// Services tolerate a skew of five minutes or more, so that a smaller skew is not the reason for a rejection.
  private static let tolerance = Duration.seconds(30)

  private let anchor = Lock<Anchor?>(nil)

  package init() {}

  /// Returns the service's current time if it is known, otherwise the current time according to this machine's clock.
  package func now(by time: any SigningClock) -> Timestamp {
    guard let anchor = anchor.withLock({ $0 }) else { return time.now }
    return anchor.time.advanced(by: time.uptime - anchor.uptime)
  }

  /// Sets the clock to the service's time after the service has rejected the signing time of a request.
  ///
  /// - Returns: Whether a request that is signed again, with the service's time, can succeed.
  package func correct(by issuerTime: Timestamp?, signedAt date: Timestamp, _ time: any SigningClock) -> Bool {
    guard let issuerTime else { return false }
    let difference = date.duration(to: issuerTime)
    guard difference > Self.tolerance || difference < .zero - Self.tolerance else { return false }
    let uptime = time.uptime
    anchor.withLock { $0 = Anchor(time: issuerTime, uptime: uptime) }
    return true
  }
}
