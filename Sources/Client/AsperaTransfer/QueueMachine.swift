// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a transfer queue, which turns events into effects without a clock, a lock or a task.
///
/// All times are uptimes. A free slot is first given to the sessions that the caller asked to run now, then to
/// interrupted sessions (the most recent first), and then to the waiting sessions in order.
struct QueueMachine {
  /// An action that the transfer queue performs for the state machine, in the order of the effects.
  enum Effect {
    /// Performs an effect for a session with the given ID and its current ticket.
    case session(String, ticket: UInt64, SessionMachine.Effect)
    /// Discards what the transfer queue knows about the session with the given ID.
    case forget(String)
    /// Notifies the state machine after the given time, so that sessions that wait for the start spacing can start.
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
  /// The IDs of the sessions that wait for their turn to start, in order.
  var idsInStartOrder: [String] = []
  var isShutDown = false
  var isPaused = false
  /// Whether a ``Effect/timer(_:)`` effect is pending.
  var isTimerSet = false
  /// The uptime at which the last attempt started, from which the start spacing is measured.
  var lastAttemptStart: Duration?
  /// The IDs of the sessions to remove after they have ended.
  var idsToRemove: Set<String> = []
  /// The IDs of the sessions to run again after they have stopped.
  var idsToRunAgain: Set<String> = []

  var isIdle: Bool { sessions.values.allSatisfy(\.isEnded) }

  mutating func add(
    _ id: String, tokenSupply: SessionMachine.TokenSupply, requiresToken: Bool, at uptime: Duration
  ) -> [Effect] {
    guard sessions[id] == nil else { return [] }
    sessions[id] = SessionMachine(tokenSupply: tokenSupply, requiresToken: requiresToken, configuration: configuration)
    waitingIDs.append(id)
    let effects = update(id) { $0.enterQueue() }
    return effects + (isShutDown ? update(id) { $0.cancel() } : []) + schedule(at: uptime)
  }

  /// Passes an event to a session, and then starts the sessions that can use a free slot.
  mutating func updateAndSchedule(
    _ id: String, at uptime: Duration, _ event: (inout SessionMachine) -> [SessionMachine.Effect]
  ) -> [Effect] {
    let effects = update(id, event)
    return effects + runAgainIfRequested(id) + schedule(at: uptime)
  }

  /// Handles the result of checking a session's token, after which the attempt starts if the token is valid.
  mutating func checkEnded(
    _ id: String, _ ticket: UInt64, _ check: SessionMachine.CheckResult, at uptime: Duration
  ) -> [Effect] {
    let effects = update(id) { $0.checkEnded(ticket, check) }
    if sessions[id]?.state == .connecting { lastAttemptStart = uptime }
    return effects + schedule(at: uptime)
  }

  mutating func cancel(_ id: String, at uptime: Duration) -> [Effect] {
    idsToRunAgain.remove(id)
    return update(id) { $0.cancel() } + schedule(at: uptime)
  }

  /// Cancels a session, and removes it from the queue after it has ended.
  mutating func remove(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    idsToRunAgain.remove(id)
    guard !session.isEnded else { return forget(id) }
    idsToRemove.insert(id)
    return update(id) { $0.cancel() } + schedule(at: uptime)
  }

  mutating func pause(stopping: Bool) -> [Effect] {
    isPaused = true
    return stopping ? activeIDs.reversed().flatMap { id in update(id) { $0.interrupt() } } : []
  }

  mutating func resume(at uptime: Duration) -> [Effect] {
    isPaused = false
    return schedule(at: uptime)
  }

  /// Cancels all sessions, including sessions that are added later.
  mutating func shutDown() -> [Effect] {
    isShutDown = true
    idsToRunAgain = []
    return (waitingIDs + urgentIDs + interruptedIDs + activeIDs).flatMap { id in update(id) { $0.cancel() } }
  }

  /// Starts sessions after the time that an ``Effect/timer(_:)`` effect requested.
  mutating func timerFired(at uptime: Duration) -> [Effect] {
    isTimerSet = false
    return schedule(at: uptime)
  }

