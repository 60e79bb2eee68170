// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The state machine of a transfer session, which turns events into effects without a clock, a lock or a task.
///
/// Each task that the state machine starts has a ticket number. Abandoning the task changes the ticket, so that a
/// result that arrives too late is ignored.
struct SessionMachine {
  /// The way in which a session gets its tokens: not at all, one that is fixed, or as many as it needs from an issuer.
  enum TokenSupply: Equatable {
    case none, fixed, issuer
  }

  struct TokenNeed: Equatable {
    var reason: TokenRequest.Reason
    /// Whether the server rejected the last token, in which case the cache must not return that token again.
    var isRefused = false
  }

  /// The first step of a session whose turn to start has come: a token request, or the check of the token that it has.
  enum Step: Equatable {
    case requestToken(TokenNeed)
    case start
  }

  /// The reason for stopping an attempt: the session ends, or another session runs first, after which it continues.
  enum Purpose: Equatable {
    case cancel, interrupt
  }

  enum State: Equatable {
    case waiting
    /// The session has a slot, and begins its next step as soon as the start spacing allows.
    ///
    /// A token is requested only then, so that its lifetime does not pass while the session waits.
    case queued(before: Step)
    case requestingToken(TokenNeed)
    /// The session's token is checked again, and the specification is signed.
    case checking
    case connecting
    case running
    case pausing(before: Step)
    case stopping(Purpose)
    case interrupted(before: Step)
    case ended(Result<TransferSummary, TransferFailure>)
  }

  /// An action that the transfer queue performs for the session, in the order of the effects.
  enum Effect {
    case report(TransferEvent.Kind)
    case requestToken(TokenNeed)
    case check
    case run
    case sleep(Duration)
    case cancelWork
  }

  /// The result of checking the token of a session before an attempt.
  enum CheckResult {
    /// The attempt can start, with a token that the issuer has just issued, or with the current token if `nil`.
    case ready(TokenIssuance?)
    /// The remaining lifetime of the token is too short.
    case stale
    case failed(TransferFailure)
  }

  let tokenSupply: TokenSupply
  let requiresToken: Bool
  let configuration: TransferQueueConfiguration
  var state = State.waiting
  /// The number of the session's current task, by which results of abandoned tasks are recognized and ignored.
  var ticket: UInt64 = 0
  /// Whether the session has reported `didActivate`.
  var isActivated = false
  /// Whether the current attempt has reported `didStartRunning`.
  var hasStarted = false
  var retryCounts = RetryCounts()

  var isActive: Bool {
    switch state {
    case .requestingToken, .queued, .checking, .connecting, .running, .pausing, .stopping: true
    case .waiting, .interrupted, .ended: false
    }
  }

  /// Whether the session requests or checks its token, after which its attempt starts.
  var isStarting: Bool {
    switch state {
    case .requestingToken, .checking: true
    default: false
    }
  }

  var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Enters the queue, or ends the session immediately if it requires a token but cannot get one.
  mutating func enter() -> [Effect] {
    state = .waiting
    isActivated = false
    retryCounts = RetryCounts()
    return requiresToken && tokenSupply == .none ? end(.failure(.tokenRequired)) : []
  }

  /// Activates the session for the first time, or again after an interruption.
  mutating func activate() -> [Effect] {
    switch state {
    case .waiting:
      return [.report(.willActivate)]
        + queue(before: tokenSupply == .issuer ? .requestToken(TokenNeed(reason: .initial)) : .start)
    case .interrupted(let step):
      return queue(before: step)
    default:
      return []
    }
  }

  /// Begins the step before which the session waited for its turn to start.
  mutating func start() -> [Effect] {
    switch state {
    case .queued(before: .requestToken(let need)): begin(.requestingToken(need), .requestToken(need))
    case .queued(before: .start): begin(.checking, .check)
    default: []
    }
  }

  mutating func interrupt() -> [Effect] {
    switch state {
    case .requestingToken(let need): return begin(.interrupted(before: .requestToken(need)), .cancelWork)
    case .checking: return begin(.interrupted(before: .start), .cancelWork)
    case .queued(let step), .pausing(let step): return begin(.interrupted(before: step), .cancelWork)
    case .connecting, .running: return stop(.interrupt)
    case .waiting, .stopping, .interrupted, .ended: return []
    }
  }

  mutating func cancel() -> [Effect] {
    switch state {
    case .waiting: return end(.failure(.cancelled))
    case .requestingToken, .queued, .checking, .pausing, .interrupted:
      ticket += 1
      return [.cancelWork] + end(.failure(.cancelled))
    case .connecting, .running: return stop(.cancel)
    case .stopping:
      state = .stopping(.cancel)
      return []
    case .ended: return []
    }
  }

