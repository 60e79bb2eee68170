/// When a cache asks its source, and how long it waits.
public struct CredentialCacheConfiguration: Sendable, Hashable {
  /// How long the source may take to answer; then whoever waits gets an error, and the answer is not awaited any more.
  public var timeout: Duration

  /// How long before its end a credential is renewed in the background at the latest; never more than a fifth of its life.
  ///
  /// A random part of up to the same length is added, so that many machines do not ask at the same instant. Zero renews
  /// nothing in the background.
  public var refreshMargin: Duration

  /// Whether a credential for which a caller had to wait is renewed at a random age.
  ///
  /// Many machines may have asked for theirs in the same second: an app that is opened, a service that comes back, keys
  /// that are all rejected. The age is between an eighth of the usual one and all of it, so that the renewals are spread
  /// from the first one on. Credentials that are renewed in the background keep the distance that they have.
  public var spreadsFirstRenewal: Bool

  /// How long the source is left alone after a failure; twice as long after each further one in a row.
  ///
  /// A random part of up to a half is taken off. While the credential that is held lives, the next try to renew it in the
  /// background comes after an eighth of the margin or later, and not before the source has failed for twice the time.
  public var backoff: Duration

  /// The longest that the source is left alone while a caller needs another credential than the one that is held.
  public var longestBackoff: Duration

  /// Sets the times; negative ones count as zero.
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

  /// How long the source is left alone after so many failures in a row.
  ///
  /// - Parameters:
  ///   - failures: At least 1.
  ///   - random: From 0 to 1.
  func backoff(after failures: Int, random: Double) -> Duration {
    var delay = backoff
    for _ in 1..<max(1, failures) where delay < longestBackoff { delay *= 2 }
    return min(delay, longestBackoff) * (1 - random / 2)
  }

  /// How long a renewal in the background is put off after so many failures in a row.
  ///
  /// The credential that is held lives, so there is time: a quarter of the margin before the second try. Machines that try
  /// again only when the outage has lasted twice as long come back over a time as long as the outage, and not all at once.
  ///
  /// - Parameters:
  ///   - failures: At least 1.
  ///   - outage: For how long the source has been failing.
  ///   - rest: For how long the credential that is held lives on.
  ///   - random: From 0 to 1.
  func renewalDelay(after failures: Int, failingFor outage: Duration, rest: Duration, random: Double) -> Duration {
    let patience = min(refreshMargin, max(.zero, rest)) / 4 * (1 - random / 2)
    return max(backoff(after: failures, random: random), patience, outage * (1 + random))
  }

  /// The age at which a credential is renewed in the background, or its whole life if it is not.
  ///
  /// - Parameters:
  ///   - life: The whole life, as it was at the time of issue.
  ///   - isFirst: Whether a caller had to wait for the credential, as many may have done in the same second.
  ///   - random: From 0 to 1.
  func renewalAge(ofLife life: Duration, isFirst: Bool, random: Double) -> Duration {
    let margin = min(refreshMargin, life / 5)
    guard margin > .zero else { return life }
    let age = life - margin * (1 + random)
    return isFirst && spreadsFirstRenewal ? age * (1 - random * 7 / 8) : age
  }
}
