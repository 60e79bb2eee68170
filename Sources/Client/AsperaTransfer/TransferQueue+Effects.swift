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
      let batch: UInt64?
    }

    /// A notification to deliver outside the lock, in the order in which the notifications occurred.
    enum Notice {
      case event(TransferEvent, [EventBuffer])
      case auth(AuthEvent, ActiveSpan?)
      case spanEnd(ActiveSpan, AuthActivity.Outcome)
      case result([SessionRecord.Waiter], Result<TransferSummary, TransferFailure>)
      case end([EventBuffer])
      case shutDown([CheckedContinuation<Void, Never>], timer: Task<Void, Never>?)
    }

    var machine: QueueMachine
    var records: [String: SessionRecord] = [:]
    var observers: [UInt64: Observer] = [:]
    var batches: [UInt64: QueueBatch] = [:]
    /// The numbers of the batches in which a session has ended since the batches were last examined.
    var changedBatches: Set<UInt64> = []
    /// The logins (user and server) that a server has accepted.
    var acceptedLogins: Set<String> = []
    var timer: Task<Void, Never>?
    var notices = DeliveryQueue<Notice>()
    var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    private var lastNumber: UInt64 = 0

    init(machine: QueueMachine) {
      self.machine = machine
    }

    var isOver: Bool { machine.isShutDown && machine.isIdle }

    mutating func nextNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    /// Returns an unused session ID: the requested ID, or the requested ID with a number appended.
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
        id, tokenSupply: record.tokenSupply, requiresToken: record.account?.requiresToken ?? false, at: uptime)
    }

    /// Ends the batches whose sessions have all ended, and removes these sessions from the queue.
    mutating func closeBatches(at uptime: Duration) -> [QueueMachine.Effect] {
      var effects: [QueueMachine.Effect] = []
      for number in changedBatches {
        guard let batch = batches[number], batch.open.isEmpty,
          batch.members.allSatisfy({ machine.sessions[$0]?.isEnded ?? true })
        else { continue }
        batches[number] = nil
        effects += batch.members.flatMap { machine.remove($0, at: uptime) }
        if let buffer = observers.removeValue(forKey: number)?.buffer { notices.append(.end([buffer])) }
      }
      changedBatches = []
      return effects
    }

    /// Ends all event sequences and resumes the callers that wait for the shutdown, if the queue is shut down and idle.
    mutating func closeIfOver() {
      guard isOver, !shutdownWaiters.isEmpty else { return }
      notices.append(.end(observers.values.map(\.buffer)))
      notices.append(.shutDown(shutdownWaiters, timer: timer))
      observers = [:]
      shutdownWaiters = []
    }
  }
}

/// A batch of sessions that a caller queued together and observes together, some of which may be open: not ended.
struct QueueBatch {
  let members: [String]
  var open: Set<String>
}

extension TransferQueue {
  /// Changes the queue's state under the lock, and then performs the resulting effects.
  func perform(_ change: (inout State, _ uptime: Duration) -> [QueueMachine.Effect]) {
    let uptime = time.uptime
    let actions = state.withLock { state in
      var actions = change(&state, uptime).compactMap { prepare($0, in: &state, at: uptime) }
      while !state.changedBatches.isEmpty {
        actions += state.closeBatches(at: uptime).compactMap { prepare($0, in: &state, at: uptime) }
      }
      state.closeIfOver()
      return actions
    }
    deliverNotices()
    for action in actions { action() }
  }

  /// Starts an effect under the lock, and returns the part that calls external code and must run outside the lock.
  private func prepare(
    _ effect: QueueMachine.Effect, in state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    switch effect {
    case .session(let id, _, .report(let kind)):
      return prepare(kind, of: id, in: &state, at: uptime)
    case .session(let id, let ticket, .requestToken(let need)):
      guard let record = state.records[id], let tokens = record.tokens else { break }
      state.records[id]?.work = startTokenRequest(to: tokens, need, for: id, ticket: ticket, in: record.trace)
    case .session(let id, let ticket, .check):
      guard let record = state.records[id] else { break }
      state.records[id]?.work = startCheck(of: record, id: id, ticket: ticket)
    case .session(let id, let ticket, .run):
      startAttempt(of: id, ticket: ticket, in: &state)
    case .session(let id, let ticket, .sleep(let duration)):
      state.records[id]?.work = perform(after: duration) { state, uptime in
        state.machine.perform(id, at: uptime) { $0.delayEnded(ticket) }
      }
    case .session(let id, _, .cancelWork):
      guard let work = state.records[id]?.work else { return nil }
      return { work.cancel() }
    case .forget(let id):
      state.records[id] = nil
    case .timer(let duration):
      state.timer = perform(after: duration) { state, uptime in state.machine.timerFired(at: uptime) }
    }
    return nil
  }

