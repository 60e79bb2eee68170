// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// Changes the queue's state under the lock, and then carries out the effects of the change.
  func changeState(_ change: (inout State, _ uptime: Duration) -> [QueueMachine.Effect]) {
    let uptime = time.uptime
    let actions = state.withLock { state in
      var actions = change(&state, uptime).compactMap { startEffect($0, in: &state, at: uptime) }
      while !state.changedBatchIDs.isEmpty {
        actions += state.closeEndedBatches(at: uptime).compactMap { startEffect($0, in: &state, at: uptime) }
      }
      state.closeIfOver()
      return actions
    }
    deliverNotices()
    for action in actions { action() }
  }

  private func updateSession(_ id: String, _ event: (inout SessionMachine) -> [SessionMachine.Effect]) {
    changeState { state, uptime in state.machine.updateAndSchedule(id, at: uptime, event) }
  }

  private func changeState(
    after delay: Duration, _ change: @escaping @Sendable (inout State, _ uptime: Duration) -> [QueueMachine.Effect]
  ) -> Task<Void, Never> {
    Task.detached { [self] in
      // The sleep fails only if the task is cancelled.
      guard (try? await time.sleep(for: delay)) != nil else { return }
      changeState(change)
    }
  }

  /// Starts an effect under the lock, and returns the part that calls external code and must run outside the lock.
  private func startEffect(
    _ effect: QueueMachine.Effect, in state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    switch effect {
    case .session(let id, _, .report(let kind)): return recordEvent(kind, of: id, in: &state, at: uptime)
    case .session(let id, let ticket, .requestToken(let need)):
      guard let record = state.records[id], let tokens = record.tokens else { break }
      state.records[id]?.currentTask = startTokenRequest(
        to: tokens, need, for: id, ticket: ticket, in: record.operationSpan)
    case .session(let id, let ticket, .checkToken):
      guard let record = state.records[id] else { break }
      state.records[id]?.currentTask = startTokenCheck(of: record, id: id, ticket: ticket)
    case .session(let id, let ticket, .runAttempt): startAttempt(of: id, ticket: ticket, in: &state)
    case .session(let id, let ticket, .sleep(let duration)):
      state.records[id]?.currentTask = changeState(after: duration) { state, uptime in
        state.machine.updateAndSchedule(id, at: uptime) { $0.delayEnded(ticket) }
      }
    case .session(let id, _, .cancelTask):
      guard let task = state.records[id]?.currentTask else { return nil }
      return { task.cancel() }
    case .forget(let id): state.records[id] = nil
    case .timer(let duration):
      state.startSpacingTimer = changeState(after: duration) { state, uptime in state.machine.timerEnded(at: uptime) }
    }
    return nil
  }

  /// Records an event of a session and its consequences, and returns the part that must run outside the lock.
  private func recordEvent(
    _ kind: TransferEvent.Kind, of id: String, in state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    guard let record = state.records[id] else { return nil }
    let buffers = state.observers.values.filter { $0.batchID == nil || $0.batchID == record.batchID }.map(\.buffer)
    if !buffers.isEmpty { state.notices.append(.event(TransferEvent(session: id, kind: kind), buffers)) }
    switch kind {
    case .willActivate: state.records[id]?.beginActivation(as: id, in: self, at: uptime)
    case .didStartRunning: state.acceptedLogins.insert(record.login)
    case .retry(let retry): state.notices.append(.authEvent(.retry(record.retryEvent(retry)), record.operationSpan))
    case .finished(let result):
      let transfer = record.transferEvent(result, at: uptime)
      state.notices.append(.authEvent(.transfer(transfer), nil))
      if let span = record.operationSpan { state.notices.append(.spanEnd(span, .init(failure: transfer.failure))) }
      state.notices.append(.result(record.waiters, result))
      if let batchID = record.batchID {
        state.batches[batchID]?.unfinishedSessionIDs.remove(id)
        state.changedBatchIDs.insert(batchID)
      }
      state.records[id]?.releaseResources()
      guard let tokens = record.tokens else { return nil }
      return { tokens.shutdown() }
    default: break
    }
    return nil
  }

  private func deliverNotices() {
    state.deliver(\.notices) { notice in
      switch notice {
      case .event(let event, let buffers): for buffer in buffers { buffer.append(event) }
      case .authEvent(let event, let span):
        span?.record(event)
        authEvents.relay(event)
      case .spanEnd(let span, let outcome): span.end(outcome)
      case .result(let waiters, let result): for waiter in waiters { waiter.resume(returning: result) }
      case .endOfEvents(let buffers): for buffer in buffers { buffer.finish() }
      case .shutDown(let waiters, let timer):
        timer?.cancel()
        for waiter in waiters { waiter.resume() }
      }
    }
  }

  func addObserver() -> TransferEvents {
    let buffer = EventBuffer()
    let id = state.withLock { state in
      let id = state.nextObserverID()
      if state.isOver {
        buffer.finish()
      } else {
        state.observers[id] = State.Observer(buffer: buffer, batchID: nil)
      }
      return id
    }
    return events(in: buffer, ofObserver: id)
  }

  func events(in buffer: EventBuffer, ofObserver id: UInt64) -> TransferEvents {
    TransferEvents(reader: TransferEvents.Reader(buffer) { [weak self] in self?.removeObserver(id) })
  }

  /// Removes an observer of all events, or cancels and removes the sessions of an observed batch.
  ///
  /// The sequence of the observer ends for all its iterators, after the events that have occurred. The observer of a
  /// batch also receives the events of the cancelled sessions, and is removed after the last one.
  private func removeObserver(_ id: UInt64) {
    changeState { state, uptime in
      guard let sessionIDs = state.batches[id]?.sessionIDs else {
        if let buffer = state.observers.removeValue(forKey: id)?.buffer { state.notices.append(.endOfEvents([buffer])) }
        return []
      }
      // Other sessions can get the IDs before the batch ends, and must not be removed with it.
      state.batches[id]?.sessionIDs = []
      return sessionIDs.flatMap { state.machine.remove($0, at: uptime) }
    }
  }

  func record(of session: TransferSession, batchID: UInt64?) -> SessionRecord {
    var record = SessionRecord(session, account: accounts?.current()?.credential, issuer: issuer, batchID: batchID)
    record.operationSpan = authEvents.begin(AuthActivity(.operation, record.subject))
    return record
  }

  func tokenMargin(for account: AsperaAccount?) -> Duration {
    let now = time.now
    return configuration.tokenMargin ?? now.duration(to: makeSigner(account).requiredValidity(from: now))
  }

  private func startTokenRequest(
    to tokens: SessionTokens, _ need: SessionMachine.TokenNeed, for id: String, ticket: UInt64, in span: ActiveSpan?
  ) -> Task<Void, Never> {
    Task.detached { [self] in
      do throws(CredentialError) {
        let issuance = try await span.run { () async throws(CredentialError) in try await tokens.obtainToken(need) }
        updateSession(id) { $0.requestSucceeded(ticket, issuance) }
      } catch {
        let backoff = tokens.remainingBackoff
        let random = random()
        updateSession(id) { $0.requestFailed(ticket, error, backoff: backoff, random: random) }
      }
    }
  }

  private func startTokenCheck(of record: SessionRecord, id: String, ticket: UInt64) -> Task<Void, Never> {
    Task.detached { [self] in
      var record = record
      let (check, signedSpecification) = await checkTokenAndSign(&record)
      changeState { [record] state, uptime in
        if state.machine.sessions[id]?.ticket == ticket {
          state.records[id]?.signedSpecification = signedSpecification
          state.records[id]?.account = record.account
        }
        return state.machine.checkEnded(id, ticket, check, at: uptime)
      }
    }
  }

  /// Signs the specification with the account of the session, or with the one that the queue has now.
  private func checkTokenAndSign(_ record: inout SessionRecord) async -> (SessionMachine.TokenCheck, TransferSpec?) {
    if record.session.account == nil, let accounts {
      do throws(CredentialError) {
        record.account = try await accounts.credential()
      } catch { return (.failed(TransferFailure(account: error)), nil) }
    }
    let now = time.now
    guard let tokens = record.tokens else { return sign(record, with: TransferCredential(token: nil), at: now) }
    guard let (cached, issuance) = tokens.currentCredential() else {
      guard record.issuer == nil else { return (.expiresTooSoon, nil) }
      return (.failed(.fixedTokenExpired(record.fixedCredential?.expiration)), nil)
    }
    let date = tokens.signingDate(for: cached.credential, now: now)
    return sign(record, with: cached.credential, issuance, generation: cached.generation, at: date)
  }

  private func sign(
    _ record: SessionRecord, with credential: TransferCredential, _ issuance: TokenIssuance? = nil,
    generation: CredentialGeneration? = nil, at date: Timestamp
  ) -> (SessionMachine.TokenCheck, TransferSpec?) {
    var specification = record.session.specification
    if record.issuer != nil { specification.token = nil }
    do throws(SigningError) {
      var signed = try makeSigner(record.account).signed(specification, with: credential, in: .at(date))
      signed.identifyTransfer(as: record.transferID)
      if let generation {
        let signature = AuthEvent.Signature(
          subject: record.subject, identity: signed.remoteUser, generation: generation, date: date)
        authEvents.emit(.signed(signature))
      }
      return (.ready(issuance), signed)
    } catch { return (.failed(.unsignable(error)), nil) }
  }

  private func startAttempt(of id: String, ticket: UInt64, in state: inout State) {
    guard var record = state.records[id], let specification = record.signedSpecification else { return }
    record.signedSpecification = nil
    record.attemptCount += 1
    let additions = record.pathFeed?.openForAttempt()
    record.currentTask = Task.detached { [self, record] in
      let result: TransferResult
      do throws(TransferFailure) {
        result = .success(
          try await measureAttempt(record) { () async throws(TransferFailure) in
            try await engine.run(specification, additions: additions) { [self] in receive($0, of: id, ticket: ticket) }
          })
      } catch { result = .failure(specification.lacksTags && error.isAboutToken ? error.advisingTags : error) }
      let isCancelled = Task.isCancelled
      let random = random()
      changeState { state, uptime in
        let corrected = state.correctedResult(result, of: id, isCancelled: isCancelled)
        state.records[id]?.pathFeed?.closeAfterAttempt()
        return state.machine.updateAndSchedule(id, at: uptime) { $0.attemptEnded(ticket, corrected, random: random) }
      }
    }
    state.records[id] = record
  }

  private func measureAttempt(
    _ record: SessionRecord, _ attempt: () async throws(TransferFailure) -> TransferSummary
  ) async throws(TransferFailure) -> TransferSummary {
    try await record.operationSpan.run { () async throws(TransferFailure) in
      try await authEvents.begin(AuthActivity(.attempt, record.subject, attempt: record.attemptCount)).measure {
        () async throws(TransferFailure) in
        try await attempt()
      } outcome: { result in
        guard case .failure(let failure) = result else { return AuthActivity.Outcome() }
        return AuthActivity.Outcome(failure: failure.message)
      }
    }
  }

  private func receive(_ report: TransferReport, of id: String, ticket: UInt64) {
    changeState { state, uptime in
      if state.machine.sessions[id]?.ticket == ticket { state.records[id]?.update(from: report) }
      return state.machine.updateAndSchedule(id, at: uptime) { $0.receive(ticket, report) }
    }
  }
}

