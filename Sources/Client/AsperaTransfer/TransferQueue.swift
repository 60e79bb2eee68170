// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// A queue that runs transfers one after another, or several at a time, and obtains tokens for the transfers.
///
/// - The queue requests a token when a session starts, again before an attempt if the token would expire too soon, and
///   immediately if the server reports that the token is expired, invalid or missing, once for each rejected token.
/// - Token refreshes do not count against the retries after network failures, and vice versa.
/// - A wrong password, a wrong host key, or a token for another purpose ends the session without a token request.
/// - Every session ends with one `finished` event.
///
/// ```swift
/// let issuer = SetupTokenIssuer(node: node, access: access)
/// let queue = TransferQueue(engine: engine, account: account, issuer: issuer)
/// for await event in queue.run(sessions) { print(event) }
/// ```
///
/// A queue stays in memory while one of its sessions is active.
public final class TransferQueue: Sendable {
  typealias SignerMaker = @Sendable (AsperaAccount?) -> any Signer<TransferSpec, TransferCredential>

  /// The destination of events about token refreshes, retries, signatures and transfers.
  public let authEvents: EventHub

  let engine: any TransferEngine
  /// The account of sessions that have none.
  let accounts: CredentialCache<AsperaAccount>?
  let issuer: (any TokenIssuer)?
  let configuration: TransferQueueConfiguration
  let context: ProviderContext
  let random: @Sendable () -> Double
  let makeSigner: SignerMaker
  let state: Lock<State>

  init(
    engine: any TransferEngine, accounts: CredentialCache<AsperaAccount>?, issuer: (any TokenIssuer)?,
    configuration: TransferQueueConfiguration, authEvents: EventHub, context: ProviderContext,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    makeSigner: @escaping SignerMaker = { TransferSigner(account: $0) }
  ) {
    self.engine = engine
    self.accounts = accounts
    self.issuer = issuer
    self.configuration = configuration
    self.authEvents = authEvents
    self.context = context
    self.random = random
    self.makeSigner = makeSigner
    state = Lock(State(machine: QueueMachine(configuration: configuration)))
  }

  /// Creates a transfer queue with a token issuer.
  ///
  /// - Parameters:
  ///   - engine: The engine that runs the transfers.
  ///   - account: The account for sessions that have no account.
  ///   - issuer: The token issuer for sessions that have no issuer, including sessions with a fixed token.
  ///   - configuration: The maximum number of active sessions and the retry limits.
  ///   - authEvents: The destination of events about token refreshes, retries, signatures and transfers.
  ///   - context: The environment, files, network and clocks that issuers use, and the clock for delays and timeouts.
  public convenience init(
    engine: any TransferEngine, account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: EventHub = EventHub(),
    in context: ProviderContext = .local
  ) {
    self.init(
      engine: engine, accounts: account.map { CredentialCache($0, time: context.time) }, issuer: issuer,
      configuration: configuration, authEvents: authEvents, context: context)
  }

  /// Creates a transfer queue without an issuer, for sessions that have a token or an issuer, or need no token.
  ///
  /// The parameters are those of the initializer with an account and an issuer.
  public convenience init(
    engine: any TransferEngine, account: AsperaAccount? = nil,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: EventHub = EventHub(),
    in context: ProviderContext = .local
  ) {
    self.init(
      engine: engine, accounts: account.map { CredentialCache($0, time: context.time) }, issuer: nil,
      configuration: configuration, authEvents: authEvents, context: context)
  }

  /// Creates a transfer queue whose account comes from a cache, so that it can be replaced while the queue runs.
  ///
  /// Each attempt logs in with the account that the cache has then.
  ///
  /// ```swift
  /// let accounts = CredentialCache(try AsperaAccount(host: host, user: "mia", password: old))
  /// let queue = TransferQueue(engine: engine, accounts: accounts, issuer: issuer)
  /// accounts.replace(with: try AsperaAccount(host: host, user: "mia", password: new))
  /// ```
  ///
  /// `accounts` is the source of the account for sessions that have no account, and `issuer` the token issuer for those
  /// that have none. The other parameters are those of the initializer with an account and an issuer.
  public convenience init(
    engine: any TransferEngine, accounts: CredentialCache<AsperaAccount>, issuer: (any TokenIssuer)? = nil,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: EventHub = EventHub(),
    in context: ProviderContext = .local
  ) {
    self.init(
      engine: engine, accounts: accounts, issuer: issuer, configuration: configuration, authEvents: authEvents,
      context: context)
  }