  /// Records an event of a session and its consequences, and returns the part that must run outside the lock.
  private func prepare(
    _ kind: TransferEvent.Kind, of id: String, in state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    guard let record = state.records[id] else { return nil }
    let readers = state.observers.values.filter { $0.batch == nil || $0.batch == record.batch }.map(\.buffer)
    if !readers.isEmpty { state.notices.append(.event(TransferEvent(session: id, kind: kind), readers)) }
    switch kind {
    case .willActivate:
      state.records[id]?.begin(as: id, queue: self, at: uptime)
    case .didStartRunning:
      state.acceptedLogins.insert(record.login)
    case .retry(let retry):
      state.notices.append(.auth(.retry(record.retryEvent(retry)), record.trace))
    case .finished(let result):
      let transfer = record.transferEvent(result, at: uptime)
      state.notices.append(.auth(.transfer(transfer), nil))
      if let span = record.trace { state.notices.append(.spanEnd(span, .init(failure: transfer.failure))) }
      state.notices.append(.result(record.waiters, result))
      if let batch = record.batch {
        state.batches[batch]?.open.remove(id)
        state.changedBatches.insert(batch)
      }
      state.records[id]?.end()
      guard let tokens = record.tokens else { return nil }
      return { tokens.shutdown() }
    default:
      break
    }
    return nil
  }

  private func deliverNotices() {
    state.deliver(\.notices) { notice in
      switch notice {
      case .event(let event, let readers): for reader in readers { reader.append(event) }
      case .auth(let event, let span):
        span?.record(event)
        authEvents.relay(event)
      case .spanEnd(let span, let outcome): span.end(outcome)
      case .result(let waiters, let result): for waiter in waiters { waiter.resume(returning: result) }
      case .end(let buffers): for buffer in buffers { buffer.finish() }
      case .shutDown(let waiters, let timer):
        timer?.cancel()
        for waiter in waiters { waiter.resume() }
      }
    }
  }

  /// Adds an observer of all events, or of those in a batch, until the returned sequence is released.
  func observe(_ batch: UInt64?) -> TransferEvents {
    let buffer = EventBuffer()
    let number = state.withLock { state in
      let number = batch ?? state.nextNumber()
      if state.isOver {
        buffer.finish()
      } else {
        state.observers[number] = State.Observer(buffer: buffer, batch: batch)
      }
      return number
    }
    return TransferEvents(reader: TransferEvents.Reader(buffer) { [weak self] in self?.leave(number) })
  }

  /// Removes an observer, and cancels the sessions in the batch that it observed.
  private func leave(_ number: UInt64) {
    perform { state, uptime in
      state.observers[number] = nil
      let members = state.batches.removeValue(forKey: number)?.members ?? []
      return members.flatMap { state.machine.remove($0, at: uptime) }
    }
  }

  /// Returns the record of a session that is added to the queue by the current task, in whose trace the session runs.
  func record(of session: TransferSession, batch: UInt64?) -> SessionRecord {
    var record = SessionRecord(session, account: accounts?.current()?.credential, issuer: issuer, batch: batch)
    record.trace = authEvents.begin(AuthActivity(.operation, record.subject))
    return record
  }

  /// Returns the time for which an account's token must remain valid when an attempt starts.
  func tokenMargin(for account: AsperaAccount?) -> Duration {
    let now = time.now
    return configuration.tokenMargin ?? now.duration(to: makeSigner(account).requiredValidity(from: now))
  }

  private func startTokenRequest(
    to tokens: SessionTokens, _ need: SessionMachine.TokenNeed, for id: String, ticket: UInt64, in span: ActiveSpan?
  ) -> Task<Void, Never> {
    Task.detached { [self] in
      do throws(CredentialError) {
        let issuance = try await span.run { () async throws(CredentialError) in try await tokens.obtain(need) }
        perform { state, uptime in state.machine.perform(id, at: uptime) { $0.requestSucceeded(ticket, issuance) }
        }
      } catch {
        let (pause, random) = (tokens.remainingBackoff, random())
        perform { state, uptime in
          state.machine.perform(id, at: uptime) { $0.requestFailed(ticket, error, pause: pause, random: random) }
        }
      }
    }
  }

