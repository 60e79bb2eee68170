// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The state machine of one session, without a clock, a lock or a task: events go in, effects come out.
///
/// Each piece of work that the machine starts has a ticket. Abandoning the work changes the ticket, so that a result
/// that arrives too late is ignored.
struct SessionMachine {
  /// The session's means of getting a token.
  enum TokenSupply: Equatable {
    /// The session has no token and no issuer.
    case none
    /// The session has a fixed token and no issuer.
    case fixed
    /// The session has an issuer, which provides as many tokens as it needs.
    case issuer
  }

  /// The reason for a token request.
  struct Need: Equatable {
    var reason: TokenRequest.Reason
    /// Whether the server rejected the last token, so that the cache must not return it again.
    var isRefused = false
  }

  /// The next step of a session that pauses or was interrupted.
  enum Step: Equatable {
    case ask(Need)
    case start
  }

  /// The reason for stopping an attempt.
  enum Purpose: Equatable {
    /// The session ends.
    case cancel
    /// Another session runs first, and this one continues later.
    case interrupt
  }

  enum State: Equatable {
    case waiting
    case asking(Need)
    /// Ready to start as soon as the start spacing allows it.
    case queued
    /// The token is checked once more, and the specification is signed.
    case checking
    case connecting
    case running
    case pausing(before: Step)
    case stopping(Purpose)
    case interrupted(before: Step)
    case ended(Result<TransferSummary, TransferFailure>)
  }

  /// An action for the queue to perform; effects are performed in order.
  enum Effect {
    case tell(TransferEvent.Kind)
    case ask(Need)
    case check
    case run
    case sleep(Duration)
    /// Cancels the session's task.
    case cancelWork
  }

  /// The result of checking the token before an attempt.
  enum Check {
    /// The attempt can begin; contains the issuance if the token is a new one.
    case ready(TokenIssuance?)
    /// The token does not remain valid for long enough any more.
    case stale
    case failed(TransferFailure)
  }

  let means: TokenSupply
  let requiresToken: Bool
  let configuration: TransferQueueConfiguration
  var state = State.waiting
  /// The number of the current work; events with another number are ignored.
  var ticket: UInt64 = 0
  /// Whether `didActivate` was reported.
  var isActivated = false
  /// Whether the current attempt has reported `didStartRunning`.
  var hasStarted = false
  var tries = Tries()

  init(means: TokenSupply, requiresToken: Bool, configuration: TransferQueueConfiguration) {
    self.means = means
    self.requiresToken = requiresToken
    self.configuration = configuration
  }

  /// Whether the session occupies one of the queue's active slots.
  var isActive: Bool {
    switch state {
    case .asking, .queued, .checking, .connecting, .running, .pausing, .stopping: true
    case .waiting, .interrupted, .ended: false
    }
  }

  var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Enters the queue; a session that requires a token and cannot get one ends immediately.
  mutating func enter() -> [Effect] {
    state = .waiting
    isActivated = false
    tries = Tries()
    return requiresToken && means == .none ? end(.failure(.tokenRequired)) : []
  }

  /// Makes the session active for the first time, or again after an interruption.
  mutating func activate() -> [Effect] {
    switch state {
    case .waiting:
      return [.tell(.willActivate)]
        + (means == .issuer ? begin(.asking(Need(reason: .initial)), .ask(Need(reason: .initial))) : ready())
    case .interrupted(let step):
      return take(step)
    default:
      return []
    }
  }

  /// Starts checking the token and signing; the attempt follows.
  mutating func check() -> [Effect] { begin(.checking, .check) }

  /// Interrupts the session so that another one can run first.
  mutating func interrupt() -> [Effect] {
    switch state {
    case .asking(let need): return drop(into: .interrupted(before: .ask(need)))
    case .queued, .checking: return drop(into: .interrupted(before: .start))
    case .pausing(let step): return drop(into: .interrupted(before: step))
    case .connecting, .running: return stop(.interrupt)
    case .waiting, .stopping, .interrupted, .ended: return []
    }
  }

