internal import StorageAuth

/// What may still be done for a request: each cure once, and as many repetitions as the configuration says.
///
/// Renewing the credential, correcting the clock and going to another endpoint are cures for a request that the service refused before it did
/// anything. They are allowed for every request, and do not count as repetitions. The credential may be renewed once more
/// after each repetition, because a short-lived one can end while the request waits.
struct RetryPlan {
  /// What is done next.
  struct Step {
    let delay: Duration
    let reason: String
  }

  /// How often the request has been sent.
  var attempts = 1
  /// Whether the credential may be renewed without that being a repetition.
  var mayRenew = true
  /// Whether the clock may still be corrected.
  var mayCorrectClock = true
  /// Whether the request may still be sent to another endpoint.
  var mayRelocate = true

  private let isRepeatable: Bool
  private let longestDelay: Duration
  private var repetitionsLeft: Int
  private var backoff: Duration

  init(_ configuration: StorageClientConfiguration, isRepeatable: Bool) {
    self.isRepeatable = isRepeatable
    repetitionsLeft = configuration.attempts - 1
    backoff = configuration.retryDelay
    longestDelay = configuration.longestRetryDelay
  }

  /// Repeats a request that got no answer.
  mutating func step(after error: TransportError) -> Step? {
    guard error.isRetryable, isRepeatable || error.code == .connectionFailed else { return nil }
    return repetition(because: error.message, atLeast: .zero)
  }

  /// Waits for a source of credentials that may answer when it is asked again; nothing was sent yet.
  ///
  /// - Parameter pause: How long the source is left alone.
  mutating func step(after error: CredentialError, pause: Duration) -> Step? {
    guard error.isRetryable else { return nil }
    return repetition(because: "\(error.source): \(error.message)", atLeast: pause)
  }

  /// Repeats a request that the service may answer otherwise next time.
  mutating func step(after error: ServiceError) -> Step? {
    guard error.isRetryable, isRepeatable || error.kind == .throttled || error.kind == .timeout else { return nil }
    return repetition(
      because: "\(error.status.code) \(error.code): \(error.message)", atLeast: error.retryAfter ?? .zero)
  }

  /// Repeats a request whose refusal broke off before it said why; a refusal says at least that nothing was done.
  mutating func step(afterCut error: ServiceError) -> Step? {
    guard isRepeatable || error.status.kind == .clientError else { return nil }
    return repetition(because: "\(error.status.code): The answer broke off.", atLeast: error.retryAfter ?? .zero)
  }

  /// Repeats a request whose credential ended on its way, also the one that was had just before.
  mutating func step(afterExpiry error: ServiceError) -> Step? {
    repetition(because: "\(error.code): the credential ended on the way.", atLeast: .zero)
  }

  /// A repetition after a delay that grows and is cut by a random part, so that many clients do not come back at once; a
  /// service that wants to be left alone for longer than the limit is left alone altogether.
  private mutating func repetition(because reason: String, atLeast shortest: Duration) -> Step? {
    guard repetitionsLeft > 0, shortest <= longestDelay else { return nil }
    repetitionsLeft -= 1
    mayRenew = true
    let delay = min(backoff, longestDelay) * Double.random(in: 0.5...1)
    backoff = min(backoff, longestDelay) * 2
    return Step(delay: max(delay, shortest), reason: reason)
  }
}