  /// Starts a task that checks the session's token and signs the specification.
  private func startCheck(of record: SessionRecord, id: String, ticket: UInt64) -> Task<Void, Never> {
    Task.detached { [self] in
      var record = record
      let (check, signed) = await authenticateAndSign(&record)
      perform { [record] state, uptime in
        if state.machine.sessions[id]?.ticket == ticket {
          state.records[id]?.signed = signed
          state.records[id]?.account = record.account
        }
        return state.machine.checkEnded(id, ticket, check, at: uptime)
      }
    }
  }

  /// Signs the specification with the account of the session, or with the one that the queue has now.
  private func authenticateAndSign(_ record: inout SessionRecord) async -> (SessionMachine.CheckResult, TransferSpec?) {
    if record.session.account == nil, let accounts {
      do throws(CredentialError) {
        record.account = try await accounts.credential()
      } catch {
        return (.failed(TransferFailure(account: error)), nil)
      }
    }
    var grant = TransferCredential(token: nil)
    var issuance: TokenIssuance?
    var generation: CredentialGeneration?
    var signingDate = time.now
    if let tokens = record.tokens {
      guard let (cached, issued) = tokens.currentToken() else {
        return (record.issuer == nil ? .failed(.fixedTokenExpired(record.fixed?.expiration)) : .stale, nil)
      }
      (grant, issuance, generation) = (cached.credential, issued, cached.generation)
      signingDate = tokens.signingDate(for: grant, now: signingDate)
    }
    var specification = record.session.specification
    if record.issuer != nil { specification.token = nil }
    do throws(SigningError) {
      var signed = try makeSigner(record.account).signed(specification, with: grant, in: .at(signingDate))
      signed.identifyTransfer(as: record.transferID)
      if let generation {
        authEvents.emit(
          .signed(
            AuthEvent.Signature(
              subject: record.subject, identity: signed.remoteUser, generation: generation, date: signingDate)))
      }
      return (.ready(issuance), signed)
    } catch {
      return (.failed(.unsignable(error)), nil)
    }
  }

  private func startAttempt(of id: String, ticket: UInt64, in state: inout State) {
    guard let specification = state.records[id]?.signed else { return }
    state.records[id]?.signed = nil
    let additions = state.records[id]?.feed?.open()
    state.records[id]?.attempts += 1
    guard let record = state.records[id] else { return }
    state.records[id]?.work = Task.detached { [self] in
      let result: Result<TransferSummary, TransferFailure>
      do throws(TransferFailure) {
        result = .success(
          try await measure(record) { () async throws(TransferFailure) in
            try await engine.run(specification, additions: additions) { [self] in handle($0, of: id, ticket: ticket) }
          })
      } catch {
        result = .failure(specification.lacksTags && error.isAboutToken ? error.advisingTags : error)
      }
      let (isCancelled, random) = (Task.isCancelled, random())
      perform { state, uptime in
        let corrected = state.correctedResult(result, of: id, isCancelled: isCancelled)
        state.records[id]?.feed?.close()
        return state.machine.perform(id, at: uptime) { $0.attemptEnded(ticket, corrected, random: random) }
      }
    }
  }

  private func measure(
    _ record: SessionRecord, _ attempt: () async throws(TransferFailure) -> TransferSummary
  ) async throws(TransferFailure) -> TransferSummary {
    try await record.trace.run { () async throws(TransferFailure) in
      try await authEvents.begin(AuthActivity(.attempt, record.subject, attempt: record.attempts)).measure {
        () async throws(TransferFailure) in
        try await attempt()
      } outcome: { result in
        guard case .failure(let failure) = result else { return AuthActivity.Outcome() }
        return AuthActivity.Outcome(failure: failure.message)
      }
    }
  }

  private func handle(_ report: TransferReport, of id: String, ticket: UInt64) {
    perform { state, uptime in
      if state.machine.sessions[id]?.ticket == ticket { state.records[id]?.update(from: report) }
      return state.machine.perform(id, at: uptime) { $0.handle(ticket, report) }
    }
  }

  private func perform(
    after delay: Duration, _ change: @escaping @Sendable (inout State, _ uptime: Duration) -> [QueueMachine.Effect]
  ) -> Task<Void, Never> {
    Task.detached { [self] in
      guard (try? await time.sleep(for: delay)) != nil else { return }
      perform(change)
    }
  }
}

extension TransferQueue.State {
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
      guard let feed = record.feed, !feed.isFinished else { return result }
      return .failure(isCancelled ? .cancelled : .endedEarly)
    case .failure(let failure):
      let isBurst = machine.active.count > 1 || (record.session.specification.sessionCount ?? 1) > 1
      guard failure.kind == .account, isBurst, acceptedLogins.contains(record.login) else { return result }
      return .failure(failure.advisingStartSpacing)
    }
  }
}
