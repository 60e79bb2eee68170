internal import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// Lets something happen, and does what follows from it.
  @discardableResult
  func perform<Value: Sendable>(
    _ change: (inout State, _ uptime: Duration) -> (Value, [QueueMachine.Effect])
  ) -> Value {
    let uptime = time.uptime
    let (value, actions) = state.withLock { state in
      let (value, effects) = change(&state, uptime)
      var actions = effects.compactMap { prepare($0, &state, at: uptime) }
      while !state.touched.isEmpty {
        actions += state.closeBatches(at: uptime).compactMap { prepare($0, &state, at: uptime) }
      }
      state.closeIfOver()
      return (value, actions)
    }
    tell()
    for action in actions { action() }
    return value
  }

  /// Begins what an effect asks for; what calls other people's code is done after the lock is free.
  private func prepare(
    _ effect: QueueMachine.Effect, _ state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    switch effect {
    case .session(let id, _, .tell(let kind)):
      return prepare(kind, id, &state, at: uptime)
    case .session(let id, let ticket, .ask(let need)):
      guard let tokens = state.records[id]?.tokens else { break }
      state.records[id]?.work = ask(tokens, need, id, ticket)
    case .session(let id, let ticket, .check):
      guard let record = state.records[id] else { break }
      state.records[id]?.work = check(record, id, ticket)
    case .session(let id, let ticket, .run):
      run(id, ticket, &state)
    case .session(let id, let ticket, .sleep(let duration)):
      state.records[id]?.work = pause(duration, id, ticket)
    case .session(let id, _, .cancelWork):
      guard let work = state.records[id]?.work else { return nil }
      return { work.cancel() }
    case .forget(let id):
      state.records[id] = nil
    case .alarm(let duration):
      state.alarm = alarm(after: duration)
    }
    return nil
  }

  /// Notes an event of a session, and what it brings with it.
  private func prepare(
    _ kind: TransferEvent.Kind, _ id: String, _ state: inout State, at uptime: Duration
  ) -> (@Sendable () -> Void)? {
    guard let record = state.records[id] else { return nil }
    let readers = state.observers.values.filter { $0.batch == nil || $0.batch == record.batch }.map(\.buffer)
    if !readers.isEmpty { state.untold.append(.event(TransferEvent(session: id, kind: kind), readers)) }
    switch kind {
    case .willActivate:
      state.records[id]?.begin(as: id, queue: self, at: uptime)
    case .didStartRunning:
      state.accepted.insert(record.login)
    case .retry(let retry):
      state.untold.append(.auth(.retry(record.retryEvent(retry))))
    case .finished(let result):
      state.untold.append(.auth(.transfer(record.transferEvent(result, at: uptime))))
      state.untold.append(.result(record.waiters, result))
      if let batch = record.batch {
        state.batches[batch]?.open.remove(id)
        state.touched.insert(batch)
      }
      state.records[id]?.end()
      guard let tokens = record.tokens else { return nil }
      return { tokens.shutdown() }
    default:
      break
    }
    return nil
  }

  /// Tells what happened, in order; one thread at a time, and without the lock.
  private func tell() {
    var isTeller = false
    while true {
      let next: State.Notice? = state.withLock { state in
        guard isTeller || !state.isTelling else { return nil }
        state.isTelling = !state.untold.isEmpty
        return state.untold.isEmpty ? nil : state.untold.removeFirst()
      }
      guard let next else { return }
      isTeller = true
      switch next {
      case .event(let event, let readers): for reader in readers { reader.append(event) }
      case .auth(let event): authEvents.emit(event)
      case .result(let waiters, let result): for waiter in waiters { waiter.resume(returning: result) }
      case .end(let buffers): for buffer in buffers { buffer.finish() }
      case .shutDown(let waiters, let alarm):
        alarm?.cancel()
        for waiter in waiters { waiter.resume() }
      }
    }
  }

  /// Adds an observer, for as long as the sequence or one of its iterators is kept.
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

  /// Somebody reads no more; the sessions of a batch that nobody waits for are cancelled.
  private func leave(_ number: UInt64) {
    perform { state, uptime in
      state.observers[number] = nil
      let members = state.batches.removeValue(forKey: number)?.members ?? []
      return ((), members.flatMap { state.machine.remove($0, at: uptime) })
    }
  }
}
