// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

typealias TransferResult = Result<TransferSummary, TransferFailure>

/// The state machine of a transfer session, which turns events into effects without a clock, a lock or a task.
///
/// Each task that it starts has a ticket. Abandoning the task changes the ticket, so that a late result is ignored.
struct SessionMachine {
  enum TokenSupply: Equatable { case none, fixed, issuer }

  struct TokenNeed: Equatable {
    var reason: TokenRequest.Reason
    /// Whether the server rejected the last token, which the cache must then not return again.
    var isRejected = false
  }

  /// The first step when a session starts: a token request, or the check of the token that the session has.
  enum Step: Equatable {
    case requestToken(TokenNeed)
    case checkToken
  }

  /// The reason for stopping an attempt: the session ends, or another session runs first, after which it continues.
  enum StopReason: Equatable { case cancel, interrupt }

  enum State: Equatable {
    case waiting
    /// The session waits until the start spacing allows its next step, because an early token would lose lifetime.
    case queued(before: Step)
    case requestingToken(TokenNeed)
    /// The session's token is checked again, and the specification is signed.
    case checkingToken
    case connecting
    case running
    case waitingToRetry(before: Step)
    case stopping(StopReason)
    case interrupted(before: Step)
    case ended(TransferResult)
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

  enum TokenCheck {
    /// The attempt can start, with a token that the issuer has just issued, or with the current token if `nil`.
    case ready(TokenIssuance?)
    /// The remaining lifetime of the token is too short.
    case expiresTooSoon
    case failed(TransferFailure)
  }

  /// The maximum number of retries for a server that was never reached, whose address is likely to be wrong.
  private static let unreachedRetryLimit = 2

  let tokenSupply: TokenSupply
  let requiresToken: Bool
  let configuration: TransferQueueConfiguration
  var state = State.waiting
  var ticket: UInt64 = 0
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
  var isStarting: Bool { if case .requestingToken = state { true } else { state == .checkingToken } }

  /// Whether an attempt has started and has not ended.
  private var isAttempting: Bool {
    if case .stopping = state { true } else { state == .connecting || state == .running }
  }

  var isEnded: Bool { if case .ended = state { true } else { false } }

  /// Enters the queue, or ends the session immediately if it requires a token but cannot get one.
  mutating func enterQueue() -> [Effect] {
    state = .waiting
    isActivated = false
    retryCounts = RetryCounts()
    return requiresToken && tokenSupply == .none ? end(.failure(.tokenRequired)) : []
  }

  /// Begins the session's turn, or continues it after an interruption.
  mutating func activate() -> [Effect] {
    switch state {
    case .waiting:
      let firstStep = tokenSupply == .issuer ? Step.requestToken(TokenNeed(reason: .initial)) : .checkToken
      return [.report(.willActivate)] + queue(before: firstStep)
    case .interrupted(let step): return queue(before: step)
    default: return []
    }
  }

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

  /// Continues after the delay before a retry.
  mutating func delayEnded(_ taskTicket: UInt64) -> [Effect] {
    guard taskTicket == ticket, case .waitingToRetry(let step) = state else { return [] }
    return queue(before: step)
  }

  /// Lets the session wait for its turn to take a step, and reports its activation if it has its token already.
  private mutating func queue(before step: Step) -> [Effect] {
    state = .queued(before: step)
    return step == .checkToken ? reportActivation() : []
  }

  private mutating func reportActivation() -> [Effect] {
    defer { isActivated = true }
    return isActivated ? [] : [.report(.didActivate)]
  }

  private func report(of issuance: TokenIssuance?) -> [Effect] { issuance.map { [.report(.tokenIssued($0))] } ?? [] }

  private mutating func enter(_ next: State, _ effect: Effect) -> [Effect] {
    ticket += 1
    state = next
    return [effect]
  }

  /// Requests that the attempt stops; the state changes again when it has ended.
  private mutating func requestStop(_ reason: StopReason) -> [Effect] {
    state = .stopping(reason)
    return isAccepted ? [.report(.willStopRunning), .cancelTask] : [.cancelTask]
  }

  private mutating func end(_ result: TransferResult) -> [Effect] {
    var effects: [Effect] = []
    if isActivated { effects.append(.report(.willDeactivate)) }
    if state != .waiting { effects.append(.report(.didDeactivate)) }
    isActivated = false
    state = .ended(result)
    return effects + [.report(.finished(result))]
  }

  /// Continues after a token request, whose issuance is `nil` if the session already had the token.
  mutating func requestSucceeded(_ taskTicket: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard taskTicket == ticket, case .requestingToken = state else { return [] }
    retryCounts.issuer = 0
    return report(of: issuance) + reportActivation() + enter(.checkingToken, .checkToken)
  }

  /// Retries or ends after an error of the issuer, to which no request may be sent during `backoff`.
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

