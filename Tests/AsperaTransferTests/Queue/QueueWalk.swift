// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// A random environment of a state machine that responds to its requests immediately or later, correctly or too late.
struct Walk {
  private enum Work: Equatable {
    case ask, check, attempt, sleep(until: Duration)
  }

  private struct Pending {
    let session: String
    let ticket: UInt64
    let work: Work
  }

  private(set) var problems: [String] = []
  private var machine: QueueMachine
  private var random: SeededGenerator
  private var uptime = Duration.zero
  private var pending: [Pending] = []
  private var alarms: [Duration] = []
  private var orders: [String: EventOrder] = [:]
  /// The number of times each session was enqueued.
  private var entries: [String: Int] = [:]
  private var lastStart: Duration?
  /// The session that is about to start, and whether it was the only active one when that was decided.
  private var starter: (id: String, isAlone: Bool)?
  private var added = 0
  /// The IDs of removed sessions, which other sessions can get.
  private var removedIDs: Set<String> = []
  /// The highest ticket of each ID, which no later task of the ID may have.
  private var lastTickets: [String: UInt64] = [:]
  private let configuration: TransferQueueConfiguration

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    configuration = TransferQueueConfiguration(
      maximumActive: random.pick([1, 1, 2, 5]), startSpacing: random.pick([.zero, .seconds(2)]),
      tokenRenewals: random.pick([0, 1, 2]),
      issuerRetries: random.pick([0, 2]), transportRetries: random.pick([0, 3, 7]))
    machine = QueueMachine(configuration: configuration)
  }

  /// Performs one random event.
  mutating func step() {
    switch random.next() % 16 {
    case 0, 1: add()
    case 2: withSession { machine, id, now in machine.cancel(id, at: now) }
    case 3: rerun()
    case 4 where random.once(in: 4): withSession { machine, id, now in machine.remove(id, at: now) }
    case 5 where random.once(in: 3):
      let stopping = random.once(in: 2)
      apply(machine.pause(stopping: stopping))
    case 6: apply(machine.resume(at: uptime))
    case 7: pass(.milliseconds(Int64(random.next() % 3000)))
    case 8: answerLate()
    default: answer()
    }
  }

  /// Runs until the queue is idle.
  mutating func drain() {
    apply(machine.resume(at: uptime))
    var turns = 0
    while problems.isEmpty, !machine.isIdle {
      turns += 1
      if turns > 20_000 { return problems.append("the queue does not become idle: \(machine.sessions)") }
      if pending.contains(where: { $0.work == .ask || $0.work == .check || $0.work == .attempt }) {
        answer()
      } else {
        pass(.seconds(1))
      }
    }
    for (id, count) in entries where orders[id]?.ends != count {
      problems.append("\(id) was put in line \(count) times and ended \(orders[id]?.ends ?? 0) times")
    }
  }

  mutating func shutDown() {
    apply(machine.shutDown())
    add()
  }

  private mutating func add() {
    added += 1
    let id = !removedIDs.isEmpty && random.once(in: 2) ? random.pick(removedIDs.sorted()) : "s\(added)"
    removedIDs.remove(id)
    entries[id, default: 0] += 1
    let means = random.pick([SessionMachine.TokenSupply.issuer, .issuer, .fixed, .none])
    let requiresToken = random.once(in: 4)
    apply(machine.add(id, tokenSupply: means, requiresToken: requiresToken, at: uptime))
  }

  private mutating func withSession(_ event: (inout QueueMachine, String, Duration) -> [QueueMachine.Effect]) {
    guard !machine.sessions.isEmpty else { return }
    let id = random.pick(machine.sessions.keys.sorted())
    apply(event(&machine, id, uptime))
  }

  private mutating func rerun() {
    guard !machine.sessions.isEmpty else { return }
    let id = random.pick(machine.sessions.keys.sorted())
    let wasEnded = machine.sessions[id]?.isEnded ?? false
    if wasEnded, !machine.isShutDown { entries[id, default: 0] += 1 }
    apply(machine.run(id, at: uptime))
  }

  private mutating func pass(_ duration: Duration) {
    uptime += duration
    let due = pending.filter { if case .sleep(let end) = $0.work { end <= uptime } else { false } }
    for sleeper in due {
      remove(sleeper)
      perform(sleeper.session) { $0.delayEnded(sleeper.ticket) }
    }
    let ringing = alarms.count { $0 <= uptime }
    alarms.removeAll { $0 <= uptime }
    for _ in 0..<ringing { apply(machine.timerEnded(at: uptime)) }
  }

  /// Responds to a random request of the machine.
  private mutating func answer() {
    let open = pending.filter { if case .sleep = $0.work { false } else { true } }
    guard !open.isEmpty else { return pass(.milliseconds(100)) }
    let item = random.pick(open)
    let value = Double(random.next() % 1000) / 1000
    switch item.work {
    case .ask:
      remove(item)
      if random.once(in: 4) {
        let error = CredentialError.outage(isRetryable: !random.once(in: 4))
        let backoff = random.pick([Duration.zero, .seconds(3)])
        return perform(item.session) { $0.requestFailed(item.ticket, error, backoff: backoff, random: value) }
      }
      let issuance = TokenIssuance(source: "desk", kind: .transfer, expiration: nil, reason: .initial, attempt: 1)
      let isNew = !random.once(in: 8)
      perform(item.session) { $0.requestSucceeded(item.ticket, isNew ? issuance : nil) }
    case .check:
      remove(item)
      let check: SessionMachine.TokenCheck =
        switch random.next() % 10 {
        case 0: .failed(.tokenRequired)
        case 1 where machine.sessions[item.session]?.tokenSupply == .issuer: .expiresTooSoon
        default: .ready(nil)
        }
      apply(machine.checkEnded(item.session, item.ticket, check, at: uptime))
    case .attempt where random.once(in: 3):
      remove(item)
      let result = end()
      perform(item.session) { $0.attemptEnded(item.ticket, result, random: value) }
    case .attempt:
      let report = random.pick([
        TransferReport.connecting, .running, .progress(TransferProgressReport(bytes: 0)),
        .progress(TransferProgressReport(bytes: Int64(random.next() % 5))),
        .file(TransferFileReport(file: "f", outcome: .done)),
        .file(TransferFileReport(file: "f", outcome: .failed(code: 43, text: "gone"))),
      ])
      perform(item.session) { $0.receive(item.ticket, report) }
    case .sleep: break
    }
  }

  /// Delivers a response to a superseded request.
  private mutating func answerLate() {
    guard let id = machine.sessions.keys.min(), let ticket = machine.sessions[id]?.ticket, ticket > 0 else { return }
    let late = ticket - 1
    perform(id) { $0.requestSucceeded(late, nil) + $0.delayEnded(late) + $0.receive(late, .running) }
    perform(id) { $0.attemptEnded(late, .success(TransferSummary()), random: 0) }
    perform(id) { $0.requestFailed(late, .outage(isRetryable: true), backoff: .zero, random: 0) }
    apply(machine.checkEnded(id, late, .ready(nil), at: uptime))
  }

  private mutating func end() -> Result<TransferSummary, TransferFailure> {
    switch random.next() % 8 {
    case 0: .failure(.deniedToken)
    case 1: .failure(.expiredToken)
    case 2, 3: .failure(.lostConnection)
    case 4: .failure(TransferFailure(ascpCode: 19, text: "failed to authenticate"))
    case 5: .failure(.cancelled)
    default: .success(TransferSummary())
    }
  }

  private mutating func perform(_ id: String, _ event: (inout SessionMachine) -> [SessionMachine.Effect]) {
    apply(machine.updateAndSchedule(id, at: uptime, event))
  }

  private mutating func remove(_ item: Pending) {
    pending.removeAll { $0.session == item.session && $0.ticket == item.ticket }
  }

  private mutating func apply(_ effects: [QueueMachine.Effect]) {
    for effect in effects {
      checkTicket(of: effect)
      switch effect {
      case .session(let id, _, .report(let kind)):
        if let problem = orders[id, default: EventOrder()].problem(with: kind) { problems.append("\(id): \(problem)") }
        if case .finished(.failure(.cancelled)) = kind, machine.sessions[id]?.isEnded == false {
          // The session was requested to run again while it was being stopped.
          entries[id, default: 0] += 1
        }
      case .session(let id, let ticket, .requestToken):
        noteStarter(id)
        pending.append(Pending(session: id, ticket: ticket, work: .ask))
      case .session(let id, let ticket, .checkToken):
        noteStarter(id)
        pending.append(Pending(session: id, ticket: ticket, work: .check))
      case .session(let id, let ticket, .runAttempt):
        if pending.contains(where: { $0.session == id && $0.work == .attempt }) {
          problems.append("\(id): two attempts at a time")
        }
        noteStart()
        pending.append(Pending(session: id, ticket: ticket, work: .attempt))
      case .session(let id, let ticket, .sleep(let duration)):
        pending.append(Pending(session: id, ticket: ticket, work: .sleep(until: uptime + duration)))
      case .session(let id, _, .cancelTask):
        pending.removeAll { $0.session == id && $0.work != .attempt }
      case .forget(let id):
        if pending.contains(where: { $0.session == id && $0.work == .attempt }) {
          problems.append("\(id): forgotten while it runs")
        }
        removedIDs.insert(id)
      case .timer(let duration): alarms.append(uptime + duration)
      }
    }
    checkLists()
  }

  /// Checks that the ticket of a new task differs from those of all earlier tasks, whose results can still arrive.
  private mutating func checkTicket(of effect: QueueMachine.Effect) {
    guard case .session(let id, let ticket, let effect) = effect else { return }
    switch effect {
    case .requestToken, .checkToken, .runAttempt, .sleep:
      if let lastTicket = lastTickets[id], ticket <= lastTicket { problems.append("\(id): ticket \(ticket) again") }
      lastTickets[id] = ticket
    case .report, .cancelTask: break
    }
  }

  private mutating func noteStarter(_ id: String) {
    let isAlone = starter.map { $0.id == id && $0.isAlone } ?? false
    starter = (id, isAlone || machine.activeIDs.count == 1)
  }

  private mutating func noteStart() {
    if starter?.isAlone == false, let lastStart, uptime - lastStart < configuration.startSpacing {
      problems.append("two starts within \(uptime - lastStart)")
    }
    lastStart = uptime
    starter = nil
  }

  private mutating func checkLists() {
    let activeCount = machine.activeIDs.count
    if activeCount > configuration.maximumActive { problems.append("\(activeCount) are active") }
    if alarms.count > 1 { problems.append("\(alarms.count) alarms") }
    let listed = machine.waitingIDs + machine.urgentIDs + machine.interruptedIDs + machine.activeIDs
    if Set(listed).count != listed.count { problems.append("a session is in two lists: \(listed)") }
    for (id, session) in machine.sessions {
      if session.isEnded == listed.contains(id) { problems.append("\(id) is lost: \(session.state)") }
      if session.isActive != machine.activeIDs.contains(id) { problems.append("\(id) has a wrong place") }
      let (token, transport) = (session.retryCounts.token, session.retryCounts.transport)
      if token > configuration.tokenRenewals || transport > configuration.transportRetries {
        problems.append("\(id) tries too often")
      }
    }
    for id in listed + machine.idsInStartOrder where machine.sessions[id] == nil { problems.append("\(id) is a ghost") }
  }
}
