internal import AsperaAuth
internal import StorageAuth

extension SessionRecord {
  /// What the session does, for people and for metrics.
  var subject: String { session.specification.subject(for: account) }

  /// An activation begins, with tokens of its own.
  mutating func begin(as id: String, queue: TransferQueue, at uptime: Duration) {
    began = uptime
    bytes = 0
    let (configuration, events, time) = (queue.configuration.tokens, queue.authEvents, queue.time)
    if let issuer {
      let provider = SessionTokenProvider(
        issuer: issuer, session: id, specification: session.specification.forIssuer(of: account),
        attempts: provider?.attempts ?? 0)
      self.provider = provider
      tokens = SessionTokens(
        issuer: provider, margin: queue.tokenMargin(for: account), configuration: configuration, events: events,
        time: time)
    } else if let fixed {
      tokens = SessionTokens(fixed: fixed, configuration: configuration, events: events, time: time)
    }
  }

  /// It is over: nothing secret is kept, and nobody waits any more.
  mutating func end() {
    tokens = nil
    signed = nil
    work = nil
    waiters = []
  }

  /// An attempt tells something.
  mutating func note(_ report: TransferReport) {
    switch report {
    case .progress(let progress):
      bytes = max(bytes, progress.bytes)
    case .file(let file):
      if case .failed = file.outcome { return }
      feed?.done(file.file)
    case .connecting, .running:
      break
    }
  }

  func retryEvent(_ retry: TransferRetry) -> AuthEvent.Retry {
    AuthEvent.Retry(
      subject: subject, attempt: retry.number + 1, delay: retry.delay,
      reason: "\(retry.cause): \(retry.failure.message)")
  }

  func transferEvent(_ result: Result<TransferSummary, TransferFailure>, at uptime: Duration) -> AuthEvent.Transfer {
    switch result {
    case .success(let summary):
      AuthEvent.Transfer(subject: subject, bytes: summary.bytes, duration: uptime - began, failure: nil)
    case .failure(let failure):
      AuthEvent.Transfer(subject: subject, bytes: bytes, duration: uptime - began, failure: failure.message)
    }
  }
}