extension TransferQueue {
  struct State {
    struct Observer {
      let buffer: EventBuffer
      let batchID: UInt64?
    }

    struct Batch {
      /// The IDs of the sessions that are removed from the queue when all of them have ended.
      var sessionIDs: [String]
      var unfinishedSessionIDs: Set<String>
    }

    /// A notification to deliver outside the lock, in the order in which the notifications occurred.
    enum Notice {
      case event(TransferEvent, [EventBuffer])
      case authEvent(AuthEvent, ActiveSpan?)
      case spanEnd(ActiveSpan, AuthActivity.Outcome)
      case result([SessionRecord.Waiter], TransferResult)
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
    var acceptedLogins: Set<String> = []
    var startSpacingTimer: Task<Void, Never>?
    var notices = DeliveryQueue<Notice>()
    var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    private var lastObserverID: UInt64 = 0

    init(machine: QueueMachine) { self.machine = machine }

    var isOver: Bool { machine.isShutDown && machine.isIdle }

    mutating func nextObserverID() -> UInt64 {
      lastObserverID += 1
      return lastObserverID
    }

    /// Returns a session ID that the queue does not contain: the requested one, if necessary with a number.
    func unusedID(for requestedID: String) -> String {
      var lastNumber = 1
      return unusedID(for: requestedID, notIn: [], after: &lastNumber)
    }

