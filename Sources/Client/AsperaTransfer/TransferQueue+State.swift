// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// The state of a transfer queue, which is protected by the queue's lock.
  struct State {
    /// An observer of all events in the queue, or of the events in one batch.
    struct Observer {
      let buffer: EventBuffer
      let batchID: UInt64?
    }

    /// A batch of sessions that a caller queued together and observes together.
    struct Batch {
      let sessions: [String]
      /// The sessions that have not reported their result.
      var unfinishedSessions: Set<String>
    }

    /// A notification to deliver outside the lock, in the order in which the notifications occurred.
    enum Notice {
      case event(TransferEvent, [EventBuffer])
      case authEvent(AuthEvent, ActiveSpan?)
      case spanEnd(ActiveSpan, AuthActivity.Outcome)
      case result([SessionRecord.Waiter], Result<TransferSummary, TransferFailure>)
      case endOfEvents([EventBuffer])
      case shutDown([CheckedContinuation<Void, Never>], timer: Task<Void, Never>?)
    }

    var machine: QueueMachine
    var records: [String: SessionRecord] = [:]
    /// The observers by ID; the observer of a batch has the ID of the batch.
    var observers: [UInt64: Observer] = [:]
    var batches: [UInt64: Batch] = [:]
    /// The IDs of the batches in which a session has ended since the batches were last examined.
    var changedBatchIDs: Set<UInt64> = []
    /// The logins (user and server) that a server has accepted.
    var acceptedLogins: Set<String> = []
    /// The task that waits until the start spacing has passed.
    var timer: Task<Void, Never>?
    var notices = DeliveryQueue<Notice>()
    var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    private var lastObserverID: UInt64 = 0

    init(machine: QueueMachine) {
      self.machine = machine
    }

    var isOver: Bool { machine.isShutDown && machine.isIdle }

    /// Returns a new ID for a batch or an observer.
    mutating func nextObserverID() -> UInt64 {
      lastObserverID += 1
      return lastObserverID
    }

    /// Returns an unused session ID: the requested ID, or the requested ID with a number appended.
    func unusedID(for requestedID: String, besides reservedIDs: [String] = []) -> String {
      func isUnused(_ id: String) -> Bool { records[id] == nil && !reservedIDs.contains(id) }
      if isUnused(requestedID) { return requestedID }
      var number = 2
      while !isUnused("\(requestedID)-\(number)") { number += 1 }
      return "\(requestedID)-\(number)"
    }

    mutating func add(_ record: SessionRecord, as id: String, at uptime: Duration) -> [QueueMachine.Effect] {
      records[id] = record
      return machine.add(
        id, tokenSupply: record.tokenSupply, requiresToken: record.account?.requiresToken ?? false, at: uptime)
    }

    /// Ends the batches whose sessions have all ended, and removes these sessions from the queue.
    mutating func closeEndedBatches(at uptime: Duration) -> [QueueMachine.Effect] {
      var effects: [QueueMachine.Effect] = []
      for id in changedBatchIDs {
        guard let batch = batches[id], batch.unfinishedSessions.isEmpty,
          batch.sessions.allSatisfy({ machine.sessions[$0]?.isEnded ?? true })
        else { continue }
        batches[id] = nil
        effects += batch.sessions.flatMap { machine.remove($0, at: uptime) }
        if let buffer = observers.removeValue(forKey: id)?.buffer { notices.append(.endOfEvents([buffer])) }
      }
      changedBatchIDs = []
      return effects
    }

    /// Ends all event sequences and resumes the callers that wait for the shutdown, if the queue is shut down and idle.
    mutating func closeIfOver() {
      guard isOver, !shutdownWaiters.isEmpty else { return }
      notices.append(.endOfEvents(observers.values.map(\.buffer)))
      notices.append(.shutDown(shutdownWaiters, timer: timer))
      observers = [:]
      shutdownWaiters = []
    }

    /// Returns an attempt's result, corrected by information that the queue has and the engine lacks.
    ///
    /// A persistent session that ended before it was finished has failed. If a login is rejected that the server accepted
    /// before, the cause may be the server's limit on simultaneous logins.
    func correctedResult(
      _ result: Result<TransferSummary, TransferFailure>, of id: String, isCancelled: Bool
    ) -> Result<TransferSummary, TransferFailure> {
      guard let record = records[id] else { return result }
      switch result {
      case .success:
        guard let feed = record.pathFeed, !feed.isFinished else { return result }
        return .failure(isCancelled ? .cancelled : .endedEarly)
      case .failure(let failure):
        let hasSimultaneousLogins = machine.activeIDs.count > 1 || (record.session.specification.sessionCount ?? 1) > 1
        guard failure.kind == .account, hasSimultaneousLogins, acceptedLogins.contains(record.login) else {
          return result
        }
        return .failure(failure.advisingStartSpacing)
      }
    }
  }
}