  mutating func delayEnded(_ number: UInt64) -> [Effect] {
    guard number == ticket, case .pausing(let step) = state else { return [] }
    return queue(before: step)
  }

  private mutating func queue(before step: Step) -> [Effect] {
    state = .queued(before: step)
    return step == .start ? ready() : []
  }

  /// Reports that the session has its token, unless it has already done so.
  private mutating func ready() -> [Effect] {
    defer { isActivated = true }
    return isActivated ? [] : [.report(.didActivate)]
  }

  /// Enters a state with a new ticket, so that the result of an earlier task is ignored.
  mutating func begin(_ next: State, _ effect: Effect) -> [Effect] {
    ticket += 1
    state = next
    return [effect]
  }

  /// Requests that the attempt stops, after whose end the state changes again.
  private mutating func stop(_ purpose: Purpose) -> [Effect] {
    state = .stopping(purpose)
    return hasStarted ? [.report(.willStopRunning), .cancelWork] : [.cancelWork]
  }

  /// Ends the session with a result, and reports the remaining events.
  mutating func end(_ result: Result<TransferSummary, TransferFailure>) -> [Effect] {
    var effects: [Effect] = []
    if isActivated { effects.append(.report(.willDeactivate)) }
    if state != .waiting { effects.append(.report(.didDeactivate)) }
    isActivated = false
    state = .ended(result)
    return effects + [.report(.finished(result))]
  }

  /// Handles a successful token request, whose issuance is `nil` if the session already had the token.
  mutating func requestSucceeded(_ number: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard number == ticket, case .requestingToken = state else { return [] }
    retryCounts.issuer = 0
    return (issuance.map { [.report(.tokenIssued($0))] } ?? []) + ready() + begin(.checking, .check)
  }

  /// Handles an error from the issuer, to which no request may be sent for the duration of `pause`.
  mutating func requestFailed(_ number: UInt64, _ error: CredentialError, pause: Duration, random: Double) -> [Effect] {
    guard number == ticket, case .requestingToken(let need) = state else { return [] }
    let failure = TransferFailure(issuer: error)
    guard error.isRetryable, retryCounts.issuer < configuration.issuerRetries else { return end(.failure(failure)) }
    retryCounts.issuer += 1
    let delay = pause > .zero ? pause : configuration.delay(beforeRetry: retryCounts.issuer, random: random)
    return retry(.issuer, failure, number: retryCounts.issuer, delay: delay, before: .requestToken(need))
  }

  mutating func checkEnded(_ number: UInt64, _ check: CheckResult) -> [Effect] {
    guard number == ticket, state == .checking else { return [] }
    switch check {
    case .ready(let issuance):
      retryCounts.stale = 0
      retryCounts.beginAttempt()
      hasStarted = false
      ticket += 1
      state = .connecting
      return (issuance.map { [.report(.tokenIssued($0))] } ?? []) + [.report(.willStartRunning), .run]
    case .stale:
      retryCounts.stale += 1
      guard retryCounts.stale <= max(1, configuration.tokenRenewals) else {
        return end(.failure(.tokensTooShort(retryCounts.stale)))
      }
      let need = TokenNeed(reason: .expired)
      return begin(.requestingToken(need), .requestToken(need))
    case .failed(let failure):
      return end(.failure(failure))
    }
  }

  mutating func handle(_ number: UInt64, _ report: TransferReport) -> [Effect] {
    guard number == ticket else { return [] }
    switch report {
    case .connecting:
      return []
    case .running:
      return acceptLogin()
    case .progress(let progress):
      let effects = progress.bytes > 0 ? acceptLogin() : []
      retryCounts.recordProgress(bytes: progress.bytes)
      return effects + (state == .running ? [.report(.progress(progress))] : [])
    case .file(let file):
      if case .failed = file.outcome { return isAttempting ? [.report(.file(file))] : [] }
      let effects = acceptLogin()
      retryCounts.recordFile()
      return effects + (hasStarted ? [.report(.file(file))] : [])
    }
  }

  /// Handles the end of an attempt, whose processes, files and ports are gone.
  mutating func attemptEnded(
    _ number: UInt64, _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard number == ticket, isAttempting else { return [] }
    var effects: [Effect] = []
    if case .success = result, !hasStarted {
      hasStarted = true
      effects += [.report(.didStartRunning), .report(.willStopRunning)]
    } else if state == .running {
      effects.append(.report(.willStopRunning))
    }
    effects.append(.report(.didStopRunning))
    hasStarted = false
    ticket += 1
    return effects + conclude(result, random: random)
  }

