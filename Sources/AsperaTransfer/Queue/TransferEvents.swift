public import AsperaAuth
public import StorageAuth

/// Something that happened to a session of a queue.
///
/// No secret and no token is in it. More kinds may come: a `switch` needs a `default`.
public struct TransferEvent: Sendable {
  /// The id of the session.
  public let session: String

  /// What happened.
  public let kind: Kind

  /// What can happen to a session.
  ///
  /// The first eight come in this order. A session whose token cannot be had does not become active: `willActivate`,
  /// then `didDeactivate`. An attempt that fails before the server has taken account and token: `willStartRunning`,
  /// then `didStopRunning`. An attempt that is repeated, or was interrupted, begins with `willStartRunning` again.
  /// `finished` is the last one, and comes once each time that a session is put in line.
  public enum Kind: Sendable, Equatable {
    /// Its turn has come; its token is asked for.
    case willActivate
    /// It has what it needs to start.
    case didActivate
    /// An attempt begins to connect.
    case willStartRunning
    /// The server has taken account and token.
    case didStartRunning
    /// The attempt that runs ends, or is told to.
    case willStopRunning
    /// The attempt has ended, and nothing of it is left.
    case didStopRunning
    /// It gives its turn back.
    case willDeactivate
    /// It has given its turn back.
    case didDeactivate
    /// How far it is; a slow reader gets the newest one.
    case progress(TransferProgressReport)
    /// A file ended.
    case file(TransferFileReport)
    /// The issuer gave a token.
    case tokenIssued(TokenIssuance)
    /// Something is tried again.
    case retry(TransferRetry)
    /// It is over: what was transferred, or why it was not.
    case finished(Result<TransferSummary, TransferFailure>)
  }

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - session: The id of the session.
  ///   - kind: What happened.
  public init(session: String, kind: Kind) {
    self.session = session
    self.kind = kind
  }
}

/// A token that an issuer gave: everything but the token.
public struct TokenIssuance: Sendable, Hashable {
  /// The name of the issuer.
  public var source: String
  /// The token by its form, or `nil` if the issuer says that none is needed.
  public var kind: AsperaToken.Kind?
  /// When it ends, in its issuer's time, where that is known.
  public var expiration: Timestamp?
  /// Why it was asked for.
  public var reason: TokenRequest.Reason
  /// How often a token was asked for in this session, this time included.
  public var attempt: Int

  /// Describes a token that was issued.
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

/// Something that is tried again.
public struct TransferRetry: Sendable, Hashable {
  /// What is tried again; each has a budget of its own.
  public enum Cause: String, Sendable, Hashable {
    /// The server refused the token: another one is asked for.
    case token
    /// The network or the server failed for a moment: the same is done again.
    case transport
    /// The issuer failed: it is asked again.
    case issuer
  }

  /// What is tried again.
  public var cause: Cause
  /// Why.
  public var failure: TransferFailure
  /// How often this has been tried again in a row, this time included.
  public var number: Int
  /// How long is waited before it.
  public var delay: Duration

  /// Describes what is tried again.
  public init(cause: Cause, failure: TransferFailure, number: Int, delay: Duration) {
    self.cause = cause
    self.failure = failure
    self.number = number
    self.delay = delay
  }
}

/// The events of a queue, from the moment when they were asked for.
///
/// Each observer asks for its own. A slow reader loses nothing but progress that is out of date. The events of one
/// session come in order. The sequence ends when its queue is shut down, and the one of a `run` when its sessions are
/// over.
public struct TransferEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = TransferEvent

  /// Never: a session that fails is an event.
  public typealias Failure = Never

  let reader: Reader

  /// Starts an iteration; several of one sequence share the events between them.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: reader)
  }

  /// Walks over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: Reader

    /// The next event, or nothing at the end or when the task is cancelled.
    public mutating func next() async -> TransferEvent? {
      guard let event = await reader.buffer.next() else {
        reader.leave()
        return nil
      }
      return event
    }

    /// The next event, on the actor of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferEvent? {
      await next()
    }
  }

  /// The reader of events; released, it does not observe any more.
  final class Reader: Sendable {
    let buffer: EventBuffer
    private let end: @Sendable () -> Void

    init(_ buffer: EventBuffer, end: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.end = end
    }

    /// Nothing is read any more; saying it twice does no harm.
    func leave() { end() }

    deinit { end() }
  }
}

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

  /// Keeps an event, or hands it to the waiter.
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
