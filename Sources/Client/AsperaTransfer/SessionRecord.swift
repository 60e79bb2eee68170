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

extension TransferSession {
  /// The session's fixed token, or the token in its specification.
  fileprivate var fixedToken: AsperaToken? {
    if case .fixed(let token) = token { return token }
    return specification.token.flatMap { try? AsperaToken($0) }
  }
}
