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
  let time: any TimeSource
  let random: @Sendable () -> Double
  let makeSigner: SignerMaker
  let state: Lock<State>

  init(
    engine: any TransferEngine, account: AsperaAccount?, issuer: (any TokenIssuer)?,
    configuration: TransferQueueConfiguration, authEvents: AuthEvents, time: any TimeSource,
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
    time: any TimeSource = .system
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
    time: any TimeSource = .system
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
