/// One request and its answer, with what is to go wrong between them.
struct Exchange: Sendable {
  let plan: FaultPlan
  let sleep: @Sendable @concurrent (Duration) async throws -> Void

  /// What comes before the operation.
  ///
  /// - Returns: The status of an error that is answered instead of carrying it out.
  /// - Throws: ``ConnectionFault`` if there is to be no answer.
  func begin() async throws -> Int? {
    if plan.delayBefore > .zero { try await sleep(plan.delayBefore) }
    return try failure(in: .before)
  }

  /// What comes after the operation.
  ///
  /// - Parameter answer: The answer, which is spoilt if that is planned.
  /// - Returns: The status of an error that takes the place of the answer.
  /// - Throws: ``ConnectionFault`` if there is to be no answer.
  func end(_ answer: inout Answer) async throws -> Int? {
    if plan.delayAfter > .zero { try await sleep(plan.delayAfter) }
    if plan.main?.kind == .malformed, case .bytes(let document) = answer.body {
      answer.body = .bytes(Array(document.prefix(document.count / 2)))
    }
    return try failure(in: .after)
  }

  private func failure(in phase: LocalCloud.Fault.Phase) throws -> Int? {
    guard let fault = plan.main, fault.phase == phase else { return nil }
    switch fault.kind {
    case .serverError(let status): return status
    case .disconnect: throw ConnectionFault()
    case .delay, .stall, .cut, .malformed: return nil
    }
  }
}

/// The connection is closed where it stands, because that was asked for.
struct ConnectionFault: Error {}
