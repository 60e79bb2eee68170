internal import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// Everything that a queue knows, under its lock.
  struct State {
    /// Somebody who sees events: all of them, or those of a batch.
    struct Observer {
      let buffer: EventBuffer
      let batch: UInt64?
    }

    /// Something that is told when the lock is free, in the order in which it happened.
    enum Notice {
      case event(TransferEvent, [EventBuffer])
      case auth(AuthEvent)
      case result([SessionRecord.Waiter], Result<TransferSummary, TransferFailure>)
      case end([EventBuffer])
      case shutDown([CheckedContinuation<Void, Never>], alarm: Task<Void, Never>?)
    }

    var machine: QueueMachine
    var records: [String: SessionRecord] = [:]
    var observers: [UInt64: Observer] = [:]
    var batches: [UInt64: QueueBatch] = [:]
    /// The batches of which a session has ended.
    var touched: Set<UInt64> = []
    /// The accounts that a server has taken.
    var accepted: Set<String> = []
    var alarm: Task<Void, Never>?
    var untold: [Notice] = []
    var isTelling = false
    var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    private var numbers: UInt64 = 0

    init(machine: QueueMachine) {
      self.machine = machine
    }

    var isOver: Bool { machine.isShutDown && machine.isIdle }

    mutating func nextNumber() -> UInt64 {
      numbers += 1
      return numbers
    }

    /// An id that no session has: the one that is wanted, or that one with a number.
    func freeID(for wanted: String, besides others: [String] = []) -> String {
      func isFree(_ id: String) -> Bool { records[id] == nil && !others.contains(id) }
      if isFree(wanted) { return wanted }
      var number = 2
      while !isFree("\(wanted)-\(number)") { number += 1 }
      return "\(wanted)-\(number)"
    }

    mutating func add(_ record: SessionRecord, as id: String, at uptime: Duration) -> [QueueMachine.Effect] {
      records[id] = record
      return machine.add(
        id, means: record.means, requiresToken: record.account?.requiresToken ?? false, at: uptime)
    }

    /// Ends the batches whose sessions are all over; these leave the queue.
    mutating func closeBatches(at uptime: Duration) -> [QueueMachine.Effect] {
      var effects: [QueueMachine.Effect] = []
      for number in touched {
        guard let batch = batches[number], batch.open.isEmpty,
          batch.members.allSatisfy({ machine.sessions[$0]?.isEnded ?? true })
        else { continue }
        batches[number] = nil
        effects += batch.members.flatMap { machine.remove($0, at: uptime) }
        if let buffer = observers.removeValue(forKey: number)?.buffer { untold.append(.end([buffer])) }
      }
      touched = []
      return effects
    }

    /// Ends everything, if the queue was shut down and nothing is under way any more.
    mutating func closeIfOver() {
      guard isOver, !shutdownWaiters.isEmpty else { return }
      untold.append(.end(observers.values.map(\.buffer)))
      untold.append(.shutDown(shutdownWaiters, alarm: alarm))
      observers = [:]
      shutdownWaiters = []
    }
  }
}

/// Sessions that were put in line together, by somebody who waits for all of them.
struct QueueBatch {
  let members: [String]
  /// Those that have not ended yet.
  var open: Set<String>
}
