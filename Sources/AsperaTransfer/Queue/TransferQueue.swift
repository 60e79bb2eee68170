// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// A queue that runs transfers one after the other, or several at a time, and gets their tokens.
///
/// - The queue requests a token when a session's turn comes, again before an attempt if the token would expire too
///   soon, and immediately if the server calls it expired, invalid or missing. Each rejected token is refreshed once.
/// - Refreshing a token does not count against the retries after network failures, and vice versa.
/// - A wrong password, a wrong host key, and a token that was issued for another purpose end the session without a
///   request to the issuer.
/// - Every session ends with one `finished` event.
///
/// ```swift
/// let issuer = SetupTokenIssuer(node: node, access: access, transport: transport)
/// let queue = TransferQueue(engine: engine, account: account, issuer: issuer)
/// for await event in queue.run(sessions) { print(event) }
/// ```
///
/// A queue stays in memory while one of its sessions is active.
public final class TransferQueue: Sendable {
  /// Creates the signer for the transfers of an account.
  typealias SignerMaker = @Sendable (AsperaAccount?) -> any Signer<TransferSpec, TransferGrant>

  /// The destination of events about token refreshes, retries, signatures and transfers.
  public let authEvents: AuthEvents

  let engine: any TransferEngine
  let account: AsperaAccount?
  let issuer: (any TokenIssuer)?
  let configuration: TransferQueueConfiguration
  let time: any SigningClock
  let random: @Sendable () -> Double
  let makeSigner: SignerMaker
  let state: Lock<State>

  init(
    engine: any TransferEngine, account: AsperaAccount?, issuer: (any TokenIssuer)?,
    configuration: TransferQueueConfiguration, authEvents: AuthEvents, time: any SigningClock,
    random: @escaping @Sendable () -> Double, makeSigner: @escaping SignerMaker
  ) {
    self.engine = engine
    self.account = account
    self.issuer = issuer
    self.configuration = configuration
    self.authEvents = authEvents
    self.time = time
    self.random = random
    self.makeSigner = makeSigner
    state = Lock(State(machine: QueueMachine(configuration: configuration)))
  }

  /// Creates a queue with a token issuer.
  ///
  /// - Parameters:
  ///   - engine: The engine that runs the transfers.
  ///   - account: The account of sessions without their own account.
  ///   - issuer: The issuer of sessions without their own issuer; it is also used for sessions with a fixed token.
  ///   - configuration: The number of active sessions and the limits of retries.
  ///   - authEvents: The destination of events about token refreshes, retries, signatures and transfers.
  ///   - time: The clock.
  public convenience init(
    engine: any TransferEngine, account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents(),
    time: any SigningClock = .system
  ) {
    self.init(
      engine: engine, account: account, issuer: issuer, configuration: configuration, authEvents: authEvents,
      time: time, random: { .random(in: 0...1) }, makeSigner: { TransferSigner(account: $0) })
  }

  /// Creates a queue without an issuer, for sessions that have their own token or issuer, or need no token.
  ///
  /// - Parameters:
  ///   - engine: The engine that runs the transfers.
  ///   - account: The account of sessions without their own account.
  ///   - configuration: The number of active sessions and the limits of retries.
  ///   - authEvents: The destination of events about token refreshes, retries, signatures and transfers.
  ///   - time: The clock.
  public convenience init(
    engine: any TransferEngine, account: AsperaAccount? = nil,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents(),
    time: any SigningClock = .system
  ) {
    self.init(
      engine: engine, account: account, issuer: nil, configuration: configuration, authEvents: authEvents, time: time,
      random: { .random(in: 0...1) }, makeSigner: { TransferSigner(account: $0) })
  }

  deinit {
    state.withLock { state in
      for observer in state.observers.values { observer.buffer.finish() }
    }
  }

  /// A new sequence of the events from now on.
  ///
  /// To see sessions from their beginning, get the sequence before you add them.
  public var events: TransferEvents { observe(nil) }

  /// Adds a session to the end of the queue.
  ///
  /// - Parameter session: The session.
  /// - Returns: The name of the session in this queue: its id, with a number appended if the queue already has a
  ///   session with that id.
  @discardableResult
  public func add(_ session: TransferSession) -> String {
    perform { state, uptime in
      let id = state.freeID(for: session.id)
      return (id, state.add(record(of: session, batch: nil), as: id, at: uptime))
    }
  }

  /// Cancels a session; it stays in the queue and can be run again.
  ///
  /// An in-flight request to the issuer is cancelled, and a running transfer is stopped in an orderly way. A transfer
  /// that completes before it can be stopped counts as completed.
  ///
  /// - Parameter id: The id of the session; an unknown id has no effect.
  public func cancel(_ id: String) {
    perform { state, uptime in ((), state.machine.cancel(id, at: uptime)) }
  }

