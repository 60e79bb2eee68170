// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The remaining recovery steps for a request: each remedy once, and as many retries as the configuration permits.
///
/// The remedies are refreshing the credential, correcting the clock, and switching to another endpoint. They do not
/// count as retries, and apply to every request, because the service rejected it before it performed any action. After
/// each retry, the credential may be refreshed once more, because it can expire while the request waits.
struct RetryPlan {
  /// A decision to send a request again after a delay.
  struct Step {
    let delay: Duration
    let reason: String
  }

  /// The number of the current attempt, starting at 1.
  var attemptNumber = 1
  var mayRefreshCredential = true
  var mayCorrectClock = true
  var mayRelocate = true
  private let isRepeatable: Bool
  private let maximumDelay: Duration
  private var remainingRetries: Int
  private var backoff: Duration

  init(_ configuration: StorageClientConfiguration, isRepeatable: Bool) {
    self.isRepeatable = isRepeatable
    remainingRetries = configuration.attempts - 1
    backoff = configuration.retryDelay
    maximumDelay = configuration.longestRetryDelay
  }

  /// Returns the step that retries a request without a response, or `nil` if the request must not be retried.
  mutating func scheduleRetry(after error: TransportError) -> Step? {
    // Without a connection, the service has received no request.
    guard error.isRetryable, isRepeatable || error.code == .connectionFailed else { return nil }
    return makeStep(because: error.message)
  }

  /// Returns the step that retries a request that was not sent, after the backoff of the credential provider, or `nil`.
  mutating func scheduleRetry(after error: CredentialError, backoff: Duration) -> Step? {
    guard error.isRetryable else { return nil }
    return makeStep(because: "\(error.source): \(error.message)", atLeast: backoff)
  }

  /// Returns the step that retries a request that the service may accept later, or `nil` if retries cannot help.
  mutating func scheduleRetry(after error: ServiceError) -> Step? {
    let wasNotPerformed = error.kind == .throttled || error.kind == .timeout
    guard error.isRetryable, isRepeatable || wasNotPerformed else { return nil }
    return makeStep(because: "\(error.status.code) \(error.code): \(error.message)", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns the step that retries a rejected request whose error response was lost, or `nil`.
  ///
  /// A client error (4xx) means that the service performed no action, so any such request may be sent again.
  mutating func scheduleRetry(afterTruncation error: ServiceError) -> Step? {
    guard isRepeatable || error.status.kind == .clientError else { return nil }
    return makeStep(because: "\(error.status.code): The response was incomplete.", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns the step that retries a request whose credential expired in transit, or `nil` if no retry remains.
  mutating func scheduleRetry(afterExpiration error: ServiceError) -> Step? {
    makeStep(because: "\(error.code): the credential expired in transit.")
  }

  /// Returns the step of a retry, or `nil` if no retry remains or the service requests a longer delay than the limit.
  ///
  /// The delay doubles with each retry and is reduced by a random fraction, so that many clients do not retry at once.
  private mutating func makeStep(because reason: String, atLeast minimumDelay: Duration = .zero) -> Step? {
    guard remainingRetries > 0, minimumDelay <= maximumDelay else { return nil }
    remainingRetries -= 1
    mayRefreshCredential = true
    let delay = min(backoff, maximumDelay) * Double.random(in: 0.5...1)
    backoff = min(backoff, maximumDelay) * 2
    return Step(delay: max(delay, minimumDelay), reason: reason)
  }
}
