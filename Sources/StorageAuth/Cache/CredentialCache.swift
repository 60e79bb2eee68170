/// Keeps a credential, renews it before it ends, and asks its source once however many wait.
///
/// - A credential is renewed in the background between ten and five minutes before its end, or after three to four
///   fifths of its life if that is later; one for which a caller had to wait at a random age up to that. Until then
///   asking costs a lock.
/// - Whoever needs a credential that is not there waits for the one question to the source. Cancelling a wait leaves
///   the others alone.
/// - After a failure the source is left alone for a while that grows with each further one. A credential that still
///   lives is served meanwhile.
/// - The life of a credential is counted from the issuer's own time where the source heard it, on a clock that does not
///   jump: a wrong wall clock does no harm.
///
/// ```swift
/// let cache = CredentialCache<AccessKey>(source: "my app's server") { try await api.temporaryKey() }
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: cache)
/// ```
///
/// Everyone who uses the same keys should share one cache.
public final class CredentialCache<Value: Credential>: CredentialProvider {
  struct State {
    var machine: CacheMachine<Value>
    var continuations: [UInt64: CheckedContinuation<Result<CachedCredential<Value>, CredentialError>, Never>] = [:]
    var flight: FlightTasks?
    var waiters: UInt64 = 0
    /// What the observers are still to be told, in the order in which it happened.
    var untold: [AuthEvent.Refresh] = []
    var isTelling = false
  }

  /// The tasks of the question that is under way.
  struct FlightTasks {
    let number: UInt64
    let question: Task<Void, Never>
    let alarm: Task<Void, Never>
  }

  /// Where what happens in the cache is told.
  public let events: AuthEvents

  let provider: any CredentialProvider<Value>
  let state: Lock<State>
  /// What the machine lets be handed out, as of the last event; written while `state` is locked.
  let standing = Lock<CacheMachine<Value>.Held?>(nil)
  let time: any SigningClock
  let timeout: Duration
  let random: @Sendable () -> Double

  /// Makes a cache over a source.
  ///
  /// - Parameters:
  ///   - provider: Where credentials come from.
  ///   - configuration: When it is asked, and how long that may take.
  ///   - events: Where what happens is told.
  ///   - time: The clocks.
  public convenience init(
    _ provider: some CredentialProvider<Value>,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: AuthEvents = AuthEvents(),
    time: any SigningClock = .system
  ) {
    self.init(provider, configuration, events, time, random: { .random(in: 0...1) })
  }

  package init(
    _ provider: any CredentialProvider<Value>, _ configuration: CredentialCacheConfiguration, _ events: AuthEvents,
    _ time: any SigningClock, random: @escaping @Sendable () -> Double
  ) {
    self.provider = provider
    self.events = events
    self.time = time
    self.random = random
    timeout = configuration.timeout
    state = Lock(State(machine: CacheMachine(source: provider.source, configuration: configuration)))
  }

  deinit {
    state.withLock { state in
      state.flight?.question.cancel()
      state.flight?.alarm.cancel()
    }
  }

  /// The name of the source.
  public var source: String { provider.source }

  /// A credential, from the source if need be.
  ///
  /// - Throws: A ``CredentialError`` that names the source and what to do.
  @specialized(where Value == AccessKey)
  public func credential() async throws(CredentialError) -> Value {
    if let cached = current() { return cached.credential }
    return try await wait(for: CacheMachine.Need(lasting: .zero)).credential
  }

  /// How long the source is still left alone after a failure; zero if it may be asked.
  public var pause: Duration {
    let uptime = time.uptime
    return state.withLock { $0.machine.pause(at: uptime) }
  }

  /// The credential that is there, without waiting; a renewal that is due is begun in the background.
  ///
  /// - Parameter duration: How long it has to live on.
  /// - Returns: Nothing if there is none that lives long enough and was not rejected.
  @specialized(where Value == AccessKey)
  public func current(lasting duration: Duration = .zero) -> CachedCredential<Value>? {
    let uptime = time.uptime
    var isDue = false
    let cached: CachedCredential<Value>? = standing.withLock { standing in
      guard let standing else { return nil }
      isDue = standing.isDue(at: uptime)
      return standing.lives(duration, at: uptime) ? standing.cached : nil
    }
    if isDue { refreshInBackground() }
    return cached
  }

  /// A credential that lives on for a duration, from the source if need be.
  ///
  /// - Parameters:
  ///   - duration: How long it has to live on.
  ///   - rejected: The credential that a service rejected, if that is why another is needed. However many say so of the
  ///     same one, the source is asked once; if there is a newer one already, that is the answer.
  /// - Returns: The credential and which one it is.
  /// - Throws: A ``CredentialError``: what the source said, also if that was said to somebody else a short while ago;
  ///   that it took too long; that the newest credential does not live long enough, with both times; `rejected` if the
  ///   source has nothing but what was rejected; `cancelled` if the task was cancelled.
  @specialized(where Value == AccessKey)
  public func credential(
    lasting duration: Duration, replacing rejected: CredentialGeneration? = nil
  ) async throws(CredentialError) -> CachedCredential<Value> {
    if rejected == nil, let cached = current(lasting: duration) { return cached }
    return try await wait(for: CacheMachine.Need(lasting: duration, rejected: rejected))
  }

  /// Puts a credential in, as apps do that get their tokens in other ways; whoever waits gets it.
  ///
  /// - Parameter credential: The credential; its life counts from now.
  public func replace(with credential: Value) {
    let (uptime, wallClock, random) = (time.uptime, time.now, random())
    perform { $0.replace(with: credential, at: uptime, wallClock: wallClock, random: random) }
  }

  /// Ends everything: a question that is under way, the waits for it, and what is asked later.
  public func shutdown() {
    perform { $0.shutDown() }
  }
}