  /// Runs a session now.
  ///
  /// A session that has ended runs again. If no slot is free, the session that became active last is stopped and
  /// continues after this one; then the queue goes on. A session that is already active just continues.
  ///
  /// - Parameter id: The id of the session; an unknown id has no effect.
  public func run(_ id: String) {
    perform { state, uptime in ((), state.machine.run(id, at: uptime)) }
  }

  /// Removes a session from the queue, and cancels it first if it has not ended.
  ///
  /// - Parameter id: The id of the session; an unknown id has no effect.
  public func remove(_ id: String) {
    perform { state, uptime in ((), state.machine.remove(id, at: uptime)) }
  }

  /// Stops activating sessions.
  ///
  /// - Parameter stopping: Whether active sessions are stopped as well; they continue when the queue resumes.
  public func pause(stopping: Bool = false) {
    perform { state, _ in ((), state.machine.pause(stopping: stopping)) }
  }

  /// Activates sessions again after ``pause(stopping:)``.
  public func resume() {
    perform { state, uptime in ((), state.machine.resume(at: uptime)) }
  }

  /// Cancels all sessions in an orderly way, and then ends all event sequences.
  ///
  /// A session that is added later is cancelled immediately.
  public func shutdown() async {
    await withCheckedContinuation { continuation in
      perform { state, _ in
        state.shutdownWaiters.append(continuation)
        return ((), state.machine.shutDown())
      }
    }
  }
}

/// The number of active sessions of a ``TransferQueue``, and its limits of retries.
public struct TransferQueueConfiguration: Sendable, Hashable {
  /// The maximum number of active sessions, at least 1.
  public var maximumActive: Int

  /// The time between two starts while more than one session is active.
  ///
  /// An SSH server that sees too many simultaneous logins drops some of them (`MaxStartups` in OpenSSH), which ascp
  /// reports as a rejected account (code 19). This is indistinguishable from a wrong password, which is never retried,
  /// so the starts must be spaced.
  public var startSpacing: Duration

  /// The time for which a token must remain valid when an attempt starts, or `nil` for the signer's requirement.
  public var tokenMargin: Duration?

  /// The maximum number of consecutive refreshes of rejected tokens, without progress in between.
  ///
  /// The first one is refreshed immediately, the following ones after ``retryDelay``, which doubles each time.
  public var tokenRenewals: Int

  /// The maximum number of consecutive retries of a request to an issuer that failed temporarily.
  public var issuerRetries: Int

  /// The maximum number of consecutive retries after network or server failures, without progress in between.
  ///
  /// An attempt has made progress if it has transferred more files or more bytes than every attempt before it.
  public var transportRetries: Int

  /// The delay before the first retry; it doubles with each further one.
  ///
  /// A random part of up to half of the delay is subtracted.
  public var retryDelay: Duration

  /// The maximum delay before a retry.
  public var longestRetryDelay: Duration

  /// The configuration of the token cache, such as the timeout of a request to the issuer and the pause after a
  /// failure.
  ///
  /// The default refresh margin is zero: a running transfer no longer needs its token, so a new token is requested only
  /// when an attempt is about to start.
  public var tokens: CredentialCacheConfiguration

  /// Creates a configuration from the values of its properties; negative values count as zero.
  public init(
    maximumActive: Int = 1, startSpacing: Duration = .seconds(2), tokenMargin: Duration? = nil, tokenRenewals: Int = 2,
    issuerRetries: Int = 4, transportRetries: Int = 7, retryDelay: Duration = .seconds(2),
    longestRetryDelay: Duration = .seconds(60),
    tokens: CredentialCacheConfiguration = CredentialCacheConfiguration(refreshMargin: .zero)
  ) {
    self.maximumActive = max(1, maximumActive)
    self.startSpacing = max(.zero, startSpacing)
    self.tokenMargin = tokenMargin.map { max(.zero, $0) }
    self.tokenRenewals = max(0, tokenRenewals)
    self.issuerRetries = max(0, issuerRetries)
    self.transportRetries = max(0, transportRetries)
    self.retryDelay = max(.zero, retryDelay)
    self.longestRetryDelay = max(.zero, longestRetryDelay)
    self.tokens = tokens
  }

  /// Returns the delay before a retry.
  ///
  /// - Parameters:
  ///   - number: The number of the consecutive retry, starting at 1.
  ///   - random: A number from 0 to 1 for the jitter.
  func delay(beforeRepetition number: Int, random: Double) -> Duration {
    var delay = retryDelay
    for _ in 1..<max(1, number) where delay < longestRetryDelay { delay *= 2 }
    return min(delay, longestRetryDelay) * (1 - random / 2)
  }
}

/// The state of a session in a queue.
public enum TransferStatus: Sendable, Equatable {
  /// The session waits for its turn.
  case waiting
  /// The session waits for its token.
  case activating
  /// The session is ready, and waits for its start, so that a server does not see too many simultaneous logins.
  case ready
  /// The session connects; the server has not accepted account and token yet.
  case connecting
  /// The session runs.
  case running
  /// The session waits before a retry.
  case retrying
  /// The session was asked to stop and has not ended yet.
  case stopping
  /// The session was interrupted by another one, and continues afterwards.
  case interrupted
  /// The session has ended, and stays in the queue until it is removed.
  case ended(Result<TransferSummary, TransferFailure>)
}

