// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cache that stores a credential, refreshes it before it expires, and shares one request among all waiters.
///
/// - A credential is refreshed in the background between ten and five minutes before it expires, or after three to four
///   fifths of its lifetime if that is later. A credential that a caller had to wait for is refreshed at a random
///   earlier age. Until the refresh, serving the credential costs one lock.
/// - A caller without a cached credential waits for the one request; cancelling a wait affects no other waiter.
/// - After failures, the provider is not called for a growing backoff, and a credential that is still valid is served.
/// - The lifetime of a credential is counted from the issuer's own time, if the provider reports this time, on a
///   monotonic clock. A wrong wall clock therefore does no harm.
///
/// ```swift
/// let cache = CredentialCache<AccessKey>(source: "my app's server") { try await api.temporaryKey() }
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: cache)
/// ```
///
/// All clients that use the same keys should share one cache.
public final class CredentialCache<Value: Credential>: CredentialProvider {
  struct State {
    var machine: CacheMachine<Value>
    var continuations: [UInt64: CheckedContinuation<Result<CachedCredential<Value>, CredentialError>, Never>] = [:]
    var flight: FlightTasks?
    var waiters: UInt64 = 0
    /// The refresh events that the observers have not received yet.
    var pendingEvents = DeliveryQueue<AuthEvent.Refresh>()
  }

  /// The tasks of a request to the provider.
  struct FlightTasks {
    let number: UInt64
    let request: Task<Void, Never>
    let timeout: Task<Void, Never>
  }

  /// The observers that receive the cache's events.
  public let events: EventHub

  let provider: any CredentialProvider<Value>
  let state: Lock<State>
  /// The credential that may be served without consulting the cache's state machine, as of the last event.
  ///
  /// The value is written only while `state` is locked.
  let servable = Lock<CacheMachine<Value>.Held?>(nil)
  let context: ProviderContext
  let time: any SigningClock
  let timeout: Duration
  let random: @Sendable () -> Double

