/// When a cache asks its source, and how long it waits.
public struct CredentialCacheConfiguration: Sendable, Hashable {
  /// How long the source may take to answer; then whoever waits gets an error, and the answer is not awaited any more.
  public var timeout: Duration

  /// How long before its end a credential is renewed in the background; never more than a fifth of its life.
  ///
  /// A random part of up to a fifth is taken off, so that many machines do not ask at the same instant.
  public var refreshMargin: Duration

  /// How long the source is left alone after a failure; twice as long after each further one in a row.
  ///
  /// A random part of up to a half is taken off.
  public var backoff: Duration

  /// The longest that the source is left alone.
  public var longestBackoff: Duration

  /// Sets the times; negative ones count as zero.
  public init(
    timeout: Duration = .seconds(30), refreshMargin: Duration = .seconds(300), backoff: Duration = .seconds(1),
    longestBackoff: Duration = .seconds(60)
  ) {
    self.timeout = max(.zero, timeout)
    self.refreshMargin = max(.zero, refreshMargin)
    self.backoff = max(.zero, backoff)
    self.longestBackoff = max(.zero, longestBackoff)
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

  /// How long before the end of a life it is renewed.
  ///
  /// - Parameters:
  ///   - life: The whole life, as it was at the time of issue.
  ///   - random: From 0 to 1.
  func margin(ofLife life: Duration, random: Double) -> Duration {
    min(refreshMargin, life / 5) * (1 - random / 5)
  }
}