extension TransferQueue {
  /// Creates a queue that uses the ascp of this machine, with a token issuer.
  ///
  /// - Parameters:
  ///   - account: The account of sessions without their own account.
  ///   - issuer: The issuer of sessions without their own issuer; it is also used for sessions with a fixed token.
  ///   - configuration: The number of active sessions and the limits of retries.
  ///   - authEvents: The destination of events about token refreshes, retries, signatures and transfers.
  /// - Throws: An `AsperaError` that lists the searched locations if ascp is not found.
  public convenience init(
    account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents()
  ) throws(AsperaError) {
    self.init(
      engine: try AscpEngine(), account: account, issuer: issuer, configuration: configuration, authEvents: authEvents)
  }
}

extension TransferQueue {
  /// The ids of the sessions in the queue, in no particular order.
  public var sessions: [String] { state.withLock { Array($0.records.keys) } }

  /// Returns the state of a session, or `nil` if the queue has no session with that id.
  public func status(of id: String) -> TransferStatus? {
    state.withLock { state in state.machine.sessions[id].map { TransferStatus($0.state) } }
  }

  /// Waits until a session has ended and returns its result, or `nil` if the queue has no session with that id.
  public func result(of id: String) async -> Result<TransferSummary, TransferFailure>? {
    await withCheckedContinuation { continuation in
      let answer: Result<TransferSummary, TransferFailure>?? = state.withLock { state in
        guard let session = state.machine.sessions[id] else { return .some(nil) }
        if case .ended(let result) = session.state { return result }
        state.records[id]?.waiters.append(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Adds paths to a persistent session, which may be waiting or running.
  ///
  /// When an attempt fails, the next one receives again the paths that are not known to be done.
  ///
  /// - Parameters:
  ///   - paths: The files and folders.
  ///   - id: The id of the session.
  /// - Throws: A ``TransferFailure`` of the kind `caller` if the queue has no persistent session with that id, or if
  ///   the session was finished or has ended.
  public func addPaths(_ paths: [TransferPath], to id: String) throws(TransferFailure) {
    let reason: String? = state.withLock { state in
      guard let session = state.machine.sessions[id], var feed = state.records[id]?.feed else {
        return "There is no persistent session with the id \(id)."
      }
      if session.isEnded { return "The session \(id) is over." }
      if feed.isFinished { return "The session \(id) was finished." }
      feed.add(paths)
      state.records[id]?.feed = feed
      return nil
    }
    guard let reason else { return }
    throw TransferFailure(
      .caller, "The paths were not added. \(reason)", remedy: "Add paths to a persistent session before you finish it.")
  }

  /// Ends a persistent session when all its paths are done.
  ///
  /// - Parameter id: The id of the session; an unknown id has no effect.
  public func finish(_ id: String) {
    state.withLock { state in state.records[id]?.feed?.finish() }
  }
}

extension TransferStatus {
  init(_ state: SessionMachine.State) {
    self =
      switch state {
      case .waiting: .waiting
      case .asking: .activating
      case .queued, .checking: .ready
      case .connecting: .connecting
      case .running: .running
      case .pausing: .retrying
      case .stopping: .stopping
      case .interrupted: .interrupted
      case .ended(let result): .ended(result)
      }
  }
}

extension TransferQueue {
  /// Runs sessions and returns their events.
  ///
  /// The sequence ends when all of them have ended; they are then removed from the queue. If the caller stops reading
  /// before that, or is cancelled, the sessions are cancelled.
  ///
  /// ```swift
  /// for await event in queue.run(sessions) {
  ///   if case .finished(let result) = event.kind { print(event.session, result) }
  /// }
  /// ```
  ///
  /// - Parameter sessions: The sessions; one whose id the queue already has gets a number appended to it.
  /// - Returns: The events of these sessions.
  public func run(_ sessions: [TransferSession]) -> TransferEvents {
    let batch = state.withLock { $0.nextNumber() }
    let events = observe(batch)
    perform { state, uptime in
      let ids = sessions.reduce(into: []) { $0.append(state.freeID(for: $1.id, besides: $0)) }
      state.batches[batch] = QueueBatch(members: ids, open: Set(ids))
      state.touched.insert(batch)
      let effects = zip(ids, sessions).flatMap { id, session in
        state.add(record(of: session, batch: batch), as: id, at: uptime)
      }
      return ((), effects)
    }
    return events
  }

  /// Runs transfers that use the queue's account and issuer.
  ///
  /// - Parameter specifications: The transfers.
  /// - Returns: The events of these transfers; a session is named by the position of its transfer, starting with `1`.
  public func run(_ specifications: [TransferSpec]) -> TransferEvents {
    run(specifications.enumerated().map { place, spec in TransferSession(spec, id: "\(place + 1)") })
  }
}