  /// Creates a cache that fetches its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials.
  ///   - context: The environment, files, commands, network and clocks that the provider and the cache use. The default
  ///     has neither a network nor commands; in a program that imports `StorageClient`, it has those of the platform.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  public convenience init(
    _ provider: some CredentialProvider<Value>, in context: ProviderContext = .local,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub()
  ) {
    self.init(provider, context, configuration, events, random: { .random(in: 0...1) })
  }

  package init(
    _ provider: any CredentialProvider<Value>, _ context: ProviderContext,
    _ configuration: CredentialCacheConfiguration, _ events: EventHub, random: @escaping @Sendable () -> Double
  ) {
    self.provider = provider
    self.events = events
    self.context = context
    time = context.time
    self.random = random
    timeout = configuration.timeout
    state = Lock(
      State(
        machine: CacheMachine(
          source: provider.source, hasProvider: !(provider is NoSource), configuration: configuration)))
  }

  deinit {
    state.withLock { state in
      state.flight?.request.cancel()
      state.flight?.timeout.cancel()
    }
  }

  /// The name of the credentials' source, as the provider reports it.
  public var source: String { provider.source }

  /// Returns a valid credential, from the cache if possible, otherwise from the provider.
  ///
  /// - Returns: A credential that has not expired.
  /// - Throws: A ``CredentialError`` that specifies the source and the remedy.
  @specialized(where Value == AccessKey)
  public func credential() async throws(CredentialError) -> Value {
    if let cached = current() { return cached.credential }
    return try await wait(for: CacheMachine.Need(lasting: .zero)).credential
  }

  /// The remaining time during which the provider is not called because of its last failure, or zero.
  public var remainingBackoff: Duration {
    let uptime = time.uptime
    return state.withLock { $0.machine.remainingBackoff(at: uptime) }
  }

  /// Returns a valid credential, from the cache if possible, otherwise from the provider, in the cache's own context.
  ///
  /// - Parameter context: The context of the call, which is not used.
  /// - Returns: A credential that has not expired.
  /// - Throws: A ``CredentialError`` that specifies the source and the remedy.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    IssuedCredential(try await credential())
  }

  /// Returns the cached credential without waiting, and starts a background refresh if a refresh is due.
  ///
  /// - Parameter duration: The duration for which the credential must remain valid.
  /// - Returns: The credential, or `nil` if none in the cache remains valid for the duration and was not rejected.
  @specialized(where Value == AccessKey)
  public func current(lasting duration: Duration = .zero) -> CachedCredential<Value>? {
    let uptime = time.uptime
    var isDue = false
    let cached: CachedCredential<Value>? = servable.withLock { servable in
      guard let servable else { return nil }
      isDue = servable.isDue(at: uptime)
      return servable.isValid(for: duration, at: uptime) ? servable.cached : nil
    }
    if isDue { refreshInBackground() }
    return cached
  }

  /// Returns a credential that remains valid for a duration, from the cache if possible, otherwise from the provider.
  ///
  /// - Parameters:
  ///   - duration: The duration for which the credential must remain valid.
  ///   - rejected: The generation of a credential that a service rejected, or `nil`. However many callers report it,
  ///     the provider is called once, and not at all if the cache contains a newer credential.
  /// - Returns: The credential with its generation.
  /// - Throws: A ``CredentialError``: the provider's error, even if another caller received it a short while ago;
  ///   `timeout` if the provider did not respond in time; `failed` with both times if the newest credential expires too
  ///   early; `rejected` if the provider returned the rejected credential again; `cancelled` if the task was cancelled
  ///   or the cache was shut down.
  @specialized(where Value == AccessKey)
  public func credential(
    lasting duration: Duration, replacing rejected: CredentialGeneration? = nil
  ) async throws(CredentialError) -> CachedCredential<Value> {
    if rejected == nil, let cached = current(lasting: duration) { return cached }
    return try await wait(for: CacheMachine.Need(lasting: duration, rejected: rejected))
  }

  /// Returns a credential that remains valid until a signer no longer needs it, from the cache if possible.
  ///
  /// ```swift
  /// let key = try await cache.credential(until: signer.requiredValidity(from: .now)).credential
  /// ```
  ///
  /// - Parameters:
  ///   - end: The time at which the credential must still be valid, as ``Signer/requiredValidity(from:)`` and
  ///     ``Presigner/requiredValidity(from:validFor:)`` return it.
  ///   - date: The current time by the clock that `end` was derived from. If `nil`, the time by the cache's own clock.
  ///   - rejected: The generation of a credential that a service rejected, or `nil`.
  /// - Returns: The credential with its generation.
  /// - Throws: A ``CredentialError``, as ``credential(lasting:replacing:)`` does.
  public func credential(
    until end: Timestamp, from date: Timestamp? = nil, replacing rejected: CredentialGeneration? = nil
  ) async throws(CredentialError) -> CachedCredential<Value> {
    try await credential(lasting: (date ?? time.now).duration(to: end), replacing: rejected)
  }

  /// Replaces the cached credential with a credential that the app obtained by other means.
  ///
  /// All waiters for which the new credential is valid long enough receive it.
  ///
  /// - Parameter credential: The new credential, whose remaining lifetime is counted from now.
  public func replace(with credential: Value) {
    let (uptime, wallClock, random) = (time.uptime, time.now, random())
    perform { $0.replace(with: credential, at: uptime, wallClock: wallClock, random: random) }
  }

  /// Shuts the cache down: cancels the in-flight request, and fails all waiters and later requests for a credential.
  public func shutdown() { perform { $0.shutDown() } }

  /// Keeps a valid credential in the cache until the task is cancelled, even while no caller requests one.
  ///
  /// A cache alone asks its provider only on behalf of a caller, so the first caller after a quiet period waits. With
  /// this function, a server responds to each caller at once, as long as the provider works. Failures of the provider
  /// are events; the function goes on after the backoff.
  ///
  /// ```swift
  /// let upkeep = Task { await cache.keepFresh() }
  /// ```
  @concurrent
  public func keepFresh() async {
    repeat {
      if current() == nil { _ = try? await credential() }
      let uptime = time.uptime
      let next = state.withLock { $0.machine.nextRequest(after: uptime) }
      let delay = next.map { $0 - uptime } ?? maximumPause
      guard (try? await time.sleep(for: min(max(delay, minimumPause), maximumPause))) != nil else { return }
    } while !Task.isCancelled
  }
}

/// The limits of the time between two looks at a cache: the app can replace the credential at any time.
private let minimumPause = Duration.seconds(1)
private let maximumPause = Duration.seconds(60)

