internal import StorageAuth

/// Keeps events until they are read: all of them, but of progress in a row only the newest.
final class EventBuffer: Sendable {
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<TransferEvent?, Never>
  }

  private struct State {
    var events: [TransferEvent] = []
    /// How many at the start of ``events`` have been read.
    var read = 0
    /// Where in ``events`` progress of a session stands that no other event of the session follows.
    var progress: [String: Int] = [:]
    var waiters: [Waiter] = []
    var nextID: UInt64 = 0
    var isFinished = false

    mutating func append(_ event: TransferEvent) {
      guard case .progress = event.kind else {
        progress[event.session] = nil
        return events.append(event)
      }
      if let place = progress[event.session], place >= read {
        events[place] = event
      } else {
        progress[event.session] = events.count
        events.append(event)
      }
    }

    mutating func removeFirst() -> TransferEvent? {
      guard read < events.count else { return nil }
      defer { compact() }
      read += 1
      return events[read - 1]
    }

    /// Gives up what has been read, once it is at least half.
    private mutating func compact() {
      guard read == events.count || (read >= 64 && read * 2 >= events.count) else { return }
      events.removeFirst(read)
      progress = progress.compactMapValues { $0 >= read ? $0 - read : nil }
      read = 0
    }
  }

  private let state = Lock(State())

  /// Keeps an event, or hands it to whoever waits.
  func append(_ event: TransferEvent) {
    let waiter: Waiter? = state.withLock { state in
      if state.isFinished { return nil }
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.append(event)
      return nil
    }
    waiter?.continuation.resume(returning: event)
  }

  /// Nothing comes any more; what is kept can still be read.
  func finish() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isFinished = true
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  /// The next event; nothing at the end, and when the task is cancelled.
  func next() async -> TransferEvent? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: TransferEvent?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let event = state.removeFirst() { return event }
          if state.isFinished { return .some(nil) }
          state.waiters.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
    }
  }
}