    /// Returns unused session IDs for the sessions of a batch, all different, each as for a single session.
    func unusedIDs(for requestedIDs: [String]) -> [String] {
      var ids: [String] = []
      var usedIDs: Set<String> = []
      var lastNumbers: [String: Int] = [:]
      for requestedID in requestedIDs {
        let id = unusedID(for: requestedID, notIn: usedIDs, after: &lastNumbers[requestedID, default: 1])
        ids.append(id)
        usedIDs.insert(id)
      }
      return ids
    }

    /// Returns an unused session ID, for which all numbers up to the last one are known to be in use.
    private func unusedID(for requestedID: String, notIn usedIDs: Set<String>, after lastNumber: inout Int) -> String {
      var id = requestedID
      while records[id] != nil || usedIDs.contains(id) {
        lastNumber += 1
        id = "\(requestedID)-\(lastNumber)"
      }
      return id
    }

    mutating func add(_ record: SessionRecord, as id: String, at uptime: Duration) -> [QueueMachine.Effect] {
      records[id] = record
      return machine.add(
        id, tokenSupply: record.tokenSupply, requiresToken: record.account?.requiresToken ?? false, at: uptime)
    }

    mutating func closeEndedBatches(at uptime: Duration) -> [QueueMachine.Effect] {
      var effects: [QueueMachine.Effect] = []
      for id in changedBatchIDs {
        guard let batch = batches[id], batch.unfinishedSessionIDs.isEmpty,
          batch.sessionIDs.allSatisfy({ machine.sessions[$0]?.isEnded ?? true })
        else { continue }
        batches[id] = nil
        effects += batch.sessionIDs.flatMap { machine.remove($0, at: uptime) }
        if let buffer = observers.removeValue(forKey: id)?.buffer { notices.append(.endOfEvents([buffer])) }
      }
      changedBatchIDs = []
      return effects
    }

