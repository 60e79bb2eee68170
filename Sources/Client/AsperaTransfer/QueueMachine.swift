// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The state machine of a transfer queue, which turns events into effects without a clock, a lock or a task.
///
/// All times are uptimes. A free slot is first given to the sessions that the caller asked to run now, then to
/// interrupted sessions (the most recent first), and then to the waiting sessions in order.
struct QueueMachine {
  /// An action that the transfer queue performs for the state machine, in the order of the effects.
  enum Effect {
    /// Performs an effect for a session with the given ID and its current ticket.
    case session(String, ticket: UInt64, SessionMachine.Effect)
    /// Discards the transfer queue's record of the session with the given ID.
    case forget(String)
    /// Calls ``timerEnded(at:)`` after the given time, so that sessions can start after the start spacing.
    case timer(Duration)
  }

  let configuration: TransferQueueConfiguration
  var sessions: [String: SessionMachine] = [:]
  /// The IDs of the sessions that have never been active, in order.
  var waitingIDs: [String] = []
  /// The IDs of the sessions that the caller asked to run now and that have no slot yet, in order.
  var urgentIDs: [String] = []
  /// The IDs of the interrupted sessions, with the most recent session last.
  var interruptedIDs: [String] = []
  /// The IDs of the sessions that occupy a slot, in the order in which they became active.
  var activeIDs: [String] = []
  /// The IDs of the active sessions that wait for their turn to take the next step, in order.
  var idsInStartOrder: [String] = []
  var isShutDown = false
  var isPaused = false
  /// Whether a stopped session ends, because the queue is paused until its shutdown.
  var isFinishing = false
  var isTimerPending = false
  /// The uptime at which the last attempt started, from which the start spacing is measured.
  var lastAttemptStart: Duration?
  var idsToRemoveAfterEnd: Set<String> = []
  var idsToRunAgainAfterStop: Set<String> = []
  /// The highest ticket of the removed sessions, whose late results must not be taken for those of a session with the
  /// same ID.
  private var lastRemovedTicket: UInt64 = 0

  init(configuration: TransferQueueConfiguration) { self.configuration = configuration }

  var isIdle: Bool { sessions.values.allSatisfy(\.isEnded) }

  mutating func add(
    _ id: String, tokenSupply: SessionMachine.TokenSupply, requiresToken: Bool, at uptime: Duration
  ) -> [Effect] {
    guard sessions[id] == nil else { return [] }
    sessions[id] = SessionMachine(
      tokenSupply: tokenSupply, requiresToken: requiresToken, configuration: configuration, ticket: lastRemovedTicket)
    waitingIDs.append(id)
    let effects = update(id) { $0.enterQueue() }
    return effects + (isShutDown ? update(id) { $0.cancel() } : []) + schedule(at: uptime)
  }

  mutating func updateAndSchedule(
    _ id: String, at uptime: Duration, _ event: (inout SessionMachine) -> [SessionMachine.Effect]
  ) -> [Effect] {
    let effects = update(id, event)
    return effects + runAgainIfRequested(id) + schedule(at: uptime)
  }

  mutating func checkEnded(
    _ id: String, _ ticket: UInt64, _ check: SessionMachine.TokenCheck, at uptime: Duration
  ) -> [Effect] {
    let effects = update(id) { $0.checkEnded(ticket, check) }
    if sessions[id]?.state == .connecting { lastAttemptStart = uptime }
    return effects + schedule(at: uptime)
  }

  mutating func cancel(_ id: String, at uptime: Duration) -> [Effect] {
    idsToRunAgainAfterStop.remove(id)
    return update(id) { $0.cancel() } + schedule(at: uptime)
  }

  /// Cancels a session, and removes it from the queue after it has ended.
  mutating func remove(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    if session.isEnded { return forget(id) }
    idsToRemoveAfterEnd.insert(id)
    return cancel(id, at: uptime)
  }

