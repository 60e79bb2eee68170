// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A transfer queue's data about a session, except the session's state machine.
struct SessionRecord {
  typealias Waiter = CheckedContinuation<Result<TransferSummary, TransferFailure>?, Never>

  let session: TransferSession
  var account: AsperaAccount?
  let issuer: (any TokenIssuer)?
  /// The session's fixed token, if the session has no issuer.
  let fixed: TransferCredential?
  /// The token cache and the provider of the issuer's tokens for the session's current activation.
  var tokens: SessionTokens?
  private var provider: SessionTokenProvider?
  /// The signed specification of the attempt that is about to start, which is removed then because it contains secrets.
  var signed: TransferSpec?
  /// The session's current task: a token request, a check, an attempt or a delay.
  var work: Task<Void, Never>?
  var feed: PathFeed?
  /// The span that measures the session until it ends, or `nil` if no instrument is installed.
  var trace: ActiveSpan?
  var attempts = 0
  /// The uptime at which the session's current activation started.
  var activationStart = Duration.zero
  /// The largest number of bytes that an attempt in the current activation has transferred.
  var bytes: Int64 = 0
  let batch: UInt64?
  var waiters: [Waiter] = []
  /// The ID of the transfer in its tags, which is the same for all attempts.
  let transferID = UUID().uuidString.lowercased()

  /// Creates the record for a session, with the queue's account and issuer for what the session does not have.
  init(_ session: TransferSession, account: AsperaAccount?, issuer: (any TokenIssuer)?, batch: UInt64?) {
    self.session = session
    self.batch = batch
    self.account = session.account ?? account
    if case .issuer(let own) = session.token { self.issuer = own } else { self.issuer = issuer }
    fixed = self.issuer == nil ? session.fixedToken.map { TransferCredential(token: $0) } : nil
    feed = session.isPersistent ? PathFeed() : nil
  }

  var tokenSupply: SessionMachine.TokenSupply { issuer != nil ? .issuer : fixed != nil ? .fixed : .none }

  var login: String {
    let specification = session.specification
    let host = account?.host ?? specification.remoteHost ?? ""
    let port = account?.sshPort ?? specification.sshPort ?? 0
    return "\(account?.user ?? specification.remoteUser ?? "")@\(host):\(port)"
  }

  var subject: String { session.specification.subject(for: account) }

  /// Starts an activation of the session, with a new token cache.
  mutating func begin(as id: String, queue: TransferQueue, at uptime: Duration) {
    activationStart = uptime
    bytes = 0
    let (configuration, events) = (queue.configuration.tokens, queue.authEvents)
    if let issuer {
      let provider = SessionTokenProvider(
        issuer: issuer, session: id, specification: session.specification.specificationForIssuer(of: account),
        attempts: provider?.attempts ?? 0)
      self.provider = provider
      tokens = SessionTokens(
        issuer: provider, margin: queue.tokenMargin(for: account), configuration: configuration, events: events,
        context: queue.context)
    } else if let fixed {
      tokens = SessionTokens(fixed: fixed, configuration: configuration, events: events, time: queue.time)
    }
  }

  /// Releases the session's secrets, its task and its waiters.
  mutating func end() {
    tokens = nil
    signed = nil
    work = nil
    trace = nil
    attempts = 0
    waiters = []
  }

  mutating func update(from report: TransferReport) {
    switch report {
    case .progress(let progress):
      bytes = max(bytes, progress.bytes)
    case .file(let file):
      if case .failed = file.outcome { return }
      feed?.remove(file.file)
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
      AuthEvent.Transfer(subject: subject, bytes: summary.bytes, duration: uptime - activationStart, failure: nil)
    case .failure(let failure):
      AuthEvent.Transfer(subject: subject, bytes: bytes, duration: uptime - activationStart, failure: failure.message)
    }
  }
}

/// A feed of a persistent session's paths to an attempt, which first receives those that are not known to be done.
struct PathFeed {
  private var pending: [TransferPath] = []
  private(set) var isFinished = false
  private var continuation: AsyncStream<[TransferPath]>.Continuation?

  /// Adds paths for the current attempt and for later attempts.
  mutating func add(_ paths: [TransferPath]) {
    pending += paths
    continuation?.yield(paths)
  }

  mutating func finish() {
    isFinished = true
    continuation?.finish()
  }

  /// Removes a path that is done, identified by the file name that the engine reports.
  mutating func remove(_ file: String) {
    guard let index = pending.firstIndex(where: { $0.source == file }) else { return }
    pending.remove(at: index)
  }

