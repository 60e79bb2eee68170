internal import StorageAuth

/// What a service says when it refuses.
struct ServiceRefusal: Sendable {
  let code: String
  let message: String
  var requestID: String?
}

/// What the codes of a vendor's services mean.
struct RefusalRules: Sendable {
  /// Beginnings of codes that say that the time of the signature is wrong.
  let clock: [String]
  /// Beginnings of codes that go away by themselves.
  let passing: [String]
  /// Beginnings of codes, and what to do about them; the first that fits counts.
  let remedies: [(code: String, remedy: String)]

  func isClock(_ refusal: ServiceRefusal?) -> Bool {
    guard let refusal else { return false }
    return clock.contains { refusal.code.hasPrefix($0) }
  }

  /// The error for an answer that is no credential.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - refusal: What its body says, where it can be read.
  ///   - source: The name of the provider.
  ///   - fallback: What to do about a refusal without a known code.
  func error(
    for answer: ServiceAnswer, _ refusal: ServiceRefusal?, source: String, fallback: String
  ) -> CredentialError {
    let isPassing =
      answer.status >= 500 || answer.status == 429 || answer.status == 408
      || passing.contains { refusal?.code.hasPrefix($0) == true }
    let known = remedies.first { refusal?.code.hasPrefix($0.code) == true }?.remedy
    return CredentialError(
      isPassing ? .failed : .rejected, source: source, message(answer, refusal),
      remedy: known ?? (isPassing ? "Ask again later." : fallback), isRetryable: isPassing)
  }

  private func message(_ answer: ServiceAnswer, _ refusal: ServiceRefusal?) -> String {
    guard let refusal else { return "The service answered with HTTP \(answer.status)." }
    var text = refusal.code
    if !refusal.message.isEmpty { text += ": \(refusal.message)" }
    if let id = refusal.requestID { text += " (request \(id))" }
    return "The service refused (HTTP \(answer.status)). \(answer.text.shown(text))"
  }
}
