// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An event of a session of a ``TransferQueue``.
///
/// Events contain no secrets and no tokens. Later versions may add kinds, so a `switch` over ``kind`` needs
/// a `default`.
public struct TransferEvent: Sendable {
  /// The id of the session.
  public let session: String

  /// The kind of the event.
  public let kind: Kind

  /// The kinds of events.
  ///
  /// The first eight come in the order in which they are declared, with these exceptions:
  ///
  /// - A session that gets no token does not become active: `willActivate` is followed by `didDeactivate`.
  /// - An attempt that fails before the server has accepted account and token reports only `willStartRunning` and
  ///   `didStopRunning`.
  /// - An attempt that is repeated, or that was interrupted, begins with `willStartRunning` again.
  ///
  /// `finished` is the last event. It comes once each time that the session is queued.
  public enum Kind: Sendable, Equatable {
    /// The session's turn has come, and its token is requested.
    case willActivate
    /// The session has what it needs to start.
    case didActivate
    /// An attempt begins to connect.
    case willStartRunning
    /// The server has accepted the account and the token.
    case didStartRunning
    /// The running attempt ends, or is asked to end.
    case willStopRunning
    /// The attempt has ended; no process, file or port of it remains.
    case didStopRunning
    /// The session is about to become inactive.
    case willDeactivate
    /// The session has become inactive.
    case didDeactivate
    /// The progress of the transfer; a slow reader receives only the most recent one.
    case progress(TransferProgressReport)
    /// A file was transferred, was skipped or failed.
    case file(TransferFileReport)
    /// The issuer provided a token.
    case tokenIssued(TokenIssuance)
    /// A step is retried.
    case retry(TransferRetry)
    /// The session has ended, with the transferred amount or the failure.
    case finished(Result<TransferSummary, TransferFailure>)
  }

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - session: The id of the session.
  ///   - kind: The kind of the event.
  public init(session: String, kind: Kind) {
    self.session = session
    self.kind = kind
  }
}

/// A description of a token that an issuer provided, without the token itself.
public struct TokenIssuance: Sendable, Hashable {
  /// The name of the issuer.
  public var source: String
  /// The kind of the token, or `nil` if the issuer reported that no token is needed.
  public var kind: AsperaToken.Kind?
  /// The expiration of the token by its issuer's clock, or `nil` if it is not known.
  public var expiration: Timestamp?
  /// The reason for the request.
  public var reason: TokenRequest.Reason
  /// The number of tokens that were requested in this session, including this one.
  public var attempt: Int

  /// Creates a description of an issued token.
  ///
  /// - Parameters:
  ///   - source: The name of the issuer.
  ///   - kind: The kind of the token, or `nil` if no token is needed.
  ///   - expiration: The expiration of the token by its issuer's clock, or `nil` if it is not known.
  ///   - reason: The reason for the request.
  ///   - attempt: The number of tokens that were requested in this session, including this one.
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

/// A step that a queue retries after a failure.
public struct TransferRetry: Sendable, Hashable {
  /// The kinds of retries; each has a separate budget.
  public enum Cause: String, Sendable, Hashable {
    /// The server rejected the token, and another one is requested.
    case token
    /// The network or the server failed temporarily, and the attempt is repeated.
    case transport
    /// The issuer failed temporarily, and the request is repeated.
    case issuer
  }

  /// The kind of the retry.
  public var cause: Cause
  /// The failure that the retry follows.
  public var failure: TransferFailure
  /// The number of consecutive retries of this kind, including this one.
  public var number: Int
  /// The delay before the retry.
  public var delay: Duration

  /// Creates a description of a retry.
  ///
  /// - Parameters:
  ///   - cause: The kind of the retry.
  ///   - failure: The failure that the retry follows.
  ///   - number: The number of consecutive retries of this kind, including this one.
  ///   - delay: The delay before the retry.
  public init(cause: Cause, failure: TransferFailure, number: Int, delay: Duration) {
    self.cause = cause
    self.failure = failure
    self.number = number
    self.delay = delay
  }
}

/// The sequence of a queue's events, from the time at which the sequence was created.
///
/// Each observer creates a separate sequence. A slow reader misses no events except outdated progress. The events of
/// one session come in order. The sequence ends when the queue is shut down; the sequence that a `run` method of the
/// queue returns ends when its sessions have ended.
public struct TransferEvents: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = TransferEvent

  /// The type of the errors; the failure of a session is an event, not an error of the sequence.
  public typealias Failure = Never

  let reader: Reader

  /// Creates an iterator; the iterators of one sequence share its events among themselves.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: reader)
  }

  /// An iterator over a queue's events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: Reader

    /// Returns the next event, or `nil` at the end or when the task is cancelled.
    public mutating func next() async -> TransferEvent? {
      guard let event = await reader.buffer.next() else {
        reader.leave()
        return nil
      }
      return event
    }

    /// Returns the next event, or `nil` at the end or when the task is cancelled, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferEvent? {
      await next()
    }
  }

  /// The reader of a buffer; it stops observing the queue when it is released.
  final class Reader: Sendable {
    let buffer: EventBuffer
    private let end: @Sendable () -> Void

    init(_ buffer: EventBuffer, end: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.end = end
    }

    /// Stops observing the queue; further calls have no effect.
    func leave() { end() }

    deinit { end() }
  }
}

/// A buffer that stores events until they are read; of consecutive progress events of a session, only the most recent
/// one.
final class EventBuffer: Sendable {
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<TransferEvent?, Never>
  }

  private struct State {
    var events: [TransferEvent] = []
    /// The number of events at the start of ``events`` that have been read.
    var read = 0
    /// The index in ``events`` of a session's progress that no other event of the session follows, by session.
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

    /// Removes the events that have been read, once they are at least half of all.
    private mutating func compact() {
      guard read == events.count || (read >= 64 && read * 2 >= events.count) else { return }
      events.removeFirst(read)
      progress = progress.compactMapValues { $0 >= read ? $0 - read : nil }
      read = 0
    }
  }

  private let state = Lock(State())

  /// Stores an event, or passes it to a waiter.
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

  /// Returns the next event, or `nil` at the end or when the task is cancelled.
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
