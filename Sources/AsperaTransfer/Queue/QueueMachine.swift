/// What a queue knows and decides, without a clock, a lock or a task: events go in, effects come out.
///
/// All instants are uptimes. A session that gives its place back lets the next one in: first those that were asked to
/// run now, then those that were interrupted, the last one first, then the others in their order.
struct QueueMachine {
  /// What has to be done, in this order.
  enum Effect {
    /// For a session, under the ticket that it has now.
    case session(String, ticket: UInt64, SessionMachine.Effect)
    /// The session has left the queue.
    case forget(String)
    /// Come back after a while, to start who waits for that.
    case alarm(Duration)
  }

  let configuration: TransferQueueConfiguration
  /// The sessions, by their ids.
  var sessions: [String: SessionMachine] = [:]
  /// Those that wait for their first turn, in order.
  var waiting: [String] = []
  /// Those that were asked to run now and have not got a place yet, in order.
  var urgent: [String] = []
  /// Those that were interrupted, the last one at the end.
  var interrupted: [String] = []
  /// Those that have a place, in the order in which they got it.
  var active: [String] = []
  /// Those that are ready to start, in the order in which they got ready.
  var line: [String] = []
  var isShutDown = false
  var isPaused = false
  var isAlarmSet = false
  var lastStart: Duration?
  /// Those that go when they are over, and those that run again when they have stopped.
  var leaving: Set<String> = []
  var again: Set<String> = []

  init(configuration: TransferQueueConfiguration) {
    self.configuration = configuration
  }

  /// Whether nothing is under way and nothing waits.
  var isIdle: Bool { sessions.values.allSatisfy(\.isEnded) }

  /// Puts a session in line.
  mutating func add(
    _ id: String, means: SessionMachine.TokenSupply, requiresToken: Bool, at uptime: Duration
  ) -> [Effect] {
    guard sessions[id] == nil else { return [] }
    sessions[id] = SessionMachine(means: means, requiresToken: requiresToken, configuration: configuration)
    waiting.append(id)
    let effects = update(id) { $0.enter() }
    return effects + (isShutDown ? update(id) { $0.cancel() } : []) + schedule(at: uptime)
  }

  /// Lets something happen to a session, and then whatever that makes room for.
  mutating func perform(
    _ id: String, at uptime: Duration, _ event: (inout SessionMachine) -> [SessionMachine.Effect]
  ) -> [Effect] {
    let effects = update(id, event)
    return effects + runAgain(id) + schedule(at: uptime)
  }

  /// A session's token was looked at for the last time; if it is good, the attempt starts now.
  mutating func checked(
    _ id: String, _ ticket: UInt64, _ check: SessionMachine.Check, at uptime: Duration
  ) -> [Effect] {
    let effects = update(id) { $0.checked(ticket, check) }
    if sessions[id]?.state == .connecting { lastStart = uptime }
    return effects + schedule(at: uptime)
  }

  /// Ends a session; it stays in the queue.
  mutating func cancel(_ id: String, at uptime: Duration) -> [Effect] {
    again.remove(id)
    return update(id) { $0.cancel() } + schedule(at: uptime)
  }

  /// Ends a session and takes it out of the queue.
  mutating func remove(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    again.remove(id)
    guard !session.isEnded else { return forget(id) }
    leaving.insert(id)
    return update(id) { $0.cancel() } + schedule(at: uptime)
  }

  /// Lets nobody in any more.
  ///
  /// - Parameter stopping: Whether those that are active are interrupted.
  mutating func pause(stopping: Bool) -> [Effect] {
    isPaused = true
    return stopping ? active.reversed().flatMap { id in update(id) { $0.interrupt() } } : []
  }

  /// Lets sessions in again.
  mutating func resume(at uptime: Duration) -> [Effect] {
    isPaused = false
    return schedule(at: uptime)
  }

