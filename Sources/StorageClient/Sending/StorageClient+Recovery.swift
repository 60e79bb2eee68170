internal import HTTPTypes
internal import StorageAuth

/// From which difference on the date of an answer that says nothing else counts as its reason; services accept less.
private let unexplainedSkew = Duration.seconds(300)

extension StorageClient {
  /// Finds out what can help against a refusal, and does it.
  ///
  /// - Returns: When to send the request again, and why; nothing if that cannot help.
  func recovery(
    from refusal: inout Refusal, _ draft: RequestDraft, _ plan: inout RetryPlan
  ) async throws -> RetryPlan.Step? {
    if refusal.isCut, let step = plan.step(afterCut: refusal.error) { return step }
    if let step = relocationStep(refusal, &plan) { return step }
    if draft.request.method == .head, refusal.isUnclear {
      if let step = try clockStep(refusal, beyond: unexplainedSkew, &plan) { return step }
      if let step = try await explain(&refusal, draft, &plan) { return step }
      if let step = relocationStep(refusal, &plan) { return step }
    }
    if refusal.isAboutTime, let step = try clockStep(refusal, beyond: ClockSkew.tolerance, &plan) { return step }
    if refusal.isAboutCredential, let step = try await renewalStep(&refusal, &plan) { return step }
    return plan.step(after: refusal.error)
  }

  /// Goes where the service says that the bucket is, once for a request.
  private func relocationStep(_ refusal: Refusal, _ plan: inout RetryPlan) -> RetryPlan.Step? {
    guard plan.mayRelocate, refusal.isMoved else { return nil }
    plan.mayRelocate = false
    return RetryPlan.Step(delay: .zero, reason: "\(refusal.error.code): sent to where the service says the bucket is.")
  }

  /// Learns the service's time, if that is another one than the request was signed with.
  private func clockStep(
    _ refusal: Refusal, beyond tolerance: Duration, _ plan: inout RetryPlan
  ) throws -> RetryPlan.Step? {
    guard plan.mayCorrectClock, let serverTime = refusal.serverTime else { return nil }
    let host = try provider.endpoint.authority
    let error = refusal.localTime.duration(to: serverTime) - refusal.signature.clockOffset
    guard error.magnitude > tolerance else { return nil }
    if let offset = clockSkew.learn(host: host, serverTime: serverTime, at: refusal.localTime) {
      events.emit(.skew(.init(host: host, offset: offset)))
    }
    guard clockSkew.offset(for: host) != refusal.signature.clockOffset else { return nil }
    plan.mayCorrectClock = false
    return RetryPlan.Step(
      delay: .zero, reason: "\(refusal.error.code): signed again with the clock of \(host).")
  }

  /// Gets another credential than the one that was refused, now or when its source may be asked again.
  private func renewalStep(_ refusal: inout Refusal, _ plan: inout RetryPlan) async throws -> RetryPlan.Step? {
    var step = RetryPlan.Step(
      delay: .zero, reason: "\(refusal.error.code): signed again with another credential.")
    if !plan.mayRenew {
      guard refusal.endedOnTheWay, let repetition = plan.step(afterExpiry: refusal.error) else { return nil }
      step = repetition
    }
    plan.mayRenew = false
    do throws(CredentialError) {
      _ = try await credentials.credential(lasting: .zero, replacing: refusal.signature.generation)
      return step
    } catch {
      if let cancellation = error.asCancellation as? CancellationError { throw cancellation }
      refusal.error.renewalError = error
      guard error.code != .rejected, let step = plan.step(after: error, pause: credentials.pause) else { return nil }
      plan.mayRenew = true
      return step
    }
  }

  /// Asks why a HEAD was refused, which has no body to say so: a GET of one byte does.
  ///
  /// If the GET is allowed with the same credential, the refusal stays as it is.
  ///
  /// - Returns: When to send the request again, if the question got no answer or another credential was the cure.
  private func explain(
    _ refusal: inout Refusal, _ draft: RequestDraft, _ plan: inout RetryPlan
  ) async throws -> RetryPlan.Step? {
    var request = draft.request
    request.method = .get
    request.headerFields[.range] = "bytes=0-0"
    switch try await attempt(RequestDraft(request, to: draft.endpoint, at: draft.location), { _ in }) {
    case .done(_, let signature):
      guard signature.generation != refusal.signature.generation else { return nil }
      return try await renewalStep(&refusal, &plan)
    case .lost(let error):
      return plan.step(after: error)
    case .unsigned(let error):
      return plan.step(after: error, pause: credentials.pause)
    case .refused(let answer) where answer.isCut:
      return plan.step(afterCut: answer.error)
    case .refused(let answer):
      guard answer.error.isExplained, answer.error.status == refusal.error.status || answer.isAboutTime else {
        return plan.step(after: answer.error)
      }
      refusal = answer
      refusal.error.subject = draft.subject
      return nil
    }
  }
}