  /// Returns a sequence for a new attempt: the pending paths, and the paths that are added during the attempt.
  mutating func open() -> AsyncStream<[TransferPath]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [TransferPath].self)
    if !pending.isEmpty { continuation.yield(pending) }
    if isFinished { continuation.finish() }
    self.continuation = continuation
    return stream
  }

  mutating func close() {
    continuation?.finish()
    continuation = nil
  }
}

extension TransferSession {
  /// The session's fixed token, or the token in its specification.
  fileprivate var fixedToken: AsperaToken? {
    if case .fixed(let token) = token { return token }
    return specification.token.flatMap { try? AsperaToken($0) }
  }
}

/// The token cache for one activation of a session, which has a token issuer or a fixed token.
///
/// The cache has at most one in-flight request to the issuer, sends no requests for some time after the issuer failed,
/// and refreshes a rejected token exactly once.
final class SessionTokens: Sendable {
  private let cache: CredentialCache<TransferCredential>
  private let issuer: SessionTokenProvider?
  private let margin: Duration
  private let generation = Lock<CredentialGeneration?>(nil)

  /// Creates a cache of an issuer's tokens, each of which must remain valid for `margin` when an attempt uses it.
  init(
    issuer: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: EventHub,
    context: ProviderContext
  ) {
    self.issuer = issuer
    self.margin = margin
    cache = CredentialCache(issuer, in: context, configuration: configuration, events: events)
  }

  /// Creates a cache that contains a fixed token, which is used until it expires.
  init(
    fixed grant: TransferCredential, configuration: CredentialCacheConfiguration, events: EventHub,
    time: any SigningClock
  ) {
    issuer = nil
    margin = .zero
    // The app has no use for an announcement: a fixed token cannot be replaced.
    var configuration = configuration
    configuration.refreshMargin = .zero
    cache = CredentialCache(grant, configuration: configuration, events: events, time: time)
  }

  /// Returns the cached grant with its issuance if it is new, or `nil` if there is none that is valid for long enough.
  func currentToken() -> (CachedCredential<TransferCredential>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, recordUse(of: $0)) }
  }

  /// Returns the signing date for a grant: `now`, but at most the grant's expiration minus the margin.
  ///
  /// The cache calculates a grant's remaining lifetime from its issuer's time. If the local clock indicates that a
  /// grant from the cache has expired, the local clock is wrong.
  func signingDate(for grant: TransferCredential, now: Timestamp) -> Timestamp {
    guard let expiration = grant.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  /// The time for which no request may be sent to the issuer after a failure, or zero if a request may be sent now.
  var remainingBackoff: Duration { cache.remainingBackoff }

  /// Waits for a token that remains valid for the margin, and returns its issuance if it is a new one.
  func obtain(_ need: SessionMachine.TokenNeed) async throws(CredentialError) -> TokenIssuance? {
    issuer?.reason = need.reason
    let last = generation.withLock { $0 }
    let cached = try await cache.credential(lasting: margin, replacing: need.isRefused ? last : nil)
    return recordUse(of: cached)
  }

  func shutdown() { cache.shutdown() }

  /// Records the generation of the grant in use, which the server may reject.
  private func recordUse(of cached: CachedCredential<TransferCredential>) -> TokenIssuance? {
    let isNew = generation.withLock { generation in
      defer { generation = cached.generation }
      return generation != cached.generation
    }
    guard isNew, let request = issuer?.lastRequest else { return nil }
    return TokenIssuance(
      source: cached.source, kind: cached.credential.token?.kind, expiration: cached.credential.expiration,
      reason: request.reason, attempt: request.attempt)
  }
}

/// A provider that requests a session's tokens from an issuer, with a reason for each request.
final class SessionTokenProvider: CredentialProvider {
  private struct State {
    var reason = TokenRequest.Reason.initial
    var last: TokenRequest?
    var attempts = 0
  }

  private let issuer: any TokenIssuer
  private let session: String
  private let specification: TransferSpec
  private let state: Lock<State>

  /// Creates a provider for a specification without secrets, for whose session `attempts` tokens were requested before.
  init(issuer: any TokenIssuer, session: String, specification: TransferSpec, attempts: Int) {
    self.issuer = issuer
    self.session = session
    self.specification = specification
    state = Lock(State(attempts: attempts))
  }

  var source: String { issuer.source }

  /// The reason for the next token request, after which the reason is reset to `expired`.
  var reason: TokenRequest.Reason {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  var lastRequest: TokenRequest? { state.withLock { $0.last } }

  var attempts: Int { state.withLock { $0.attempts } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let request = state.withLock { state in
      state.attempts += 1
      let request = TokenRequest(
        session: session, specification: specification, reason: state.reason, attempt: state.attempts)
      state.last = request
      state.reason = .expired
      return request
    }
    return try await issuer.issue(for: request, in: context)
  }
}