  /// Cancels the session.
  mutating func cancel() -> [Effect] {
    switch state {
    case .waiting: return end(.failure(.cancelled))
    case .asking, .queued, .checking, .pausing, .interrupted:
      ticket += 1
      return [.cancelWork] + end(.failure(.cancelled))
    case .connecting, .running: return stop(.cancel)
    case .stopping:
      state = .stopping(.cancel)
      return []
    case .ended: return []
    }
  }

  /// Continues after a pause.
  mutating func wake(_ number: UInt64) -> [Effect] {
    guard number == ticket, case .pausing(let step) = state else { return [] }
    return take(step)
  }

  private mutating func take(_ step: Step) -> [Effect] {
    switch step {
    case .ask(let need): return begin(.asking(need), .ask(need))
    case .start: return ready()
    }
  }

  /// Marks the session as ready to start.
  mutating func ready() -> [Effect] {
    state = .queued
    defer { isActivated = true }
    return isActivated ? [] : [.tell(.didActivate)]
  }

  /// Enters a state whose work reports its result under a new ticket.
  mutating func begin(_ next: State, _ effect: Effect) -> [Effect] {
    ticket += 1
    state = next
    return [effect]
  }

  /// Abandons the current work and enters another state.
  private mutating func drop(into next: State) -> [Effect] {
    ticket += 1
    state = next
    return [.cancelWork]
  }

  /// Asks the attempt to stop; the state changes again when the attempt has ended.
  private mutating func stop(_ purpose: Purpose) -> [Effect] {
    state = .stopping(purpose)
    return hasStarted ? [.tell(.willStopRunning), .cancelWork] : [.cancelWork]
  }

  /// Ends the session and reports the events that remain.
  mutating func end(_ result: Result<TransferSummary, TransferFailure>) -> [Effect] {
    var effects: [Effect] = []
    if isActivated { effects.append(.tell(.willDeactivate)) }
    if state != .waiting { effects.append(.tell(.didDeactivate)) }
    isActivated = false
    state = .ended(result)
    return effects + [.tell(.finished(result))]
  }
}

/// The consecutive retries of each kind, and the progress that the attempts have made.
struct Tries {
  /// The number of tokens that were refreshed because the server rejected them.
  var token = 0
  /// The number of attempts that were repeated because the network or the server failed.
  var transport = 0
  /// The number of repeated requests to the issuer.
  var issuer = 0
  /// The number of tokens that no longer remained valid for long enough when the start was due.
  var stale = 0
  private var bytes: Int64 = 0
  private var files = 0
  private var best: (bytes: Int64, files: Int) = (0, 0)

  /// Begins an attempt, whose own counts start at zero.
  mutating func beginAttempt() {
    bytes = 0
    files = 0
  }

  /// Records the number of bytes that the attempt has transferred.
  mutating func note(bytes count: Int64) {
    bytes = max(bytes, count)
  }

  /// Records that the attempt has finished one more file.
  mutating func noteFile() {
    files += 1
  }

  /// Ends an attempt; one that got further than all before resets the retry counts of tokens and transport.
  mutating func settle() {
    guard bytes > best.bytes || files > best.files else { return }
    best = (max(bytes, best.bytes), max(files, best.files))
    token = 0
    transport = 0
  }
}

extension SessionMachine {
  /// Handles the issuer's response; the issuance is `nil` if the session had the token before.
  mutating func answered(_ number: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard number == ticket, case .asking = state else { return [] }
    tries.issuer = 0
    return (issuance.map { [.tell(.tokenIssued($0))] } ?? []) + ready()
  }

  /// Handles an error of the issuer, which must not receive a request before `pause` is over.
  mutating func refused(
    _ number: UInt64, _ error: CredentialError, pause: Duration, random: Double
  ) -> [Effect] {
    guard number == ticket, case .asking(let need) = state else { return [] }
    let failure = TransferFailure(issuer: error)
    guard error.isRetryable, tries.issuer < configuration.issuerRetries else { return end(.failure(failure)) }
    tries.issuer += 1
    let delay = pause > .zero ? pause : configuration.delay(beforeRepetition: tries.issuer, random: random)
    return retry(.issuer, failure, number: tries.issuer, delay: delay, before: .ask(need))
  }

