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

  /// A need for another token.
  struct TokenNeed: Equatable {
    var reason: TokenRequest.Reason
    /// Whether the server rejected the last token, in which case the cache must not return that token again.
    var isRejected = false
  }

  /// The first step of a session whose turn to start has come: a token request, or the check of the token that it has.
  enum Step: Equatable {
    case requestToken(TokenNeed)
    case checkToken
  }

  /// The reason for stopping an attempt: the session ends, or another session runs first, after which it continues.
  enum StopReason: Equatable {
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
    case checkingToken
    case connecting
    case running
    case waitingToRetry(before: Step)
    case stopping(StopReason)
    case interrupted(before: Step)
    case ended(Result<TransferSummary, TransferFailure>)
  }

  /// An action that the transfer queue performs for the session, in the order of the effects.
  enum Effect {
    case report(TransferEvent.Kind)
    case requestToken(TokenNeed)
    case checkToken
    case runAttempt
    case sleep(Duration)
    case cancelTask
  }

  /// The result of checking the token of a session before an attempt.
  enum CheckResult {
    /// The attempt can start, with a token that the issuer has just issued, or with the current token if `nil`.
    case ready(TokenIssuance?)
    /// The remaining lifetime of the token is too short.
    case expiresTooSoon
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
  /// Whether the server has accepted the current attempt, which has then reported `didStartRunning`.
  var isAccepted = false
  var retryCounts = RetryCounts()

  var isActive: Bool {
    switch state {
    case .requestingToken, .queued, .checkingToken, .connecting, .running, .waitingToRetry, .stopping: true
    case .waiting, .interrupted, .ended: false
    }
  }

  /// Whether the session requests or checks its token, after which its attempt starts.
  var isStarting: Bool {
    switch state {
    case .requestingToken, .checkingToken: true
    default: false
    }
  }

  var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Enters the queue, or ends the session immediately if it requires a token but cannot get one.
  mutating func enterQueue() -> [Effect] {
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
        + queue(before: tokenSupply == .issuer ? .requestToken(TokenNeed(reason: .initial)) : .checkToken)
    case .interrupted(let step):
      return queue(before: step)
    default:
      return []
    }
  }

  /// Begins the step before which the session waited for its turn to start.
  mutating func beginNextStep() -> [Effect] {
    switch state {
    case .queued(before: .requestToken(let need)): enter(.requestingToken(need), .requestToken(need))
    case .queued(before: .checkToken): enter(.checkingToken, .checkToken)
    default: []
    }
  }

  mutating func interrupt() -> [Effect] {
    switch state {
    case .requestingToken(let need): return enter(.interrupted(before: .requestToken(need)), .cancelTask)
    case .checkingToken: return enter(.interrupted(before: .checkToken), .cancelTask)
    case .queued(let step), .waitingToRetry(let step): return enter(.interrupted(before: step), .cancelTask)
    case .connecting, .running: return requestStop(.interrupt)
    case .waiting, .stopping, .interrupted, .ended: return []
    }
  }

  mutating func cancel() -> [Effect] {
    switch state {
    case .waiting: return end(.failure(.cancelled))
    case .requestingToken, .queued, .checkingToken, .waitingToRetry, .interrupted:
      ticket += 1
      return [.cancelTask] + end(.failure(.cancelled))
    case .connecting, .running: return requestStop(.cancel)
    case .stopping:
      state = .stopping(.cancel)
      return []
    case .ended: return []
    }
  }

  mutating func delayEnded(_ taskTicket: UInt64) -> [Effect] {
    guard taskTicket == ticket, case .waitingToRetry(let step) = state else { return [] }
    return queue(before: step)
  }

  private mutating func queue(before step: Step) -> [Effect] {
    state = .queued(before: step)
    return step == .checkToken ? reportActivation() : []
  }

  /// Reports that the session has its token, unless it has already done so.
  private mutating func reportActivation() -> [Effect] {
    defer { isActivated = true }
    return isActivated ? [] : [.report(.didActivate)]
  }

  private func reports(of issuance: TokenIssuance?) -> [Effect] {
    issuance.map { [.report(.tokenIssued($0))] } ?? []
  }

  /// Enters a state with a new ticket, so that the result of an earlier task is ignored.
  private mutating func enter(_ next: State, _ effect: Effect) -> [Effect] {
    ticket += 1
    state = next
    return [effect]
  }

  /// Requests that the attempt stops, after whose end the state changes again.
  private mutating func requestStop(_ reason: StopReason) -> [Effect] {
    state = .stopping(reason)
    return isAccepted ? [.report(.willStopRunning), .cancelTask] : [.cancelTask]
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
  mutating func requestSucceeded(_ taskTicket: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard taskTicket == ticket, case .requestingToken = state else { return [] }
    retryCounts.issuer = 0
    return reports(of: issuance) + reportActivation() + enter(.checkingToken, .checkToken)
  }

  /// Handles an error from the issuer, to which no request may be sent for the duration of `backoff`.
  mutating func requestFailed(
    _ taskTicket: UInt64, _ error: CredentialError, backoff: Duration, random: Double
  ) -> [Effect] {
    guard taskTicket == ticket, case .requestingToken(let need) = state else { return [] }
    let failure = TransferFailure(issuer: error)
    guard error.isRetryable, retryCounts.issuer < configuration.issuerRetries else { return end(.failure(failure)) }
    retryCounts.issuer += 1
    let delay = backoff > .zero ? backoff : configuration.delay(beforeRetry: retryCounts.issuer, random: random)
    return retry(.issuer, failure, number: retryCounts.issuer, delay: delay, before: .requestToken(need))
  }

  mutating func checkEnded(_ taskTicket: UInt64, _ check: CheckResult) -> [Effect] {
    guard taskTicket == ticket, state == .checkingToken else { return [] }
    switch check {
    case .ready(let issuance):
      retryCounts.shortLivedTokens = 0
      retryCounts.beginAttempt()
      isAccepted = false
      ticket += 1
      state = .connecting
      return reports(of: issuance) + [.report(.willStartRunning), .runAttempt]
    case .expiresTooSoon:
      retryCounts.shortLivedTokens += 1
      guard retryCounts.shortLivedTokens <= max(1, configuration.tokenRenewals) else {
        return end(.failure(.tokensTooShort(retryCounts.shortLivedTokens)))
      }
      let need = TokenNeed(reason: .expired)
      return enter(.requestingToken(need), .requestToken(need))
    case .failed(let failure):
      return end(.failure(failure))
    }
  }

  /// Records a report of the current attempt, in which any sign of progress proves that the server accepted it.
  mutating func receive(_ taskTicket: UInt64, _ report: TransferReport) -> [Effect] {
    guard taskTicket == ticket else { return [] }
    switch report {
    case .connecting:
      return []
    case .running:
      return recordAcceptance()
    case .progress(let progress):
      let effects = progress.bytes > 0 ? recordAcceptance() : []
      retryCounts.recordProgress(bytes: progress.bytes)
      return effects + (state == .running ? [.report(.progress(progress))] : [])
    case .file(let file):
      if case .failed = file.outcome { return isAttempting ? [.report(.file(file))] : [] }
      let effects = recordAcceptance()
      retryCounts.recordFile()
      return effects + (isAccepted ? [.report(.file(file))] : [])
    }
  }

  /// Handles the end of an attempt, whose processes, files and ports are gone.
  mutating func attemptEnded(
    _ taskTicket: UInt64, _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard taskTicket == ticket, isAttempting else { return [] }
    var effects: [Effect] = []
    if case .success = result, !isAccepted {
      effects += [.report(.didStartRunning), .report(.willStopRunning)]
    } else if state == .running {
      effects.append(.report(.willStopRunning))
    }
    effects.append(.report(.didStopRunning))
    isAccepted = false
    ticket += 1
    return effects + continueSession(after: result, random: random)
  }

  /// Decides how the session continues; a transfer that completed before it could be stopped is a success.
  private mutating func continueSession(
    after result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard case .failure(let failure) = result else { return end(result) }
    switch state {
    case .stopping(.cancel):
      return end(.failure(.cancelled))
    case .stopping(.interrupt) where failure.kind == .cancelled:
      state = .interrupted(before: .checkToken)
      return []
    case .stopping(.interrupt):
      let effects = retryOrEnd(after: failure, random: random)
      guard case .waitingToRetry(let step) = state else { return effects }
      ticket += 1
      state = .interrupted(before: step)
      return effects.filter { if case .sleep = $0 { false } else { true } }
    default:
      return retryOrEnd(after: failure, random: random)
    }
  }

  /// Starts a retry if the failure and the retry limits allow it, or else ends the session.
  private mutating func retryOrEnd(after failure: TransferFailure, random: Double) -> [Effect] {
    retryCounts.endAttempt()
    switch failure.kind {
    case .token(let reason) where tokenSupply == .issuer && retryCounts.token < configuration.tokenRenewals:
      retryCounts.token += 1
      let need = TokenNeed(reason: reason == .initial ? .rejected : reason, isRejected: true)
      let wait = configuration.delay(beforeRetry: retryCounts.token - 1, random: random)
      return retry(
        .token, failure, number: retryCounts.token, delay: retryCounts.token == 1 ? .zero : wait,
        before: .requestToken(need))
    case .transport where retryCounts.transport < retryLimit(after: failure):
      retryCounts.transport += 1
      let wait = configuration.delay(beforeRetry: retryCounts.transport, random: random)
      return retry(.transport, failure, number: retryCounts.transport, delay: wait, before: .checkToken)
    case .token where tokenSupply == .issuer && retryCounts.token > 0:
      return end(.failure(failure.appending("\(retryCounts.token + 1) consecutive tokens were rejected.")))
    case .token where tokenSupply == .fixed:
      return end(.failure(failure.advisingIssuer))
    case .transport where retryCounts.transport > 0:
      return end(.failure(failure.appending("\(retryCounts.transport + 1) consecutive attempts failed.")))
    default:
      return end(.failure(failure))
    }
  }

  /// The maximum number of retries for a server that was never reached, whose address is likely to be wrong.
  private static let unreachedRetryLimit = 2

  private func retryLimit(after failure: TransferFailure) -> Int {
    failure.neverReachedServer
      ? min(Self.unreachedRetryLimit, configuration.transportRetries) : configuration.transportRetries
  }

  private mutating func retry(
    _ cause: TransferRetry.Cause, _ failure: TransferFailure, number: Int, delay: Duration, before step: Step
  ) -> [Effect] {
    let retry = TransferRetry(cause: cause, failure: failure, number: number, delay: delay)
    return [.report(.retry(retry))] + enter(.waitingToRetry(before: step), .sleep(delay))
  }

  private var isAttempting: Bool {
    switch state {
    case .connecting, .running, .stopping: true
    default: false
    }
  }

  /// Records that the server has accepted the account and the token, unless the attempt is being stopped.
  private mutating func recordAcceptance() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    isAccepted = true
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
  var shortLivedTokens = 0
  private var attemptProgress: (bytes: Int64, files: Int) = (0, 0)
  /// The most bytes and the most files that any attempt has transferred.
  private var bestProgress: (bytes: Int64, files: Int) = (0, 0)

  mutating func beginAttempt() { attemptProgress = (0, 0) }

  mutating func recordProgress(bytes: Int64) { attemptProgress.bytes = max(attemptProgress.bytes, bytes) }

  mutating func recordFile() { attemptProgress.files += 1 }

  /// Ends an attempt, which resets the counts of tokens and transport if it made more progress than all before.
  mutating func endAttempt() {
    guard attemptProgress.bytes > bestProgress.bytes || attemptProgress.files > bestProgress.files else { return }
    bestProgress.bytes = max(attemptProgress.bytes, bestProgress.bytes)
    bestProgress.files = max(attemptProgress.files, bestProgress.files)
    token = 0
    transport = 0
  }
}