  mutating func checkEnded(_ taskTicket: UInt64, _ check: TokenCheck) -> [Effect] {
    guard taskTicket == ticket, state == .checkingToken else { return [] }
    switch check {
    case .ready(let issuance):
      retryCounts.shortLivedTokens = 0
      retryCounts.beginAttempt()
      isAccepted = false
      ticket += 1
      state = .connecting
      return report(of: issuance) + [.report(.willStartRunning), .runAttempt]
    case .expiresTooSoon:
      retryCounts.shortLivedTokens += 1
      guard retryCounts.shortLivedTokens <= max(1, configuration.tokenRenewals) else {
        return end(.failure(.tokensTooShort(retryCounts.shortLivedTokens)))
      }
      let need = TokenNeed(reason: .expired)
      return enter(.requestingToken(need), .requestToken(need))
    case .failed(let failure): return end(.failure(failure))
    }
  }

  /// Records a report of the current attempt, which the server has accepted if there is any sign of progress.
  mutating func receive(_ taskTicket: UInt64, _ report: TransferReport) -> [Effect] {
    guard taskTicket == ticket else { return [] }
    switch report {
    case .connecting: return []
    case .running: return recordAcceptance()
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

  /// Continues after an attempt whose processes, files and ports are gone.
  mutating func attemptEnded(_ taskTicket: UInt64, _ result: TransferResult, random: Double) -> [Effect] {
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
  private mutating func continueSession(after result: TransferResult, random: Double) -> [Effect] {
    guard case .failure(let failure) = result else { return end(result) }
    switch state {
    case .stopping(.cancel): return end(.failure(.cancelled))
    case .stopping(.interrupt) where failure.kind == .cancelled:
      state = .interrupted(before: .checkToken)
      return []
    case .stopping(.interrupt):
      // The attempt failed by itself before it was stopped. The session retries when it continues, without a delay.
      let effects = retryOrEnd(after: failure, random: random)
      guard case .waitingToRetry(let step) = state else { return effects }
      ticket += 1
      state = .interrupted(before: step)
      return effects.filter { if case .sleep = $0 { false } else { true } }
    default: return retryOrEnd(after: failure, random: random)
    }
  }

  /// Retries a failed attempt within the limits; the cases at the end add to the failure why it is not retried.
  private mutating func retryOrEnd(after failure: TransferFailure, random: Double) -> [Effect] {
    retryCounts.endAttempt()
    switch failure.kind {
    case .token(let reason) where tokenSupply == .issuer && retryCounts.token < configuration.tokenRenewals:
      let need = TokenNeed(reason: reason == .initial ? .rejected : reason, isRejected: true)
      let isFirst = retryCounts.token == 0
      let delay = isFirst ? .zero : configuration.delay(beforeRetry: retryCounts.token, random: random)
      retryCounts.token += 1
      return retry(.token, failure, number: retryCounts.token, delay: delay, before: .requestToken(need))
    case .transport where retryCounts.transport < retryLimit(after: failure):
      retryCounts.transport += 1
      let delay = configuration.delay(beforeRetry: retryCounts.transport, random: random)
      return retry(.transport, failure, number: retryCounts.transport, delay: delay, before: .checkToken)
    case .token where tokenSupply == .issuer && retryCounts.token > 0:
      return end(.failure(failure.appending("\(retryCounts.token + 1) consecutive tokens were rejected.")))
    case .token where tokenSupply == .fixed: return end(.failure(failure.advisingIssuer))
    case .transport where retryCounts.transport > 0:
      return end(.failure(failure.appending("\(retryCounts.transport + 1) consecutive attempts failed.")))
    default: return end(.failure(failure))
    }
  }

  private func retryLimit(after failure: TransferFailure) -> Int {
    min(configuration.transportRetries, failure.neverReachedServer ? Self.unreachedRetryLimit : .max)
  }

  private mutating func retry(
    _ cause: TransferRetry.Cause, _ failure: TransferFailure, number: Int, delay: Duration, before step: Step
  ) -> [Effect] {
    let retry = TransferRetry(cause: cause, failure: failure, number: number, delay: delay)
    return [.report(.retry(retry))] + enter(.waitingToRetry(before: step), .sleep(delay))
  }

  /// Records that the server has accepted the account and the token, unless the attempt is being stopped.
  private mutating func recordAcceptance() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    isAccepted = true
    return [.report(.didStartRunning)]
  }
}

/// The numbers of consecutive retries of a session by ``TransferRetry/Cause``, and the progress of its attempts.
struct RetryCounts {
  private typealias Progress = (bytes: Int64, files: Int)

  var token = 0
  var transport = 0
  var issuer = 0
  /// The number of consecutive tokens whose remaining lifetime was too short when an attempt was about to start.
  var shortLivedTokens = 0
  private var attemptProgress: Progress = (0, 0)
  /// The most bytes and the most files that any attempt has transferred.
  private var bestProgress: Progress = (0, 0)

  mutating func beginAttempt() { attemptProgress = (0, 0) }
  mutating func recordProgress(bytes: Int64) { attemptProgress.bytes = max(attemptProgress.bytes, bytes) }
  mutating func recordFile() { attemptProgress.files += 1 }

  /// Resets the counts of token and transport retries if the attempt made more progress than every attempt before it.
  mutating func endAttempt() {
    guard attemptProgress.bytes > bestProgress.bytes || attemptProgress.files > bestProgress.files else { return }
    bestProgress.bytes = max(attemptProgress.bytes, bestProgress.bytes)
    bestProgress.files = max(attemptProgress.files, bestProgress.files)
    token = 0
    transport = 0
  }
}