  /// Runs a session before all others, even if it has ended or is stopping, and interrupts another if no slot is free.
  mutating func run(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id], !isShutDown, !idsToRemoveAfterEnd.contains(id) else { return [] }
    if case .stopping = session.state {
      idsToRunAgainAfterStop.insert(id)
      return []
    }
    return makeUrgent(id) + freeSlotsForUrgent() + schedule(at: uptime)
  }

  /// Starts no more sessions, and interrupts the active ones if requested.
  mutating func pause(stopping: Bool) -> [Effect] {
    isPaused = true
    let isFinishing = isFinishing
    return stopping
      ? activeIDs.reversed().flatMap { id in update(id) { isFinishing ? $0.cancel() : $0.interrupt() } } : []
  }

  /// Starts no more sessions until the shutdown, and cancels those that are stopping, which could not continue.
  mutating func finishActiveSessions(at uptime: Duration) -> [Effect] {
    (isPaused, isFinishing) = (true, true)
    return activeIDs.filter { isStopping($0) }.flatMap { cancel($0, at: uptime) }
  }

  mutating func resume(at uptime: Duration) -> [Effect] {
    let wasPaused = isPaused
    isPaused = false
    return (wasPaused && !isFinishing ? freeSlotsForUrgent() : []) + schedule(at: uptime)
  }

  /// Cancels all sessions, including sessions that are added later.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    idsToRunAgainAfterStop = []
    return (waitingIDs + urgentIDs + interruptedIDs + activeIDs).flatMap { id in update(id) { $0.cancel() } }
  }

  mutating func timerEnded(at uptime: Duration) -> [Effect] {
    isTimerPending = false
    return schedule(at: uptime)
  }

  /// Passes an event to the machine of a session, and moves the session to the lists of its new state.
  mutating func update(_ id: String, _ event: (inout SessionMachine) -> [SessionMachine.Effect]) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    var changedSession = session
    let effects = event(&changedSession)
    sessions[id] = changedSession
    updateLists(id, from: session, to: changedSession)
    let sessionEffects = effects.map { Effect.session(id, ticket: changedSession.ticket, $0) }
    return sessionEffects + (changedSession.isEnded && idsToRemoveAfterEnd.contains(id) ? forget(id) : [])
  }

  private mutating func updateLists(_ id: String, from old: SessionMachine, to new: SessionMachine) {
    let isInterrupted = if case .interrupted = new.state { true } else { false }
    let waitsForStart = if case .queued = new.state { true } else { false }
    activeIDs.setMembership(of: id, to: new.isActive)
    interruptedIDs.setMembership(of: id, to: isInterrupted && !urgentIDs.contains(id))
    idsInStartOrder.setMembership(of: id, to: waitsForStart)
    if old.state == .waiting, new.state != .waiting { waitingIDs.removeAll { $0 == id } }
    if new.isActive || new.isEnded { urgentIDs.removeAll { $0 == id } }
  }

  private mutating func forget(_ id: String) -> [Effect] {
    idsToRemoveAfterEnd.remove(id)
    if let session = sessions.removeValue(forKey: id) { lastRemovedTicket = max(lastRemovedTicket, session.ticket) }
    return [.forget(id)]
  }

  private mutating func runAgainIfRequested(_ id: String) -> [Effect] {
    guard let session = sessions[id], !session.isActive, idsToRunAgainAfterStop.remove(id) != nil else { return [] }
    switch session.state {
    case .interrupted, .ended(.failure(.cancelled)): return makeUrgent(id)
    default: return []
    }
  }

  /// Gives the free slots to the next sessions, and starts the sessions that are due.
  mutating func schedule(at uptime: Duration) -> [Effect] {
    var effects: [Effect] = []
    while activeIDs.count < configuration.maximumActive, let id = nextSessionID() {
      effects += update(id) { $0.activate() }
    }
    return effects + startDueSessions(at: uptime)
  }

  /// Puts a session that has no slot behind the other urgent ones, and queues it again if it has ended.
  private mutating func makeUrgent(_ id: String) -> [Effect] {
    switch sessions[id]?.state {
    case .waiting, .interrupted:
      waitingIDs.removeAll { $0 == id }
      interruptedIDs.removeAll { $0 == id }
      if !urgentIDs.contains(id) { urgentIDs.append(id) }
      return []
    case .ended:
      urgentIDs.append(id)
      return update(id) { $0.enterQueue() }
    default: return []
    }
  }

  /// Interrupts active sessions, the last activated first, until there are enough slots for the urgent ones.
  private mutating func freeSlotsForUrgent() -> [Effect] {
    guard !isPaused else { return [] }
    let freeSlotCount = configuration.maximumActive - activeIDs.count
    let stoppingCount = activeIDs.count { isStopping($0) }
    var missingSlotCount = urgentIDs.count - freeSlotCount - stoppingCount
    var effects: [Effect] = []
    for id in activeIDs.reversed() where missingSlotCount > 0 && !isStopping(id) {
      effects += update(id) { $0.interrupt() }
      missingSlotCount -= 1
    }
    return effects
  }

  private func isStopping(_ id: String) -> Bool { if case .stopping = sessions[id]?.state { true } else { false } }

  private func nextSessionID() -> String? {
    isPaused || isShutDown ? nil : urgentIDs.first ?? interruptedIDs.last ?? waitingIDs.first
  }

  /// Starts the sessions that wait for their turn.
  ///
  /// With a start spacing, only one session at a time requests and checks its token, so that each start counts for the
  /// spacing before the next start. A session starts immediately if it is the only active session.
  private mutating func startDueSessions(at uptime: Duration) -> [Effect] {
    var effects: [Effect] = []
    let hasSpacing = configuration.startSpacing > .zero
    while let id = idsInStartOrder.first {
      if hasSpacing, activeIDs.contains(where: { sessions[$0]?.isStarting == true }) { break }
      if hasSpacing, activeIDs.count > 1, let delay = remainingSpacing(at: uptime) {
        if !isTimerPending { effects.append(.timer(delay)) }
        isTimerPending = true
        break
      }
      effects += update(id) { $0.beginNextStep() }
    }
    return effects
  }

  private func remainingSpacing(at uptime: Duration) -> Duration? {
    lastAttemptStart.map { $0 + configuration.startSpacing - uptime }.flatMap { $0 > .zero ? $0 : nil }
  }
}

extension [String] {
  fileprivate mutating func setMembership(of id: String, to isMember: Bool) {
    if !isMember { removeAll { $0 == id } } else if !contains(id) { append(id) }
  }
}