extension CredentialCache {
  /// Creates a cache that fetches its credentials with an asynchronous function.
  ///
  /// The function runs on a separate task, never on the caller's actor.
  ///
  /// - Parameters:
  ///   - source: The name of the credentials' source, for errors and events.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  ///   - time: The wall clock and the monotonic clock that determine expiration.
  ///   - fetch: A function that fetches a credential, or returns `nil` if there is none now. A ``CredentialError`` that
  ///     it throws is passed on unchanged; any other error is the `underlying` error of the one that callers receive.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: EventHub = EventHub(), time: any SigningClock = .system,
    _ fetch: @escaping @Sendable @concurrent () async throws -> Value?
  ) {
    self.init(
      ClosureCredentialProvider(source: source, fetch), in: ProviderContext(time: time), configuration: configuration,
      events: events)
  }

  /// Creates a cache that fetches its credentials with a blocking function.
  ///
  /// The function runs on a separate thread, never on the main thread, and never concurrently with itself. The parameters
  /// are those of the initializer with an asynchronous function.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: EventHub = EventHub(), time: any SigningClock = .system,
    blocking fetch: @escaping @Sendable () throws -> Value?
  ) {
    self.init(
      BlockingCredentialProvider(source: source, fetch), in: ProviderContext(time: time), configuration: configuration,
      events: events)
  }

  /// Creates a cache without a provider, for an app that sets its credentials with ``replace(with:)``.
  ///
  /// - Parameters:
  ///   - credential: The first credential, whose remaining lifetime is counted from now.
  ///   - configuration: The cache's times; the refresh margin determines when the observers receive the event
  ///     ``AuthEvent/Refresh/Outcome/ending(_:lifetime:)``.
  ///   - events: The observers that receive the cache's events.
  ///   - time: The wall clock and the monotonic clock that determine expiration.
  public convenience init(
    _ credential: Value, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: EventHub = EventHub(), time: any SigningClock = .system
  ) {
    self.init(NoSource(), in: ProviderContext(time: time), configuration: configuration, events: events)
    replace(with: credential)
  }

  /// The provider of a cache whose credentials are set by the app, which always throws an error.
  private struct NoSource: CredentialProvider {
    let source = "credential set by hand"

    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
      throw CredentialError(
        .rejected, source: source, "The credential expires or was rejected, and the cache has no provider for another.",
        remedy: "Set a new one with replace(with:), or create the cache with a provider.")
    }
  }

  typealias Machine = CacheMachine<Value>

  /// Waits for a credential that satisfies a caller's requirements; cancelling the task ends the wait.
  func wait(for need: Machine.Need) async throws(CredentialError) -> CachedCredential<Value> {
    let waiter = state.withLock { state in
      state.waiters += 1
      return state.waiters
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in ask(waiter, need, continuation) }
    } onCancel: {
      perform { $0.leave(waiter) }
    }
    return try result.get()
  }

  private func ask(
    _ waiter: UInt64, _ need: Machine.Need,
    _ continuation: CheckedContinuation<Result<CachedCredential<Value>, CredentialError>, Never>
  ) {
    let uptime = time.uptime
    var response: Result<CachedCredential<Value>, CredentialError>?
    perform { (state: inout State) in
      if Task.isCancelled {
        response = .failure(.waitCancelled(source))
        return []
      }
      let (admission, effects) = state.machine.ask(waiter, need, at: uptime)
      switch admission {
      case .serve(let cached): response = .success(cached)
      case .refuse(let error): response = .failure(error)
      case .wait: state.continuations[waiter] = continuation
      }
      return effects
    }
    if let response { continuation.resume(returning: response) }
  }

  func refreshInBackground() {
    let uptime = time.uptime
    perform { $0.wantsRefresh(at: uptime) ? $0.refresh(at: uptime) : [] }
  }

  func perform(_ event: (inout Machine) -> [Machine.Effect]) {
    perform { (state: inout State) in event(&state.machine) }
  }

  private func perform(_ event: (inout State) -> [Machine.Effect]) {
    let context = events.traceContext
    let actions = state.withLock { state in
      let effects = event(&state)
      servable.withLock { $0 = state.machine.servable }
      return effects.compactMap { prepare($0, &state, context) }
    }
    // The events are not added to the span of the task that delivers them, because they may belong to another task.
    state.deliver(\.pendingEvents) { events.relay(.refresh($0)) }
    for action in actions { action() }
  }

  /// Applies an effect to the state; the result, if any, calls other code and must run after the lock is released.
  private func prepare(_ effect: Machine.Effect, _ state: inout State, _ context: (any Sendable)?) -> (() -> Void)? {
    switch effect {
    case .start(let number):
      state.flight = tasks(of: number, in: context)
      return nil
    case .abandon(let number):
      guard let flight = state.flight, flight.number == number else { return nil }
      state.flight = nil
      return {
        flight.request.cancel()
        flight.timeout.cancel()
      }
    case .response(let waiter, let result):
      guard let continuation = state.continuations.removeValue(forKey: waiter) else { return nil }
      return { continuation.resume(returning: result) }
    case .deliver(let refresh):
      state.pendingEvents.append(refresh)
      return nil
    }
  }

  /// Creates the tasks of a request to the provider: one for the request, and one for its timeout.
  ///
  /// Detached tasks inherit no actor, priority or task-local values of a caller; the context of its trace is passed on.
  private func tasks(of number: UInt64, in trace: (any Sendable)?) -> FlightTasks {
    let request = Task.detached { [weak self, provider, events, context] in
      let result: Result<IssuedCredential<Value>, CredentialError>
      do throws(CredentialError) {
        let span = events.begin(AuthActivity(.refresh, provider.source), in: trace)
        let issued = try await span.measure { () async throws(CredentialError) in
          try await provider.issue(in: context)
        } outcome: { result in
          guard case .failure(let error) = result else { return AuthActivity.Outcome() }
          return AuthActivity.Outcome(failure: "\(error)")
        }
        result = .success(issued)
      } catch {
        result = .failure(error)
      }
      guard let self else { return }
      let (uptime, wallClock, random) = (time.uptime, time.now, random())
      perform { $0.finish(number, result, at: uptime, wallClock: wallClock, random: random) }
    }
    let timeout = Task.detached { [weak self, time, timeout] in
      guard (try? await time.sleep(for: timeout)) != nil, let self else { return }
      let (uptime, random) = (time.uptime, random())
      perform { $0.timeOut(number, at: uptime, random: random) }
    }
    return FlightTasks(number: number, request: request, timeout: timeout)
  }
}
