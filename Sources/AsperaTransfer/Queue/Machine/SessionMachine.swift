internal import AsperaAuth

/// What one session goes through, without a clock, a lock or a task: something happens, effects come out.
///
/// Whatever is begun for the session has a ticket. Taking the session off what it does changes the ticket, so that an
/// answer that comes too late is not heard.
struct SessionMachine {
  /// What the session can do for a token.
  enum TokenMeans: Equatable {
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
    case lined
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

  let means: TokenMeans
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

  init(means: TokenMeans, requiresToken: Bool, configuration: TransferQueueConfiguration) {
    self.means = means
    self.requiresToken = requiresToken
    self.configuration = configuration
  }

  /// Whether it takes one of the places of the queue.
  var isActive: Bool {
    switch state {
    case .asking, .lined, .checking, .connecting, .running, .pausing, .stopping: true
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
    case .lined, .checking: return drop(into: .interrupted(before: .start))
    case .pausing(let step): return drop(into: .interrupted(before: step))
    case .connecting, .running: return stop(.interrupt)
    case .waiting, .stopping, .interrupted, .ended: return []
    }
  }

  /// It is to end.
  mutating func cancel() -> [Effect] {
    switch state {
    case .waiting: return end(.failure(.cancelled))
    case .asking, .lined, .checking, .pausing, .interrupted:
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
    state = .lined
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