  /// Passes an event to a session, and updates the lists of session IDs.
  mutating func update(_ id: String, _ event: (inout SessionMachine) -> [SessionMachine.Effect]) -> [Effect] {
    guard let session = sessions[id] else { return [] }
    var changedSession = session
    let effects = event(&changedSession)
    sessions[id] = changedSession
    updateLists(id, from: session, to: changedSession)
    let sessionEffects = effects.map { Effect.session(id, ticket: changedSession.ticket, $0) }
    return sessionEffects + (changedSession.isEnded && idsToRemove.contains(id) ? forget(id) : [])
  }

  private mutating func updateLists(_ id: String, from old: SessionMachine, to new: SessionMachine) {
    if new.isActive != old.isActive {
      if new.isActive { activeIDs.append(id) } else { activeIDs.removeAll { $0 == id } }
    }
    if old.state == .waiting, new.state != .waiting {
      waitingIDs.removeAll { $0 == id }
    }
    if case .interrupted = new.state {
      if !interruptedIDs.contains(id), !urgentIDs.contains(id) { interruptedIDs.append(id) }
    } else {
      interruptedIDs.removeAll { $0 == id }
    }
    if new.isActive || new.isEnded { urgentIDs.removeAll { $0 == id } }
    switch new.state {
    case .queued where !idsInStartOrder.contains(id): idsInStartOrder.append(id)
    case .queued: break
    default: idsInStartOrder.removeAll { $0 == id }
    }
  }

  private mutating func forget(_ id: String) -> [Effect] {
    idsToRemove.remove(id)
    sessions[id] = nil
    return [.forget(id)]
  }

  /// Runs a session before all other sessions, and interrupts an active session if no slot is free.
  ///
  /// A session that has ended runs again. A session that is being stopped runs again after it has stopped.
  mutating func run(_ id: String, at uptime: Duration) -> [Effect] {
    guard let session = sessions[id], !isShutDown, !idsToRemove.contains(id) else { return [] }
    if case .stopping = session.state {
      idsToRunAgain.insert(id)
      return []
    }
    return makeUrgent(id) + freeSlotsForUrgent() + schedule(at: uptime)
  }

  /// Runs a stopped session first if the caller asked to run the session while it was being stopped.
  private mutating func runAgainIfRequested(_ id: String) -> [Effect] {
    guard let session = sessions[id], !session.isActive, idsToRunAgain.remove(id) != nil else { return [] }
    switch session.state {
    case .interrupted, .ended(.failure(.cancelled)): return makeUrgent(id)
    default: return []
    }
  }

  /// Activates as many sessions as there are free slots, and then starts the sessions whose start is due.
  mutating func schedule(at uptime: Duration) -> [Effect] {
    var effects: [Effect] = []
    while activeIDs.count < configuration.maximumActive, let id = nextSessionID() {
      effects += update(id) { $0.activate() }
    }
    return effects + startDueSessions(at: uptime)
  }

  /// Adds a session to the urgent ones, unless it is active.
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
    default:
      return []
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

  private func isStopping(_ id: String) -> Bool {
    if case .stopping = sessions[id]?.state { true } else { false }
  }

  private func nextSessionID() -> String? {
    isPaused || isShutDown ? nil : urgentIDs.first ?? interruptedIDs.last ?? waitingIDs.first
  }

  /// Starts the sessions that wait for their turn.
  ///
  /// With a start spacing, only one session at a time requests and checks its token, so that each start counts for the
  /// spacing before the next start. A session starts immediately if it is the only active session.
  private mutating func startDueSessions(at uptime: Duration) -> [Effect] {
    var effects: [Effect] = []
    while let id = idsInStartOrder.first {
      if configuration.startSpacing > .zero {
        guard !activeIDs.contains(where: { sessions[$0]?.isStarting == true }) else { break }
        let remainingSpacing = lastAttemptStart.map { $0 + configuration.startSpacing - uptime } ?? .zero
        guard activeIDs.count == 1 || remainingSpacing <= .zero else {
          if !isTimerSet { effects.append(.timer(remainingSpacing)) }
          isTimerSet = true
          break
        }
      }
      effects += update(id) { $0.beginNextStep() }
    }
    return effects
  }
}