  deinit { for observer in state.withLock({ $0.observers.values }) { observer.buffer.finish() } }

  var time: any SigningClock { context.time }

  /// A new sequence of the queue's events, starting now: get it before you add the sessions whose events you need.
  public var events: TransferEvents { addObserver() }

  /// Adds a session to the end of the queue.
  ///
  /// - Parameter session: The transfer session to add.
  /// - Returns: The session's ID in this queue: its ID, with a number appended if the queue already contains that ID.
  @discardableResult public func add(_ session: TransferSession) -> String {
    let record = record(of: session, batchID: nil)
    var id = ""
    changeState { state, uptime in
      id = state.unusedID(for: session.id)
      return state.add(record, as: id, at: uptime)
    }
    return id
  }

  /// Cancels a session, which remains in the queue and can run again.
  ///
  /// An in-flight request to the issuer is cancelled, and a running transfer is stopped in an orderly way. A transfer
  /// that completes before it can be stopped counts as completed.
  ///
  /// - Parameter id: The session ID. An unknown ID has no effect.
  public func cancel(_ id: String) { changeState { state, uptime in state.machine.cancel(id, at: uptime) } }

  /// Runs a session immediately.
  ///
  /// A session that has ended runs again. If no slot is free, the most recently activated session is stopped, and
  /// continues after this session. A paused queue starts the session only after ``resume()``.
  ///
  /// - Parameter id: The session ID. An unknown ID has no effect, nor has a call after ``shutdown()``.
  public func run(_ id: String) { changeState { state, uptime in state.machine.run(id, at: uptime) } }

  /// Removes a session from the queue, after cancelling the session if it has not ended.
  ///
  /// - Parameter id: The session ID. An unknown ID has no effect.
  public func remove(_ id: String) { changeState { state, uptime in state.machine.remove(id, at: uptime) } }

  /// Pauses the queue, so that no more sessions become active.
  ///
  /// - Parameter stopping: Whether active sessions are also stopped. They continue when the queue resumes.
  public func pause(stopping: Bool = false) { changeState { state, _ in state.machine.pause(stopping: stopping) } }

  /// Pauses the queue until its shutdown: active sessions continue to their end, and stopped sessions end.
  package func finishActiveSessions() {
    changeState { state, uptime in state.machine.finishActiveSessions(at: uptime) }
  }

  /// Resumes the queue after ``pause(stopping:)``, so that sessions become active again.
  public func resume() { changeState { state, uptime in state.machine.resume(at: uptime) } }

  /// Shuts the queue down by cancelling all sessions in an orderly way and then ending all event sequences.
  ///
  /// A session that is added later is cancelled immediately. The method returns when all sessions have ended, also if
  /// the task of the caller is cancelled before.
  public func shutdown() async {
    await withCheckedContinuation { continuation in
      changeState { state, _ in
        state.shutdownWaiters.append(continuation)
        return state.machine.shutDown()
      }
    }
  }
}

/// The status of a session in a transfer queue.
public enum TransferStatus: Sendable, Equatable {
  /// The session is waiting for its turn.
  case waiting
  /// The session is waiting for a token.
  case activating
  /// The session is about to start, or waits for its turn so that a server does not receive too many logins at once.
  case ready
  /// The session is connecting, and the server has not yet accepted the account and the token.
  case connecting
  /// The session is running.
  case running
  /// The session is waiting before a retry.
  case retrying
  /// The session was requested to stop, but has not ended yet.
  case stopping
  /// The session was interrupted by another session, after which it continues.
  case interrupted
  /// The session has ended with the given result, and remains in the queue until it is removed.
  case ended(Result<TransferSummary, TransferFailure>)
}

extension TransferQueue {
  /// The IDs of the sessions in the queue, in no particular order.
  public var sessions: [String] { state.withLock { Array($0.records.keys) } }

  /// Returns a session's status, or `nil` if the queue contains no session with that ID.
  public func status(of id: String) -> TransferStatus? {
    state.withLock { state in state.machine.sessions[id].map { TransferStatus($0.state) } }
  }