  /// Decides how the session continues; a transfer that completed before it could be stopped is a success.
  private mutating func conclude(_ result: Result<TransferSummary, TransferFailure>, random: Double) -> [Effect] {
    guard case .failure(let failure) = result else { return end(result) }
    switch state {
    case .stopping(.cancel):
      return end(.failure(.cancelled))
    case .stopping(.interrupt) where failure.kind == .cancelled:
      state = .interrupted(before: .start)
      return []
    case .stopping(.interrupt):
      let effects = recover(from: failure, random: random)
      guard case .pausing(let step) = state else { return effects }
      ticket += 1
      state = .interrupted(before: step)
      return effects.filter { if case .sleep = $0 { false } else { true } }
    default:
      return recover(from: failure, random: random)
    }
  }

  /// Starts a retry if the failure and the retry limits allow it, or else ends the session.
  private mutating func recover(from failure: TransferFailure, random: Double) -> [Effect] {
    retryCounts.endAttempt()
    switch failure.kind {
    case .token(let reason) where tokenSupply == .issuer && retryCounts.token < configuration.tokenRenewals:
      retryCounts.token += 1
      let need = TokenNeed(reason: reason == .initial ? .rejected : reason, isRefused: true)
      let wait = configuration.delay(beforeRetry: retryCounts.token - 1, random: random)
      return retry(
        .token, failure, number: retryCounts.token, delay: retryCounts.token == 1 ? .zero : wait,
        before: .requestToken(need))
    case .transport where retryCounts.transport < retries(after: failure):
      retryCounts.transport += 1
      let wait = configuration.delay(beforeRetry: retryCounts.transport, random: random)
      return retry(.transport, failure, number: retryCounts.transport, delay: wait, before: .start)
    case .token where tokenSupply == .issuer && retryCounts.token > 0:
      return end(.failure(failure.appending(count: retryCounts.token + 1, of: "consecutive tokens were rejected")))
    case .token where tokenSupply == .fixed:
      return end(.failure(failure.advisingIssuer))
    case .transport where retryCounts.transport > 0:
      return end(.failure(failure.appending(count: retryCounts.transport + 1, of: "consecutive attempts failed")))
    default:
      return end(.failure(failure))
    }
  }

  /// The maximum number of retries for a server that was never reached, whose address is likely to be wrong.
  private static let unreachedRetryLimit = 2

  private func retries(after failure: TransferFailure) -> Int {
    failure.isUnreached ? min(Self.unreachedRetryLimit, configuration.transportRetries) : configuration.transportRetries
  }

  private mutating func retry(
    _ cause: TransferRetry.Cause, _ failure: TransferFailure, number: Int, delay: Duration, before step: Step
  ) -> [Effect] {
    let retry = TransferRetry(cause: cause, failure: failure, number: number, delay: delay)
    return [.report(.retry(retry))] + begin(.pausing(before: step), .sleep(delay))
  }

  private var isAttempting: Bool {
    switch state {
    case .connecting, .running, .stopping: true
    default: false
    }
  }

  /// Records that the server has accepted the account and the token, unless the attempt is being stopped.
  private mutating func acceptLogin() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    hasStarted = true
    return [.report(.didStartRunning)]
  }
}

/// The consecutive retries of a session by kind, and the progress of its attempts.
struct RetryCounts {
  /// The number of consecutive token refreshes after the server rejected a token.
  var token = 0
  /// The number of consecutive retries after a network or server failure.
  var transport = 0
  /// The number of consecutive retries of a request to the issuer.
  var issuer = 0
  /// The number of consecutive tokens whose remaining lifetime was too short when an attempt was about to start.
  var stale = 0
  private var bytes: Int64 = 0
  private var files = 0
  private var best: (bytes: Int64, files: Int) = (0, 0)

  mutating func beginAttempt() {
    bytes = 0
    files = 0
  }

  mutating func recordProgress(bytes count: Int64) { bytes = max(bytes, count) }

  mutating func recordFile() { files += 1 }

  /// Ends an attempt, which resets the counts of tokens and transport if it made more progress than all before.
  mutating func endAttempt() {
    guard bytes > best.bytes || files > best.files else { return }
    best = (max(bytes, best.bytes), max(files, best.files))
    token = 0
    transport = 0
  }
}