  /// Handles the result of checking the token before an attempt.
  mutating func checked(_ number: UInt64, _ check: Check) -> [Effect] {
    guard number == ticket, state == .checking else { return [] }
    switch check {
    case .ready(let issuance):
      tries.stale = 0
      tries.beginAttempt()
      hasStarted = false
      ticket += 1
      state = .connecting
      return (issuance.map { [.tell(.tokenIssued($0))] } ?? []) + [.tell(.willStartRunning), .run]
    case .stale:
      tries.stale += 1
      guard tries.stale <= max(1, configuration.tokenRenewals) else {
        return end(.failure(.tokensTooShort(tries.stale)))
      }
      let need = Need(reason: .expired)
      return begin(.asking(need), .ask(need))
    case .failed(let failure):
      return end(.failure(failure))
    }
  }

  /// Handles a report of the engine.
  mutating func reported(_ number: UInt64, _ report: TransferReport) -> [Effect] {
    guard number == ticket else { return [] }
    switch report {
    case .connecting:
      return []
    case .running:
      return prove()
    case .progress(let progress):
      let proof = progress.bytes > 0 ? prove() : []
      tries.note(bytes: progress.bytes)
      return proof + (state == .running ? [.tell(.progress(progress))] : [])
    case .file(let file):
      if case .failed = file.outcome { return isAttempting ? [.tell(.file(file))] : [] }
      let proof = prove()
      tries.noteFile()
      return proof + (hasStarted ? [.tell(.file(file))] : [])
    }
  }

  /// Handles the end of an attempt, of which no process, file or port remains.
  mutating func attemptEnded(
    _ number: UInt64, _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
    guard number == ticket, isAttempting else { return [] }
    var effects: [Effect] = []
    if case .success = result, !hasStarted {
      hasStarted = true
      effects += [.tell(.didStartRunning), .tell(.willStopRunning)]
    } else if state == .running {
      effects.append(.tell(.willStopRunning))
    }
    effects.append(.tell(.didStopRunning))
    hasStarted = false
    ticket += 1
    return effects + conclude(result, random: random)
  }

  /// Decides what follows the end of an attempt; a transfer that completed before it could be stopped is a success.
  private mutating func conclude(
    _ result: Result<TransferSummary, TransferFailure>, random: Double
  ) -> [Effect] {
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

  /// Starts a retry if the failure and the remaining budget allow one, and ends the session otherwise.
  private mutating func recover(from failure: TransferFailure, random: Double) -> [Effect] {
    tries.settle()
    switch failure.kind {
    case .token(let reason) where means == .issuer && tries.token < configuration.tokenRenewals:
      tries.token += 1
      let need = Need(reason: reason == .initial ? .rejected : reason, isRefused: true)
      let wait = configuration.delay(beforeRepetition: tries.token - 1, random: random)
      return retry(.token, failure, number: tries.token, delay: tries.token == 1 ? .zero : wait, before: .ask(need))
    case .transport where tries.transport < configuration.transportRetries:
      tries.transport += 1
      let wait = configuration.delay(beforeRepetition: tries.transport, random: random)
      return retry(.transport, failure, number: tries.transport, delay: wait, before: .start)
    case .token where means == .issuer && tries.token > 0:
      return end(.failure(failure.after(tries.token + 1, "consecutive tokens were rejected")))
    case .token where means == .fixed:
      return end(.failure(failure.withoutIssuer))
    case .transport where tries.transport > 0:
      return end(.failure(failure.after(tries.transport + 1, "consecutive attempts failed")))
    default:
      return end(.failure(failure))
    }
  }

  private mutating func retry(
    _ cause: TransferRetry.Cause, _ failure: TransferFailure, number: Int, delay: Duration, before step: Step
  ) -> [Effect] {
    let retry = TransferRetry(cause: cause, failure: failure, number: number, delay: delay)
    return [.tell(.retry(retry))] + begin(.pausing(before: step), .sleep(delay))
  }

  private var isAttempting: Bool {
    switch state {
    case .connecting, .running, .stopping: true
    default: false
    }
  }

  /// Marks that the server has accepted the account and the token, unless the attempt is being stopped.
  private mutating func prove() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    hasStarted = true
    return [.tell(.didStartRunning)]
  }
}
