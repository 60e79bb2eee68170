public import AsperaAuth
public import StorageAuth

/// Carries out transfers one after the other, or several at a time, and gets their tokens.
///
/// - A token is asked for when the turn of a session comes, and again before an attempt if it would end too soon, and at
///   once if the server calls it expired, invalid or missing. Each token that is refused is renewed once.
/// - Renewing a token does not use up the repetitions after a failure of the network, and the other way round.
/// - A wrong password, a wrong host key and a token that is for something else end the session: no issuer is asked.
/// - Every session ends in one `finished` event, whatever happens.
///
/// ```swift
/// let issuer = SetupTokenIssuer(node: node, access: access, transport: transport)
/// let queue = TransferQueue(engine: engine, account: account, issuer: issuer)
/// for await event in queue.run(sessions) { print(event) }
/// ```
///
/// A queue lives on while one of its sessions is under way.
public final class TransferQueue: Sendable {
  /// Makes what signs the transfers of an account.
  typealias SignerMaker = @Sendable (AsperaAccount?) -> any Signer<TransferSpec, TransferGrant>

  /// Where refreshed tokens, repetitions and transfers are told to those who observe all providers alike.
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

  /// Makes a queue with an issuer of tokens.
  ///
  /// - Parameters:
  ///   - engine: What carries out the transfers.
  ///   - account: The account of sessions that have none of their own.
  ///   - issuer: The issuer of sessions that have none of their own; it is asked for those with a fixed token as well.
  ///   - configuration: How many are active, and what is tried again how often.
  ///   - authEvents: Where refreshed tokens, repetitions and transfers are told.
  ///   - time: The clocks.
  public convenience init(
    engine: any TransferEngine, account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents(),
    time: any SigningClock = .system
  ) {
    self.init(
      engine: engine, account: account, issuer: issuer, configuration: configuration, authEvents: authEvents,
      time: time, random: { .random(in: 0...1) }, makeSigner: { TransferSigner(account: $0) })
  }

  /// Makes a queue for sessions that have a token or an issuer of their own, or need none.
  ///
  /// - Parameters:
  ///   - engine: What carries out the transfers.
  ///   - account: The account of sessions that have none of their own.
  ///   - configuration: How many are active, and what is tried again how often.
  ///   - authEvents: Where refreshed tokens, repetitions and transfers are told.
  ///   - time: The clocks.
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

  /// The events from now on.
  ///
  /// Each call makes a sequence of its own; ask for it before you add the sessions that you want to see from their
  /// beginning.
  public var events: TransferEvents { observe(nil) }

  /// Puts a session in line.
  ///
  /// - Parameter session: The session.
  /// - Returns: What it is called in this queue: its id, with a number after it if there is one with that id already.
  @discardableResult
  public func add(_ session: TransferSession) -> String {
    perform { state, uptime in
      let id = state.freeID(for: session.id)
      return (id, state.add(record(of: session, batch: nil), as: id, at: uptime))
    }
  }

  /// Ends a session in an orderly way; it stays in the queue and can be run again.
  ///
  /// A question to the issuer is ended too. A transfer that is done before it can be stopped is done.
  public func cancel(_ id: String) {
    perform { state, uptime in ((), state.machine.cancel(id, at: uptime)) }
  }

  /// Runs a session now.
  ///
  /// One that is over runs again. If there is no room, the session that became active last is stopped, and goes on after
  /// this one; then the queue goes on. A session that is active already goes on as it is.
  public func run(_ id: String) {
    perform { state, uptime in ((), state.machine.run(id, at: uptime)) }
  }

  /// Takes a session out of the queue; one that is not over is cancelled first.
  public func remove(_ id: String) {
    perform { state, uptime in ((), state.machine.remove(id, at: uptime)) }
  }

  /// Lets no session become active any more.
  ///
  /// - Parameter stopping: Whether those that are active are stopped too; they go on when the queue does.
  public func pause(stopping: Bool = false) {
    perform { state, _ in ((), state.machine.pause(stopping: stopping)) }
  }

  /// Lets sessions become active again.
  public func resume() {
    perform { state, uptime in ((), state.machine.resume(at: uptime)) }
  }

  /// Ends all sessions in an orderly way, and then all sequences of events.
  ///
  /// A session that is added later is cancelled at once.
  public func shutdown() async {
    await withCheckedContinuation { continuation in
      perform { state, _ in
        state.shutdownWaiters.append(continuation)
        return ((), state.machine.shutDown())
      }
    }
  }
}

/// How many sessions of a queue are active, and what is tried again how often.
public struct TransferQueueConfiguration: Sendable, Hashable {
  /// How many sessions are active at a time; at least 1.
  public var maximumActive: Int

