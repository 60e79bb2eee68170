internal import AsperaAuth
internal import StorageAuth

/// What a queue keeps of a session besides what its machine knows.
struct SessionRecord {
  typealias Waiter = CheckedContinuation<Result<TransferSummary, TransferFailure>?, Never>

  let session: TransferSession
  let account: AsperaAccount?
  let issuer: (any TokenIssuer)?
  /// The token that it brought along, if it has no issuer.
  let fixed: TransferGrant?
  /// The tokens of the activation that goes on.
  var tokens: SessionTokens?
  /// Who asks the issuer in it.
  var provider: SessionTokenProvider?
  /// The specification for the attempt that is about to start; not kept longer than that, because secrets are in it.
  var signed: TransferSpec?
  /// What is under way.
  var work: Task<Void, Never>?
  var feed: PathFeed?
  /// When its activation began.
  var began = Duration.zero
  /// The most bytes that an attempt of this activation has moved.
  var bytes: Int64 = 0
  /// The batch that it was added in.
  let batch: UInt64?
  /// Who waits for its end.
  var waiters: [Waiter] = []

  /// - Parameters:
  ///   - session: The session.
  ///   - account: The account of the queue, for a session without one.
  ///   - issuer: The issuer of the queue, for a session without one.
  ///   - batch: The batch that it is added in.
  init(_ session: TransferSession, account: AsperaAccount?, issuer: (any TokenIssuer)?, batch: UInt64?) {
    self.session = session
    self.batch = batch
    self.account = session.account ?? account
    if case .issuer(let own) = session.token { self.issuer = own } else { self.issuer = issuer }
    fixed = self.issuer == nil ? session.fixedGrant : nil
    feed = session.isPersistent ? PathFeed() : nil
  }

  var means: SessionMachine.TokenSupply { issuer != nil ? .issuer : fixed != nil ? .fixed : .none }

  /// Who the server sees: the same for sessions of which one says something about the other.
  var login: String {
    let specification = session.specification
    let host = account?.host ?? specification.remoteHost ?? ""
    let port = account?.sshPort ?? specification.sshPort ?? 0
    return "\(account?.user ?? specification.remoteUser ?? "")@\(host):\(port)"
  }
}

extension TransferSession {
  /// The token that the session brought along: its own, or the one in its specification.
  fileprivate var fixedGrant: TransferGrant? {
    if case .fixed(let token) = token { return TransferGrant(token: token) }
    guard let secret = specification.token, let token = try? AsperaToken(secret) else { return nil }
    return TransferGrant(token: token)
  }
}

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

  /// It is over: no secret is kept, and no waiter is left.
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
