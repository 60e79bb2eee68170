// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The refresh times, the timeout and the backoff of a credential cache.
public struct CredentialCacheConfiguration: Sendable, Hashable {
  /// The timeout of a cache's request to its provider.
  ///
  /// When the timeout elapses, the waiters receive an error, and the provider's response is discarded.
  public var timeout: Duration

  /// The remaining lifetime at which a cached credential is refreshed in the background at the latest.
  ///
  /// The margin is at most a fifth of the credential's lifetime. A random part of up to the same length is added, so
  /// that many machines do not send their requests at the same instant. Zero disables the background refresh.
  public var refreshMargin: Duration

  /// Whether a credential that a caller had to wait for is refreshed at a random age.
  ///
  /// Many machines may have requested their credentials in the same second: when an app is opened, when a service
  /// recovers, or when all keys are rejected. The random age is between an eighth of the usual refresh age and the full
  /// age, so that the refreshes are spread from the first on. Later refreshes, in the background, remain spread.
  public var spreadsFirstRenewal: Bool

  /// The time during which the provider is not called after a failure; the time doubles with each consecutive failure.
  ///
  /// A random part of up to a half is subtracted. While the cached credential is valid, the next background refresh
  /// follows after at least an eighth of ``refreshMargin``, and not before the outage has doubled since the failure.
  public var backoff: Duration

  /// The maximum time during which the provider is not called while a caller needs another credential.
  public var longestBackoff: Duration

  /// Creates a cache configuration; the parameters are the properties, and negative durations count as zero.
  public init(
    timeout: Duration = .seconds(30), refreshMargin: Duration = .seconds(300), backoff: Duration = .seconds(1),
    longestBackoff: Duration = .seconds(60), spreadsFirstRenewal: Bool = true
  ) {
    self.timeout = max(.zero, timeout)
    self.refreshMargin = max(.zero, refreshMargin)
    self.backoff = max(.zero, backoff)
    self.longestBackoff = max(.zero, longestBackoff)
    self.spreadsFirstRenewal = spreadsFirstRenewal
  }

  /// Returns the time during which the provider is not called; `random` is the jitter, from 0 to 1.
  func backoff(after failureCount: Int, random: Double) -> Duration {
    var doubledBackoff = backoff
    for _ in 1..<max(1, failureCount) where doubledBackoff < longestBackoff { doubledBackoff *= 2 }
    return min(doubledBackoff, longestBackoff) * (1 - random / 2)
  }

  /// Returns the delay before the next background refresh after a number of consecutive failures.
  ///
  /// As the cached credential is still valid, there is time: up to a quarter of the refresh margin before the second
  /// attempt. Machines that wait until the outage has lasted twice as long do not return all at once when it ends.
  ///
  /// - Parameters:
  ///   - outage: The time since the first of these failed requests started.
  ///   - remainingLifetime: The remaining lifetime of the cached credential.
  func refreshDelay(
    after failureCount: Int, failingFor outage: Duration, remainingLifetime: Duration, random: Double
  ) -> Duration {
    let quarterOfMargin = min(refreshMargin, max(.zero, remainingLifetime)) / 4 * (1 - random / 2)
    return max(backoff(after: failureCount, random: random), quarterOfMargin, outage * (1 + random))
  }

  /// Returns the age at which a credential is refreshed in the background, or its lifetime if it is not refreshed.
  ///
  /// - Parameter wasAwaited: Whether a caller had to wait, as many machines' callers may have done in the same second.
  func refreshAge(ofLifetime lifetime: Duration, wasAwaited: Bool, random: Double) -> Duration {
    let margin = min(refreshMargin, lifetime / 5)
    guard margin > .zero else { return lifetime }
    let age = lifetime - margin * (1 + random)
    return wasAwaited && spreadsFirstRenewal ? age * (1 - random * 7 / 8) : age
  }
}
