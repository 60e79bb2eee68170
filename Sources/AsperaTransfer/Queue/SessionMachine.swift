internal import AsperaAuth
internal import StorageAuth

/// What one session goes through, without a clock, a lock or a task: something happens, effects come out.
///
/// Whatever is begun for the session has a ticket. Taking the session off what it does changes the ticket, so that an
/// answer that comes too late is not heard.
struct SessionMachine {
  /// What the session can do for a token.
  enum TokenSupply: Equatable {
    /// It has none.
    case none
    /// It has one, and there is no other.
    case fixed
    /// It can ask for as many as it needs.
    case issuer
  }

  /// Why a token is needed.
  struct Need: Equatable {
    var reason: TokenRequest.Reason
    /// Whether the server refused the last one, so that the same one will not do.
    var isRefused = false
  }

  /// What comes next for a session that pauses or was interrupted.
  enum Step: Equatable {
    case ask(Need)
    case start
  }

  /// Why a session is told to stop.
  enum Purpose: Equatable {
    /// It is over.
    case cancel
    /// Another one goes first.
    case interrupt
  }

  enum State: Equatable {
    case waiting
    case asking(Need)
    /// Ready to start, as soon as starts are far enough apart.
    case queued
    /// Its token is looked at for the last time, and its specification is signed.
    case checking
    case connecting
    case running
    case pausing(before: Step)
    case stopping(Purpose)
    case interrupted(before: Step)
    case ended(Result<TransferSummary, TransferFailure>)
  }

  /// What has to be done, in this order.
  enum Effect {
    case tell(TransferEvent.Kind)
    case ask(Need)
    case check
    case run
    case sleep(Duration)
    /// What is under way is told to end.
    case cancelWork
  }

  /// What was found when the token was looked at for the last time.
  enum Check {
    /// The attempt can begin; what came, if the token was renewed in the meantime.
    case ready(TokenIssuance?)
    /// The token does not live long enough any more.
    case stale
    case failed(TransferFailure)
  }

  let means: TokenSupply
  let requiresToken: Bool
  let configuration: TransferQueueConfiguration
  var state = State.waiting
  /// The number of what is under way.
  var ticket: UInt64 = 0
  /// Whether `didActivate` was told.
  var isActivated = false
  /// Whether the attempt that is under way got as far as `didStartRunning`.
  var hasStarted = false
  var tries = Tries()

  init(means: TokenSupply, requiresToken: Bool, configuration: TransferQueueConfiguration) {
    self.means = means
    self.requiresToken = requiresToken
    self.configuration = configuration
  }

  /// Whether it takes one of the places of the queue.
  var isActive: Bool {
    switch state {
    case .asking, .queued, .checking, .connecting, .running, .pausing, .stopping: true
    case .waiting, .interrupted, .ended: false
    }
  }

  /// Whether it is over.
  var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// The session is put in line; one that needs a token and can have none is over at once.
  mutating func enter() -> [Effect] {
    state = .waiting
    isActivated = false
    tries = Tries()
    return requiresToken && means == .none ? end(.failure(.tokenRequired)) : []
  }

  /// Its turn has come, or has come back.
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

  /// Looks at the token and signs; the start follows.
  mutating func check() -> [Effect] { begin(.checking, .check) }

  /// Another session goes first.
  mutating func interrupt() -> [Effect] {
    switch state {
    case .asking(let need): return drop(into: .interrupted(before: .ask(need)))
    case .queued, .checking: return drop(into: .interrupted(before: .start))
    case .pausing(let step): return drop(into: .interrupted(before: step))
    case .connecting, .running: return stop(.interrupt)
    case .waiting, .stopping, .interrupted, .ended: return []
    }
  }

  /// It is to end.
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

  /// The pause is over.
  mutating func wake(_ number: UInt64) -> [Effect] {
    guard number == ticket, case .pausing(let step) = state else { return [] }
    return take(step)
  }