  /// Ends all sessions, and all that are added later.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    again = []
    return (waiting + urgent + interrupted + active).flatMap { id in update(id) { $0.cancel() } }
  }

  /// The time that was asked for is over.
  mutating func alarm(at uptime: Duration) -> [Effect] {
    isAlarmSet = false
    return schedule(at: uptime)
  }

  /// Lets something happen to a session, and keeps the lists.
  mutating func update(
    _ id: String, _ event: (inout SessionMachine) -> [SessionMachine.Effect]
  ) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    var next = session
    let effects = event(&next)
    sessions[id] = next
    keepLists(id, from: session, to: next)
    let told = effects.map { Effect.session(id, ticket: next.ticket, $0) }
    return told + (next.isEnded && leaving.contains(id) ? forget(id) : [])
  }

  private mutating func keepLists(_ id: String, from old: SessionMachine, to new: SessionMachine) {
    if new.isActive != old.isActive {
      if new.isActive { active.append(id) } else { active.removeAll { $0 == id } }
    }
    if old.state == .waiting, new.state != .waiting {
      waiting.removeAll { $0 == id }
    }
    if case .interrupted = new.state {
      if !interrupted.contains(id), !urgent.contains(id) { interrupted.append(id) }
    } else {
      interrupted.removeAll { $0 == id }
    }
    if new.isActive || new.isEnded { urgent.removeAll { $0 == id } }
    switch new.state {
    case .queued where !line.contains(id): line.append(id)
    // Who asks for a token because the last one became too short-lived in line keeps the place in it.
    case .queued, .checking, .asking: break
    default: line.removeAll { $0 == id }
    }
  }

  private mutating func forget(_ id: String) -> [Effect] {
    leaving.remove(id)
    sessions[id] = nil
    return [.forget(id)]
  }
}

extension QueueMachine {
  /// Lets a session run before all others, in the place of an active one if there is no room; one that is over runs
  /// again, and one that is being stopped does when it has stopped.
  mutating func run(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id], !isShutDown, !leaving.contains(id) else { return [] }
    if case .stopping = session.state {
      again.insert(id)
      return []
    }
    return putFirst(id) + makeRoom() + schedule(at: uptime)
  }

  /// A session that was asked to run while it was being stopped, and has stopped.
  private mutating func runAgain(_ id: String) -> [Effect] {
    guard let session = sessions[id], !session.isActive, again.remove(id) != nil else { return [] }
    switch session.state {
    case .interrupted, .ended(.failure(.cancelled)): return putFirst(id)
    default: return []
    }
  }

  /// Admits the sessions that there is room for, and starts those that may start.
  mutating func schedule(at uptime: Duration) -> [Effect] {
    var effects: [Effect] = []
    while active.count < configuration.maximumActive, let id = next() {
      effects += update(id) { $0.activate() }
    }
    return effects + start(at: uptime)
  }

  private mutating func putFirst(_ id: String) -> [Effect] {
    switch sessions[id]?.state {
    case .waiting, .interrupted:
      waiting.removeAll { $0 == id }
      interrupted.removeAll { $0 == id }
      if !urgent.contains(id) { urgent.append(id) }
      return []
    case .ended:
      urgent.append(id)
      return update(id) { $0.enter() }
    default:
      return []
    }
  }

  /// Interrupts as many active sessions as there are urgent ones without a place, those that came last first.
  private mutating func makeRoom() -> [Effect] {
    guard !isPaused else { return [] }
    let stopping = active.count { isStopping($0) }
    var missing = urgent.count - (configuration.maximumActive - active.count) - stopping
    var effects: [Effect] = []
    for id in active.reversed() where missing > 0 && !isStopping(id) {
      effects += update(id) { $0.interrupt() }
      missing -= 1
    }
    return effects
  }

  private func isStopping(_ id: String) -> Bool {
    if case .stopping = sessions[id]?.state { true } else { false }
  }

  private func next() -> String? {
    isPaused || isShutDown ? nil : urgent.first ?? interrupted.last ?? waiting.first
  }

  /// Starts the first of those that are ready, if it is long enough since the last start.
  ///
  /// One at a time is looked at, so that each start counts for the next one. A session that is alone starts at once.
  private mutating func start(at uptime: Duration) -> [Effect] {
    guard !active.contains(where: { sessions[$0]?.state == .checking }),
      let id = line.first(where: { sessions[$0]?.state == .queued })
    else { return [] }
    let wait = lastStart.map { $0 + configuration.startSpacing - uptime } ?? .zero
    if active.count == 1 || wait <= .zero { return update(id) { $0.check() } }
    if isAlarmSet { return [] }
    isAlarmSet = true
    return [.alarm(wait)]
  }
}
