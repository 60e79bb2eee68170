public import HTTPTypes
public import StorageAuth

extension StorageClient {
  /// Sends a request of the service with all that a client does about one; for stores of one's own providers.
  ///
  /// It is signed, told as an event, and sent again where that is allowed and can help, with a renewed credential or a
  /// corrected clock if need be. It counts as a request in flight until the end of its answer.
  ///
  /// - Parameters:
  ///   - request: The request to the service's endpoint, not yet signed.
  ///   - body: The body; its length is announced.
  ///   - action: What is done, for errors and events; the method if not given.
  ///   - key: The key of the object that it is done to, for errors and events; nothing for all of the place.
  ///   - isRepeatable: Whether it does no harm to send it again when nobody knows whether it arrived.
  /// - Returns: The answer, a success.
  /// - Throws: ``ServiceError`` for an answer that is none; `TransportError`, `CancellationError`, `SigningError` and
  ///   `CredentialError` where there is no answer.
  public func send(
    _ request: HTTPRequest, body: HTTPBody = .none, action: String? = nil, key: String? = nil,
    isRepeatable: Bool = true
  ) async throws -> HTTPReply {
    try await send(
      RequestDraft(
        request, to: try provider.endpoint, at: location(ofKey: key), action: action, body: body,
        isRepeatable: isRepeatable))
  }

  /// Sends a request, again where that is allowed and can help.
  ///
  /// - Returns: The answer, a success.
  /// - Throws: `ServiceError` for an answer that is none; `TransportError`, `CancellationError`, `SigningError` and
  ///   `CredentialError` where there is no answer.
  func send(_ draft: RequestDraft) async throws -> HTTPReply {
    try await perform(draft) { $0 }
  }

  /// Sends a request whose answer is a short text.
  ///
  /// - Returns: The head of the answer and its whole body.
  func exchange(_ draft: RequestDraft, upTo limit: Int = 16 << 20) async throws -> (HTTPResponse, [UInt8]) {
    try await perform(draft) { reply in
      guard let body = try await reply.body.collected(upTo: limit) else {
        throw StorageError.malformedAnswer("it is longer than \(limit) bytes")
      }
      if let error = draft.errorInside?(reply.response, body) { throw error }
      return (reply.response, body)
    }
  }

  /// The URL of an object or of all of them, as the command line writes it.
  func location(ofKey key: String?) -> String {
    "\(provider.name)://\(provider.place)/\(key ?? "")"
  }

  /// Makes attempts until one succeeds or nothing can help any more.
  ///
  /// - Parameters:
  ///   - draft: The request.
  ///   - consume: Takes a success in; an answer that breaks off there counts as none.
  private func perform<Result>(
    _ draft: RequestDraft, _ consume: (HTTPReply) async throws -> Result
  ) async throws -> Result {
    var plan = RetryPlan(configuration, isRepeatable: draft.isRepeatable)
    while true {
      let step: RetryPlan.Step
      switch try await attempt(draft, consume) {
      case .done(let result, _):
        return result
      case .lost(let error):
        guard let next = plan.step(after: error) else { throw error }
        step = next
      case .unsigned(let error):
        guard let next = plan.step(after: error, pause: credentials.pause) else { throw error }
        step = next
      case .refused(var refusal):
        guard let next = try await recovery(from: &refusal, draft, &plan) else {
          refusal.error.attempts = plan.attempts
          throw refusal.error
        }
        step = next
      }
      plan.attempts += 1
      let attempt = plan.attempts
      events.emit(
        .retry(.init(subject: draft.subject, attempt: attempt, delay: step.delay, reason: step.reason)))
      try await time.sleep(for: step.delay)
    }
  }
}