  /// The time between two starts while more than one session is active.
  ///
  /// An SSH server that sees too many logins at once drops some of them (`MaxStartups`), and ascp calls that a refused
  /// account (code 19). That is not told apart from a wrong password and never tried again: keep the starts apart.
  public var startSpacing: Duration

  /// How long a token has to live on when an attempt starts; what the signer asks for, if not given.
  public var tokenMargin: Duration?

  /// How many tokens in a row are renewed because the server refused them, without progress in between.
  ///
  /// The first is renewed at once, the next ones after ``retryDelay``, doubled each time.
  public var tokenRenewals: Int

  /// How often in a row an issuer that failed for a moment is asked again.
  public var issuerRetries: Int

  /// How often in a row an attempt is repeated because the network or the server failed, without progress in between.
  ///
  /// Progress is a file more, or a byte more, than any attempt has had before.
  public var transportRetries: Int

  /// The delay before the first repetition; twice as long before each further one.
  ///
  /// A random part of up to a half is taken off.
  public var retryDelay: Duration

  /// The longest delay.
  public var longestRetryDelay: Duration

  /// How issuers are asked: how long one may take, and how long it is left alone after a failure.
  ///
  /// Its refresh margin is zero unless it is set: a transfer that runs needs its token no more, so that a new one is
  /// asked for when an attempt is about to start, not before.
  public var tokens: CredentialCacheConfiguration

  /// Sets the numbers; negative ones count as zero.
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

  /// How long is waited before a repetition.
  ///
  /// - Parameters:
  ///   - number: Which one in a row it is, from 1 on.
  ///   - random: From 0 to 1.
  func delay(beforeRepetition number: Int, random: Double) -> Duration {
    var delay = retryDelay
    for _ in 1..<max(1, number) where delay < longestRetryDelay { delay *= 2 }
    return min(delay, longestRetryDelay) * (1 - random / 2)
  }
}

/// Where a session of a queue stands.
public enum TransferStatus: Sendable, Equatable {
  /// It waits for its turn.
  case waiting
  /// It waits for its token.
  case activating
  /// It is ready and waits until it may start, so that a server does not see too many logins at once.
  case ready
  /// It connects; nothing is proven yet.
  case connecting
  /// It runs.
  case running
  /// It waits before something is tried again.
  case retrying
  /// It has been told to stop and has not ended yet.
  case stopping
  /// Another session was put before it; it goes on after that.
  case interrupted
  /// It is over, and stays in the queue until it is removed.
  case ended(Result<TransferSummary, TransferFailure>)
}

extension TransferQueue {
  /// Makes a queue over the ascp of this machine, with an issuer of tokens.
  ///
  /// - Parameters:
  ///   - account: The account of sessions that have none of their own.
  ///   - issuer: The issuer of sessions that have none of their own; it is asked for those with a fixed token as well.
  ///   - configuration: How many are active, and what is tried again how often.
  ///   - authEvents: Where refreshed tokens, repetitions and transfers are told.
  /// - Throws: An `AsperaError` that lists the places searched if there is no ascp.
  public convenience init(
    account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents()
  ) throws(AsperaError) {
    self.init(
      engine: try AscpEngine(), account: account, issuer: issuer, configuration: configuration, authEvents: authEvents)
  }
}

extension TransferQueue {
  /// The ids of the sessions that are in the queue, in no order.
  public var sessions: [String] { state.withLock { Array($0.records.keys) } }

  /// The state of a session, or `nil` if there is none with that id.
  public func status(of id: String) -> TransferStatus? {
    state.withLock { state in state.machine.sessions[id].map { TransferStatus($0.state) } }
  }

  /// The end of a session, when it has ended, or `nil` if there is none with that id.
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

  /// Adds paths to a persistent session; it may be waiting or running.
  ///
  /// Paths that are not known to be done when an attempt fails are given to the next one again.
  ///
  /// - Parameters:
  ///   - paths: The files and folders.
  ///   - id: The session.
  /// - Throws: A ``TransferFailure`` if there is no such session, or if it takes no paths: it is not persistent, was
  ///   finished, or is over.
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
  /// Runs sessions and tells what happens to them.
  ///
  /// The sequence ends when all of them are over; they leave the queue then. A caller that stops reading before that, or is
  /// cancelled, cancels them.
  ///
  /// ```swift
  /// for await event in queue.run(sessions) {
  ///   if case .finished(let result) = event.kind { print(event.session, result) }
  /// }
  /// ```
  ///
  /// - Parameter sessions: The sessions; one whose id is in the queue already gets a number after it.
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

  /// Runs transfers that need nothing but the account and the issuer of the queue.
  ///
  /// - Parameter specifications: The transfers.
  /// - Returns: Their events; a session is called by the place of its transfer, from `1` on.
  public func run(_ specifications: [TransferSpec]) -> TransferEvents {
    run(specifications.enumerated().map { place, spec in TransferSession(spec, id: "\(place + 1)") })
  }
}
