// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A transfer queue's maximum number of active sessions, retry limits and delays.
public struct TransferQueueConfiguration: Sendable, Hashable {
  /// The maximum number of active sessions, which is at least 1.
  public var maximumActive: Int { didSet { maximumActive = max(1, maximumActive) } }

  /// The minimum time between two starts while more than one session is active, which is zero by default.
  ///
  /// An SSH server that receives too many simultaneous logins drops some of them (`MaxStartups` in OpenSSH, by default
  /// 10), which ascp reports as a rejected account (code 19), like a wrong password, which is never retried. For such a
  /// server, set a spacing, such as two seconds. A session requests its token when its turn to start has come.
  public var startSpacing: Duration

  /// The time for which a token must remain valid when an attempt starts, or `nil` to use the signer's requirement.
  public var tokenMargin: Duration? { didSet { tokenMargin = tokenMargin.map { max(.zero, $0) } } }

  /// The maximum number of consecutive refreshes of rejected tokens without progress in between.
  ///
  /// The first rejected token is refreshed immediately, and each later one after ``retryDelay``, which doubles.
  public var tokenRenewals: Int

  /// The maximum number of consecutive retries of a token request that failed temporarily.
  public var issuerRetries: Int

  /// The maximum number of consecutive retries after network or server failures without progress in between.
  ///
  /// An attempt has made progress if it has transferred more files or more bytes than every attempt before it.
  public var transportRetries: Int

  /// The delay before the first retry, which doubles with each retry; up to half of it is subtracted at random.
  public var retryDelay: Duration
  /// The maximum delay before a retry, which limits the doubling of ``retryDelay``.
  public var longestRetryDelay: Duration

  /// The configuration of the token cache, such as the timeout of token requests and the backoff after a failure.
  ///
  /// The refresh margin is zero by default: a new token is requested only when an attempt is about to start, because a
  /// running transfer no longer needs its token.
  public var tokens: CredentialCacheConfiguration

  /// Creates a queue configuration, replacing negative values with zero.
  public init(
    maximumActive: Int = 1, startSpacing: Duration = .zero, tokenMargin: Duration? = nil, tokenRenewals: Int = 2,
    issuerRetries: Int = 4, transportRetries: Int = 7, retryDelay: Duration = .seconds(2),
    longestRetryDelay: Duration = .seconds(60),
    tokens: CredentialCacheConfiguration = CredentialCacheConfiguration(refreshMargin: .zero)
  ) {
    self.maximumActive = max(1, maximumActive)
    self.startSpacing = max(.zero, startSpacing)
    self.tokenMargin = tokenMargin.map { max(.zero, $0) }
    self.tokenRenewals = max(0, tokenRenewals)
    self.issuerRetries = max(0, issuerRetries)
    self.transportRetries = max(0, transportRetries)
    self.retryDelay = max(.zero, retryDelay)
    self.longestRetryDelay = max(.zero, longestRetryDelay)
    self.tokens = tokens
  }

  /// Returns the delay before a retry, the first of which has the number 1; `random` from 0 to 1 is for the jitter.
  func delay(beforeRetry number: Int, random: Double) -> Duration {
    var delay = retryDelay
    for _ in 1..<max(1, number) where delay < longestRetryDelay { delay *= 2 }
    return min(delay, longestRetryDelay) * (1 - random / 2)
  }
}
