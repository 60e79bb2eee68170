// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A transfer queue's data about a session, except the session's state machine.
struct SessionRecord {
  typealias Waiter = CheckedContinuation<TransferResult?, Never>

  let session: TransferSession
  var account: AsperaAccount?
  let issuer: (any TokenIssuer)?
  /// The credential with the session's fixed token, if the session has no issuer.
  let fixedCredential: TransferCredential?
  var tokens: SessionTokens?
  /// The provider of the issuer's tokens for the session's last activation, which has counted the token requests.
  private var tokenProvider: SessionTokenProvider?
  /// The signed specification of the attempt that is about to start; it contains secrets and is then removed.
  var signedSpecification: TransferSpec?
  /// The session's current task: a token request, a token check, an attempt or a delay.
  var currentTask: Task<Void, Never>?
  var pathFeed: PathFeed?
  /// The span that measures the session until it ends, or `nil` if no instrument is installed.
  var operationSpan: ActiveSpan?
  var attemptCount = 0
  private var activationStart = Duration.zero
  /// The largest number of bytes that an attempt in the current activation has transferred.
  private var transferredBytes: Int64 = 0
  /// The ID of the batch that the session belongs to, or `nil` if it was added to the queue alone.
  let batchID: UInt64?
  var waiters: [Waiter] = []
  /// The ID of the transfer in its tags, which is the same for all attempts.
  let transferID = UUID().uuidString.lowercased()

  /// Creates the record for a session, with the queue's account and issuer for what the session does not have.
  init(_ session: TransferSession, account: AsperaAccount?, issuer: (any TokenIssuer)?, batchID: UInt64?) {
    self.session = session
    self.batchID = batchID
    self.account = session.account ?? account
    if case .issuer(let sessionIssuer) = session.token { self.issuer = sessionIssuer } else { self.issuer = issuer }
    fixedCredential = self.issuer == nil ? session.fixedToken.map { TransferCredential(token: $0) } : nil
    pathFeed = session.isPersistent ? PathFeed() : nil
  }

  var tokenSupply: SessionMachine.TokenSupply { issuer != nil ? .issuer : fixedCredential != nil ? .fixed : .none }

  /// The user and the address of the login, by which the queue remembers accepted logins; missing parts are empty.
  var login: String {
    let specification = session.specification
    let host = account?.host ?? specification.remoteHost ?? ""
    let port = account?.sshPort ?? specification.sshPort ?? 0
    return "\(account?.user ?? specification.remoteUser ?? "")@\(host):\(port)"
  }

  var subject: String { session.specification.subject(for: account) }

  /// Starts the measurement of an activation, and creates its token cache.
  mutating func beginActivation(as id: String, in queue: TransferQueue, at uptime: Duration) {
    activationStart = uptime
    transferredBytes = 0
    let configuration = queue.configuration.tokens
    if let issuer {
      let provider = SessionTokenProvider(
        issuer: issuer, sessionID: id, specification: session.specification.specificationForIssuer(of: account),
        requestCount: tokenProvider?.requestCount ?? 0)
      tokenProvider = provider
      tokens = SessionTokens(
        provider, margin: queue.tokenMargin(for: account), configuration: configuration, events: queue.authEvents,
        context: queue.context)
    } else if let fixedCredential {
      tokens = SessionTokens(fixedCredential, configuration: configuration, events: queue.authEvents, time: queue.time)
    }
  }

  /// Releases what the session needs only until it ends.
  mutating func releaseResources() {
    tokens = nil
    signedSpecification = nil
    currentTask = nil
    operationSpan = nil
    attemptCount = 0
    waiters = []
  }

  mutating func update(from report: TransferReport) {
    switch report {
    case .progress(let progress): transferredBytes = max(transferredBytes, progress.bytes)
    case .file(let file):
      if case .failed = file.outcome { return }
      pathFeed?.removePath(withSource: file.file)
    case .connecting, .running: break
    }
  }

  func retryEvent(_ retry: TransferRetry) -> AuthEvent.Retry {
    let reason = "\(retry.cause): \(retry.failure.message)"
    return AuthEvent.Retry(subject: subject, attempt: retry.number + 1, delay: retry.delay, reason: reason)
  }

  func transferEvent(_ result: TransferResult, at uptime: Duration) -> AuthEvent.Transfer {
    let duration = uptime - activationStart
    return switch result {
    case .success(let summary):
      AuthEvent.Transfer(subject: subject, bytes: summary.bytes, duration: duration, failure: nil)
    case .failure(let failure):
      AuthEvent.Transfer(subject: subject, bytes: transferredBytes, duration: duration, failure: failure.message)
    }
  }
}

extension TransferSession {
  fileprivate var fixedToken: AsperaToken? {
    if case .fixed(let token) = token { return token }
    return specification.token.flatMap { try? AsperaToken($0) }
  }
}

/// A feed of a persistent session's paths to an attempt, which first receives those that are not known to be done.
struct PathFeed {
  /// The added paths that no attempt has reported as transferred.
  private(set) var pendingPaths: [TransferPath] = []
  private(set) var isFinished = false
  private var attemptContinuation: AsyncStream<[TransferPath]>.Continuation?

  mutating func add(_ paths: [TransferPath]) {
    pendingPaths += paths
    attemptContinuation?.yield(paths)
  }

  /// Ends the sequence of the current attempt, and of later attempts after the pending paths.
  mutating func finish() {
    isFinished = true
    attemptContinuation?.finish()
  }

  mutating func removePath(withSource source: String) {
    // A server can report a name in an equivalent spelling, in which another pending path can be.
    let index =
      pendingPaths.firstIndex { $0.source.isIdentical(to: source) } ?? pendingPaths.firstIndex { $0.source == source }
    if let index { pendingPaths.remove(at: index) }
  }

  /// Returns a sequence for a new attempt: the pending paths, and the paths that are added during the attempt.
  mutating func openForAttempt() -> AsyncStream<[TransferPath]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    if !pendingPaths.isEmpty { continuation.yield(pendingPaths) }
    if isFinished { continuation.finish() }
    attemptContinuation = continuation
    return stream
  }

  mutating func closeAfterAttempt() {
    attemptContinuation?.finish()
    attemptContinuation = nil
  }
}
