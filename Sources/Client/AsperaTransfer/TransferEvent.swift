// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An event in a session of a ``TransferQueue``.
///
/// Events contain no secrets and no tokens. A `switch` over ``kind`` needs a `default`: later versions may add kinds.
public struct TransferEvent: Sendable {
  /// The ID of the session in which the event occurred.
  public let session: String

  /// The kind of event that occurred in the session.
  public let kind: Kind

  /// A kind of event in a session of a transfer queue.
  ///
  /// The first eight kinds occur in the order of their declaration, with these exceptions:
  ///
  /// - A session that gets no token does not become active, so `willActivate` is followed by `didDeactivate`.
  /// - An attempt that fails before the server has accepted it reports only `willStartRunning` and `didStopRunning`.
  /// - An attempt that is repeated or was interrupted starts with `willStartRunning` again.
  ///
  /// `finished` is the last event of a session. It occurs once each time that the session is queued.
  public enum Kind: Sendable, Equatable {
    /// The session's turn has come. Its token is requested when it starts.
    case willActivate
    /// The session has its token, if required, and is ready to start.
    case didActivate
    /// An attempt of the session starts to connect to the server.
    case willStartRunning
    /// The server has accepted the account and the token, and the attempt is running.
    case didStartRunning
    /// The current attempt is ending, or was requested to stop.
    case willStopRunning
    /// The attempt has ended, and all its processes, files and ports are gone.
    case didStopRunning
    /// The session is about to become inactive.
    case willDeactivate
    /// The session has become inactive.
    case didDeactivate
    /// The progress of the transfer has changed, of which a slow reader receives only the most recent.
    case progress(TransferProgressReport)
    /// A file was transferred or skipped, or its transfer failed.
    case file(TransferFileReport)
    /// The issuer provided a token for the session.
    case tokenIssued(TokenIssuance)
    /// A step of the session is retried.
    case retry(TransferRetry)
    /// The session has ended with the given summary or failure.
    case finished(Result<TransferSummary, TransferFailure>)
  }

  /// Creates an event of a session.
  ///
  /// - Parameters:
  ///   - session: The ID of the session in which the event occurred.
  ///   - kind: The kind of the event.
  public init(session: String, kind: Kind) {
    self.session = session
    self.kind = kind
  }
}

/// A description of a token that an issuer provided, without the token itself.
public struct TokenIssuance: Sendable, Hashable {
  /// The name of the token issuer.
  public var source: String
  /// The kind of the token, or `nil` if the issuer indicated that no token is needed.
  public var kind: AsperaToken.Kind?
  /// The time at which the token expires according to its issuer's clock, or `nil` if the time is unknown.
  public var expiration: Timestamp?
  /// The reason for which the token was requested.
  public var reason: TokenRequest.Reason
  /// The number of tokens that have been requested for the session, including this token.
  public var attempt: Int

  /// Creates a description of an issued token.
  ///
  /// - Parameters:
  ///   - source: The name of the token issuer.
  ///   - kind: The kind of the token, or `nil` if no token is needed.
  ///   - expiration: The time at which the token expires by its issuer's clock, or `nil` if the time is unknown.
  ///   - reason: The reason for which the token was requested.
  ///   - attempt: The number of tokens that have been requested for the session, including this token.
  public init(
    source: String, kind: AsperaToken.Kind?, expiration: Timestamp?, reason: TokenRequest.Reason, attempt: Int
  ) {
    self.source = source
    self.kind = kind
    self.expiration = expiration
    self.reason = reason
    self.attempt = attempt
  }
}

/// A description of a retry after a failed step of a session.
public struct TransferRetry: Sendable, Hashable {
  /// A kind of retry, for which a queue has a separate limit.
  public enum Cause: String, Sendable, Hashable {
    /// The server rejected the token, so another token is requested.
    case token
    /// The network or the server failed temporarily, so the attempt is repeated.
    case transport
    /// The issuer failed temporarily, so the token request is repeated.
    case issuer
  }

  /// The kind of retry.
  public var cause: Cause
  /// The failure that caused the retry.
  public var failure: TransferFailure
  /// The number of consecutive retries of this kind, including this retry.
  public var number: Int
  /// The delay before the retry starts.
  public var delay: Duration

  /// Creates a description of a retry after a failed step.
  ///
  /// - Parameters:
  ///   - cause: The kind of retry.
  ///   - failure: The failure that caused the retry.
  ///   - number: The number of consecutive retries of this kind, including this retry.
  ///   - delay: The delay before the retry starts.
  public init(cause: Cause, failure: TransferFailure, number: Int, delay: Duration) {
    self.cause = cause
    self.failure = failure
    self.number = number
    self.delay = delay
  }
}

/// A sequence of a transfer queue's events, starting when the sequence is created.
///
/// Each observer creates a separate sequence. A slow reader misses only outdated progress events. The events of each
/// session are in order. The sequence ends when the queue is shut down. A sequence that a `run` method of the queue
/// returns ends when its sessions have ended.
public struct TransferEvents: AsyncSequence, Sendable {
  /// The type of the events in the sequence.
  public typealias Element = TransferEvent

  /// The type of errors that the sequence throws, which is `Never` because a session's failure is an event.
  public typealias Failure = Never

  let reader: Reader

  /// Creates an iterator.
  ///
  /// Multiple iterators of the same sequence share its events, so that each event is returned by only one iterator.
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

    /// Returns the next event, or `nil` if the sequence has ended or the task is cancelled.
    ///
    /// The method runs on the given actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferEvent? {
      await next()
    }
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
    /// The number of read events from which they are removed; each removal moves the events that remain.
    static let removalThreshold = 64

    var events: [TransferEvent] = []
    /// The number of events at the start of ``events`` that have already been read.
    var readCount = 0
    /// The index in ``events`` of a session's progress event that no other event of the session follows, by session ID.
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

    /// Removes the events that have been read, when they are at least half of all stored events.
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

  /// Ends the sequence; stored events can still be read.
  func finish() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isFinished = true
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  /// Returns the next event, or `nil` if the sequence has ended or the task is cancelled.
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
