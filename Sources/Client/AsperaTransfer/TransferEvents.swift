// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A sequence of a transfer queue's events, starting when the sequence is created.
///
/// Each observer creates a separate sequence. A slow reader misses only outdated progress events. The events of each
/// session are in order. The sequence ends when the queue is shut down. A sequence that a `run` method of the queue
/// returns ends when its sessions have ended. If one iterator's task is cancelled, the sequence ends for all.
public struct TransferEvents: AsyncSequence, Sendable {
  /// The type of the events in the sequence.
  public typealias Element = TransferEvent

  /// The type of errors that the sequence throws, which is `Never` because a session's failure is an event.
  public typealias Failure = Never

  let reader: Reader

  /// Creates an iterator; iterators of one sequence share its events, and only one of them returns each event.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

  /// An iterator over a transfer queue's events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: Reader

    /// Returns the next event, or `nil` if the sequence has ended or the task is cancelled.
    public mutating func next() async -> TransferEvent? {
      guard let event = await reader.buffer.next() else {
        reader.stopObserving()
        return nil
      }
      return event
    }

    /// Returns the next event, or `nil` if the sequence has ended or the task is cancelled; runs on the given actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferEvent? { await next() }
  }

  /// A reader of an event buffer, which stops observing the queue when the reader is released.
  final class Reader: Sendable {
    let buffer: EventBuffer
    let stopObserving: @Sendable () -> Void

    init(_ buffer: EventBuffer, stopObserving: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.stopObserving = stopObserving
    }

    deinit { stopObserving() }
  }
}

/// A buffer of a queue's events, which keeps only the last of a session's consecutive progress events.
final class EventBuffer: Sendable {
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<TransferEvent?, Never>
  }

  private struct State {
    /// The minimum number of read events that are removed together, because each removal moves the remaining events.
    static let removalThreshold = 64

    var events: [TransferEvent] = []
    var readCount = 0
    /// By session ID, the index of the progress event that is the session's last event so far.
    var progressIndexes: [String: Int] = [:]
    var waiters: [Waiter] = []
    var lastWaiterID: UInt64 = 0
    var isFinished = false

    mutating func append(_ event: TransferEvent) {
      guard case .progress = event.kind else {
        progressIndexes[event.session] = nil
        return events.append(event)
      }
      if let index = progressIndexes[event.session], index >= readCount {
        events[index] = event
      } else {
        progressIndexes[event.session] = events.count
        events.append(event)
      }
    }

    mutating func removeFirst() -> TransferEvent? {
      guard readCount < events.count else { return nil }
      defer { removeReadEvents() }
      readCount += 1
      return events[readCount - 1]
    }

    private mutating func removeReadEvents() {
      let isMostlyRead = readCount >= Self.removalThreshold && readCount * 2 >= events.count
      guard readCount == events.count || isMostlyRead else { return }
      events.removeFirst(readCount)
      progressIndexes = progressIndexes.compactMapValues { $0 >= readCount ? $0 - readCount : nil }
      readCount = 0
    }
  }

  private let state = Lock(State())

  func append(_ event: TransferEvent) {
    let waiter: Waiter? = state.withLock { state in
      if state.isFinished { return nil }
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.append(event)
      return nil
    }
    waiter?.continuation.resume(returning: event)
  }

  func finish() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isFinished = true
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  func next() async -> TransferEvent? {
    let id = state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let knownEvent: TransferEvent?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let event = state.removeFirst() { return event }
          if state.isFinished { return .some(nil) }
          state.waiters.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let knownEvent { continuation.resume(returning: knownEvent) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
    }
  }
}