  /// Waits until a session has ended and returns its result, or `nil` if the queue contains no session with that ID.
  ///
  /// The wait does not end when the task of the caller is cancelled. In a paused queue, an inactive session ends only
  /// after ``resume()``, or when it is cancelled or removed.
  public func result(of id: String) async -> Result<TransferSummary, TransferFailure>? {
    await withCheckedContinuation { continuation in
      let knownResult: TransferResult?? = state.withLock { state in
        guard let session = state.machine.sessions[id] else { return .some(nil) }
        if case .ended(let result) = session.state { return result }
        state.records[id]?.waiters.append(continuation)
        return nil
      }
      if let knownResult { continuation.resume(returning: knownResult) }
    }
  }

  /// Adds paths to a persistent session, which may be waiting or running.
  ///
  /// If an attempt fails, the next attempt receives the paths that are not known to be done again.
  ///
  /// - Parameters:
  ///   - paths: The files and folders to transfer.
  ///   - id: The session ID.
  /// - Throws: A ``TransferFailure`` with the kind `caller` if the queue contains no persistent session with that ID,
  ///   or if the session was finished or has ended.
  public func addPaths(_ paths: [TransferPath], to id: String) throws(TransferFailure) {
    let reason: String? = state.withLock { state in
      guard let session = state.machine.sessions[id], let isFinished = state.records[id]?.pathFeed?.isFinished else {
        return "There is no persistent session with the id \(id)."
      }
      if session.isEnded { return "The session \(id) is over." }
      if isFinished { return "The session \(id) was finished." }
      state.records[id]?.pathFeed?.add(paths)
      return nil
    }
    guard let reason else { return }
    throw TransferFailure(
      .caller, "The paths were not added. \(reason)", remedy: "Add paths to a persistent session before you finish it.")
  }

  /// Ends a persistent session after all its paths have been transferred.
  ///
  /// - Parameter id: The session ID. An unknown ID has no effect.
  public func finish(_ id: String) { state.withLock { state in state.records[id]?.pathFeed?.finish() } }

  /// Runs sessions, and returns a sequence of their events.
  ///
  /// The sequence ends when all sessions have ended, which are then removed from the queue. If the caller stops reading
  /// earlier or is cancelled, the sessions are cancelled. After ``shutdown()``, each session reports only `finished`.
  ///
  /// - Parameter sessions: The sessions to run. A number is appended to IDs that the queue already contains.
  /// - Returns: A sequence of the events of these sessions.
  public func run(_ sessions: [TransferSession]) -> TransferEvents {
    let buffer = EventBuffer()
    let batchID = state.withLock { $0.nextObserverID() }
    let records = sessions.map { record(of: $0, batchID: batchID) }
    changeState { state, uptime in
      let ids = state.unusedIDs(for: sessions.map(\.id))
      // The buffer receives the events of this change too: sessions that are added after a shutdown end at once.
      state.observers[batchID] = State.Observer(buffer: buffer, batchID: batchID)
      state.batches[batchID] = State.Batch(sessionIDs: ids, unfinishedSessionIDs: Set(ids))
      // A batch without sessions has already ended.
      state.changedBatchIDs.insert(batchID)
      return zip(ids, records).flatMap { state.add($1, as: $0, at: uptime) }
    }
    return events(in: buffer, ofObserver: batchID)
  }

  /// Runs transfers with the queue's account and token issuer, and returns a sequence of their events.
  ///
  /// - Parameter specifications: The specifications of the transfers.
  /// - Returns: The events of these transfers, whose session IDs are their positions, starting with `1`.
  public func run(_ specifications: [TransferSpec]) -> TransferEvents {
    run(specifications.enumerated().map { index, spec in TransferSession(spec, id: "\(index + 1)") })
  }
}

extension TransferStatus {
  init(_ state: SessionMachine.State) {
    self =
      switch state {
      case .waiting: .waiting
      case .requestingToken: .activating
      case .queued, .checkingToken: .ready
      case .connecting: .connecting
      case .running: .running
      case .waitingToRetry: .retrying
      case .stopping: .stopping
      case .interrupted: .interrupted
      case .ended(let result): .ended(result)
      }
  }
}