  /// Does what comes next.
  private mutating func take(_ step: Step) -> [Effect] {
    switch step {
    case .ask(let need): return begin(.asking(need), .ask(need))
    case .start: return ready()
    }
  }

  /// It has what it needs to start.
  mutating func ready() -> [Effect] {
    state = .queued
    defer { isActivated = true }
    return isActivated ? [] : [.tell(.didActivate)]
  }

  /// Begins something that answers under a new ticket.
  mutating func begin(_ next: State, _ effect: Effect) -> [Effect] {
    ticket += 1
    state = next
    return [effect]
  }

  /// Takes the session off what it does.
  private mutating func drop(into next: State) -> [Effect] {
    ticket += 1
    state = next
    return [.cancelWork]
  }

  /// Tells the attempt to stop, and waits until it has.
  private mutating func stop(_ purpose: Purpose) -> [Effect] {
    state = .stopping(purpose)
    return hasStarted ? [.tell(.willStopRunning), .cancelWork] : [.cancelWork]
  }

  /// It is over.
  mutating func end(_ result: Result<TransferSummary, TransferFailure>) -> [Effect] {
    var effects: [Effect] = []
    if isActivated { effects.append(.tell(.willDeactivate)) }
    if state != .waiting { effects.append(.tell(.didDeactivate)) }
    isActivated = false
    state = .ended(result)
    return effects + [.tell(.finished(result))]
  }
}

/// What has been tried again in a row, each with a count of its own, and how far the attempts came.
struct Tries {
  /// Tokens that were renewed because the server refused them.
  var token = 0
  /// Attempts that were repeated because of the network or the server.
  var transport = 0
  /// Questions to the issuer that were repeated.
  var issuer = 0
  /// Tokens that had become too short-lived when the start was due.
  var stale = 0
  private var bytes: Int64 = 0
  private var files = 0
  private var best: (bytes: Int64, files: Int) = (0, 0)

  /// An attempt begins; it may count from nothing again.
  mutating func beginAttempt() {
    bytes = 0
    files = 0
  }

  /// The attempt has moved so many bytes.
  mutating func note(bytes count: Int64) {
    bytes = max(bytes, count)
  }

  /// The attempt has done a file more.
  mutating func noteFile() {
    files += 1
  }

  /// The attempt has ended: if it came further than all before, everything may be tried as often as at the beginning.
  mutating func settle() {
    guard bytes > best.bytes || files > best.files else { return }
    best = (max(bytes, best.bytes), max(files, best.files))
    token = 0
    transport = 0
  }
}

extension SessionMachine {
  /// The issuer answered.
  ///
  /// - Parameter issuance: What came, if it is a token that the session did not have before.
  mutating func answered(_ number: UInt64, _ issuance: TokenIssuance?) -> [Effect] {
    guard number == ticket, case .asking = state else { return [] }
    tries.issuer = 0
    return (issuance.map { [.tell(.tokenIssued($0))] } ?? []) + ready()
  }

  /// The issuer failed.
  ///
  /// - Parameter pause: How long it wants to be left alone.
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

  /// The token was looked at for the last time.
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

  /// The engine tells something.
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

  /// The attempt has ended, and nothing of it is left.
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

  /// What follows from how an attempt ended; a transfer that was done before it could be stopped is done.
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

  /// Tries again what can be tried again.
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
      return end(.failure(failure.after(tries.token + 1, "tokens were refused in a row")))
    case .token where means == .fixed:
      return end(.failure(failure.withoutIssuer))
    case .transport where tries.transport > 0:
      return end(.failure(failure.after(tries.transport + 1, "attempts failed in a row")))
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

  /// Whether an attempt is under way.
  private var isAttempting: Bool {
    switch state {
    case .connecting, .running, .stopping: true
    default: false
    }
  }

  /// The server has taken account and token, unless the attempt is being stopped.
  private mutating func prove() -> [Effect] {
    guard state == .connecting else { return [] }
    state = .running
    hasStarted = true
    return [.tell(.didStartRunning)]
  }
}
