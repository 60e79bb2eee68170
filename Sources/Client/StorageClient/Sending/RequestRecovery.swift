// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The clock difference above which an unexplained error counts as caused by it; services accept smaller differences.
private let unexplainedSkewTolerance = Duration.seconds(300)

/// The recovery of one request: what the client does between a failed attempt and the next one.
struct RequestRecovery<Provider: StorageProvider> {
  private let sender: RequestSender<Provider>
  private let draft: RequestDraft
  private var plan: RetryPlan

  init(_ sender: RequestSender<Provider>, _ draft: RequestDraft) {
    self.sender = sender
    self.draft = draft
    plan = RetryPlan(sender.configuration, isRepeatable: draft.isRepeatable)
  }

  var attemptNumber: Int { plan.attemptNumber }
  private var credentials: CredentialCache<Provider.SigningCredential> { sender.credentialCache(for: draft.scope) }

  /// Prepares another attempt and returns its step, or throws the failure if sending the request again cannot help.
  mutating func recover(from failure: AttemptFailure) async throws -> RetryPlan.Step {
    let nextStep: RetryPlan.Step?
    let finalError: any Error
    switch failure {
    case .unanswered(let error):
      nextStep = plan.scheduleRetry(after: error)
      finalError = error
    case .unsigned(let error):
      nextStep = plan.scheduleRetry(after: error, backoff: credentials.remainingBackoff)
      finalError = error
    case .rejected(var rejection):
      nextStep = try await applyRemedy(for: &rejection)
      rejection.error.attempts = plan.attemptNumber
      finalError = rejection.error
    }
    guard let nextStep else { throw finalError }
    plan.attemptNumber += 1
    return nextStep
  }

  /// Applies the first remedy for a rejected request that is not used up, or returns `nil` if none can help.
  ///
  /// A lost reason comes first, because it could be any. Another endpoint follows, because the wrong one can reject a
  /// request for any other reason. The clock precedes the credential, because an expired request can be due to either.
  private mutating func applyRemedy(for rejection: inout Rejection) async throws -> RetryPlan.Step? {
    if rejection.isTruncated, let step = plan.scheduleRetry(afterTruncation: rejection.error) { return step }
    if let step = followRelocation(rejection) { return step }
    if draft.request.method == .head, rejection.isUnexplainedDenial {
      if let step = try correctClock(after: rejection, ifOffBy: unexplainedSkewTolerance) { return step }
      if let step = try await requestReason(for: &rejection) { return step }
      if let step = followRelocation(rejection) { return step }
    }
    if rejection.isAboutTime, let step = try correctClock(after: rejection, ifOffBy: ClockSkew.tolerance) {
      return step
    }
    if rejection.isAboutCredential, let step = try await refreshCredential(after: &rejection) { return step }
    return plan.scheduleRetry(after: rejection.error)
  }

  /// Returns the step that sends the request to the location that the service specified, at most once per request.
  private mutating func followRelocation(_ rejection: Rejection) -> RetryPlan.Step? {
    guard plan.mayRelocate, rejection.isMoved else { return nil }
    plan.mayRelocate = false
    return RetryPlan.Step(delay: .zero, reason: "\(rejection.error.code): sent to the location that the service named.")
  }

  /// Learns the service's time if it differs from the signing time, and returns the step that signs again, or `nil`.
  private mutating func correctClock(
    after rejection: Rejection, ifOffBy tolerance: Duration
  ) throws -> RetryPlan.Step? {
    guard plan.mayCorrectClock, let serverTime = rejection.serverTime else { return nil }
    let host = try sender.provider.endpoint.authority
    let usedOffset = rejection.signature.clockOffset
    let deviation = rejection.localTime.duration(to: serverTime) - usedOffset
    guard deviation.magnitude > tolerance else { return nil }
    sender.learnClockSkew(of: host, serverTime: serverTime, at: rejection.localTime)
    // Another request may have corrected the clock since this one was signed.
    guard sender.clockSkew.offset(for: host) != usedOffset else { return nil }
    plan.mayCorrectClock = false
    return RetryPlan.Step(delay: .zero, reason: "\(rejection.error.code): signed again with the clock of \(host).")
  }

  /// Fetches a credential that replaces the rejected credential, and returns the step that signs again, or `nil`.
  private mutating func refreshCredential(after rejection: inout Rejection) async throws -> RetryPlan.Step? {
    var step = RetryPlan.Step(delay: .zero, reason: "\(rejection.error.code): signed again with another credential.")
    // A second new credential in a row helps only if the first expired on its way, and then counts as a retry.
    if !plan.mayRefreshCredential {
      guard rejection.credentialExpiredInTransit else { return nil }
      guard let retry = plan.scheduleRetry(afterExpiration: rejection.error) else { return nil }
      step = retry
    }
    plan.mayRefreshCredential = false
    do throws(CredentialError) {
      _ = try await credentials.credential(lasting: .zero, replacing: rejection.signature.generation)
      return step
    } catch {
      if let cancellation = error.orCancellation as? CancellationError { throw cancellation }
      rejection.error.renewalError = error
      guard error.code != .rejected else { return nil }
      guard let retry = plan.scheduleRetry(after: error, backoff: credentials.remainingBackoff) else { return nil }
      plan.mayRefreshCredential = true
      return retry
    }
  }

  /// Requests the reason for a rejected `HEAD` request, whose response has no body, with a `GET` request for one byte.
  ///
  /// Updates the rejection, or returns a step if the `GET` request can be retried or succeeded with another credential.
  private mutating func requestReason(for rejection: inout Rejection) async throws -> RetryPlan.Step? {
    var request = draft.request
    request.method = .get
    request.headerFields[.range] = "bytes=0-0"
    var probe = RequestDraft(request, to: draft.endpoint, at: draft.location)
    probe.scope = draft.scope
    switch try await sender.sendOnce(probe, number: plan.attemptNumber, { _ in }) {
    case .succeeded(_, let signature):
      // With the same credential, the service rejected something else in the `HEAD` request.
      guard signature.generation != rejection.signature.generation else { return nil }
      return try await refreshCredential(after: &rejection)
    case .failed(.unanswered(let error)):
      return plan.scheduleRetry(after: error)
    case .failed(.unsigned(let error)):
      return plan.scheduleRetry(after: error, backoff: credentials.remainingBackoff)
    case .failed(.rejected(let explained)) where explained.isTruncated:
      return plan.scheduleRetry(afterTruncation: explained.error)
    case .failed(.rejected(let explained)):
      let hasSameCause = explained.error.status == rejection.error.status || explained.isAboutTime
      guard explained.error.isExplained, hasSameCause else { return plan.scheduleRetry(after: explained.error) }
      rejection = explained
      rejection.error.subject = draft.subject
      return nil
    }
  }
}
