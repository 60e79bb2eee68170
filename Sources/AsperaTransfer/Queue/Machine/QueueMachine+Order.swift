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
  mutating func runAgain(_ id: String) -> [Effect] {
    guard let session = sessions[id], !session.isActive, again.remove(id) != nil else { return [] }
    switch session.state {
    case .interrupted, .ended(.failure(.cancelled)): return putFirst(id)
    default: return []
    }
  }

  /// Lets in whoever there is room for, and starts who may start.
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
      let id = line.first(where: { sessions[$0]?.state == .lined })
    else { return [] }
    let wait = lastStart.map { $0 + configuration.startSpacing - uptime } ?? .zero
    if active.count == 1 || wait <= .zero { return update(id) { $0.check() } }
    if isAlarmSet { return [] }
    isAlarmSet = true
    return [.alarm(wait)]
  }
}
