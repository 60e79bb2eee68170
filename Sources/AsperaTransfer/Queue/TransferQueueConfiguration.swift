public import StorageAuth

/// How many sessions of a queue are active, and what is tried again how often.
public struct TransferQueueConfiguration: Sendable, Hashable {
  /// How many sessions are active at a time; at least 1.
  public var maximumActive: Int

  /// The time between two starts while more than one session is active.
  ///
  /// An SSH server that sees too many logins at once drops some of them (`MaxStartups`), and ascp calls that a refused
  /// account (code 19). That is not told apart from a wrong password and never tried again: keep the starts apart.
  public var startSpacing: Duration

  /// How long a token has to live on when an attempt starts; what the signer asks for, if not given.
  public var tokenMargin: Duration?

  /// How many tokens in a row are renewed because the server refused them, without progress in between.
  ///
  /// The first is renewed at once, the next ones after ``retryDelay``, doubled each time.
  public var tokenRenewals: Int

  /// How often in a row an issuer that failed for a moment is asked again.
  public var issuerRetries: Int

  /// How often in a row an attempt is repeated because the network or the server failed, without progress in between.
  ///
  /// Progress is a file more, or a byte more, than any attempt has had before.
  public var transportRetries: Int

  /// The delay before the first repetition; twice as long before each further one.
  ///
  /// A random part of up to a half is taken off.
  public var retryDelay: Duration

  /// The longest delay.
  public var longestRetryDelay: Duration

  /// How issuers are asked: how long one may take, and how long it is left alone after a failure.
  ///
  /// Its refresh margin is zero unless it is set: a transfer that runs needs its token no more, so that a new one is
  /// asked for when an attempt is about to start, not before.
  public var tokens: CredentialCacheConfiguration

  /// Sets the numbers; negative ones count as zero.
  public init(
    maximumActive: Int = 1, startSpacing: Duration = .seconds(2), tokenMargin: Duration? = nil, tokenRenewals: Int = 2,
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

  /// How long is waited before a repetition.
  ///
  /// - Parameters:
  ///   - number: Which one in a row it is, from 1 on.
  ///   - random: From 0 to 1.
  func delay(beforeRepetition number: Int, random: Double) -> Duration {
    var delay = retryDelay
    for _ in 1..<max(1, number) where delay < longestRetryDelay { delay *= 2 }
    return min(delay, longestRetryDelay) * (1 - random / 2)
  }
}