    /// Ends all event sequences and resumes the callers of `shutdown()`, if the queue is shut down and idle.
    mutating func closeIfOver() {
      guard isOver, !shutdownWaiters.isEmpty else { return }
      notices.append(.endOfEvents(observers.values.map(\.buffer)))
      notices.append(.shutDown(shutdownWaiters, timer: startSpacingTimer))
      observers = [:]
      shutdownWaiters = []
    }

    /// Returns an attempt's result, corrected by information that the queue has and the engine lacks.
    ///
    /// A persistent session that ended before it was finished has failed. A login that was accepted before and is now
    /// rejected may be due to the server's limit on simultaneous logins.
    func correctedResult(_ result: TransferResult, of id: String, isCancelled: Bool) -> TransferResult {
      guard let record = records[id] else { return result }
      guard case .failure(let failure) = result else {
        guard let feed = record.pathFeed, !feed.isFinished else { return result }
        return .failure(isCancelled ? .cancelled : .endedEarly)
      }
      let hasParallelLogins = machine.activeIDs.count > 1 || (record.session.specification.sessionCount ?? 1) > 1
      guard failure.kind == .account, hasParallelLogins, acceptedLogins.contains(record.login) else { return result }
      return .failure(failure.advisingStartSpacing)
    }
  }
}
