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
    /// The continuations of the waiters, by their numbers.
    var continuations: [UInt64: CheckedContinuation<Machine.WaitResult, Never>] = [:]
    var requestTasks: RequestTasks?
    var lastWaiter: UInt64 = 0
    /// The refresh events that the observers have not received yet.
    var pendingEvents = DeliveryQueue<AuthEvent.Refresh>()
  }

  /// The tasks of the request to the provider that is in flight.
  struct RequestTasks {
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
  let servableEntry = Lock<CacheMachine<Value>.Entry?>(nil)
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
      state.requestTasks?.request.cancel()
      state.requestTasks?.timeout.cancel()
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
    return try await wait(for: CacheMachine.Requirement(lasting: .zero)).credential
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
    var isRefreshDue = false
    let cached: CachedCredential<Value>? = servableEntry.withLock { servableEntry in
      guard let servableEntry else { return nil }
      isRefreshDue = servableEntry.isRefreshDue(at: uptime)
      return servableEntry.isValid(for: duration, at: uptime) ? servableEntry.cachedCredential : nil
    }
    if isRefreshDue { refreshInBackground() }
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
    return try await wait(for: CacheMachine.Requirement(lasting: duration, rejected: rejected))
  }

  /// Returns a credential that remains valid until a signer no longer needs it, from the cache if possible.
  ///
  /// ```swift
  /// let key = try await cache.credential(until: signer.requiredValidity(from: .now)).credential
  /// ```
  ///
  /// - Parameters:
  ///   - deadline: The time at which the credential must still be valid, as ``Signer/requiredValidity(from:)`` and
  ///     ``Presigner/requiredValidity(from:validFor:)`` return it.
  ///   - date: The current time by the clock that `deadline` was derived from. If `nil`, the time by the cache's own clock.
  ///   - rejected: The generation of a credential that a service rejected, or `nil`.
  /// - Returns: The credential with its generation.
  /// - Throws: A ``CredentialError``, as ``credential(lasting:replacing:)`` does.
  public func credential(
    until deadline: Timestamp, from date: Timestamp? = nil, replacing rejected: CredentialGeneration? = nil
  ) async throws(CredentialError) -> CachedCredential<Value> {
    try await credential(lasting: (date ?? time.now).duration(to: deadline), replacing: rejected)
  }

  /// Replaces the cached credential with a credential that the app obtained by other means.
  ///
  /// All waiters for which the new credential is valid long enough receive it.
  ///
  /// - Parameter credential: The new credential, whose remaining lifetime is counted from now.
  public func replace(with credential: Value) {
    let (uptime, wallClock, random) = (time.uptime, time.now, random())
    apply { $0.replace(with: credential, at: uptime, wallClock: wallClock, random: random) }
  }

  /// Shuts the cache down: cancels the in-flight request, and fails all waiters and later requests for a credential.
  public func shutdown() { apply { $0.shutDown() } }

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

/// The limits of the time between two checks of a cache that is kept fresh: the app can replace the credential at any
/// time, and a provider that returns credentials with a short lifetime must not be called without a pause.
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

  /// Waits for a credential that satisfies a caller's requirement; cancelling the task ends the wait.
  func wait(for requirement: Machine.Requirement) async throws(CredentialError) -> CachedCredential<Value> {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in admit(waiter, requirement, continuation) }
    } onCancel: {
      apply { $0.cancelWait(of: waiter) }
    }
    return try result.get()
  }

  /// Resumes the continuation at once if the cache can serve the requirement or must refuse it; otherwise stores it.
  private func admit(
    _ waiter: UInt64, _ requirement: Machine.Requirement, _ continuation: CheckedContinuation<Machine.WaitResult, Never>
  ) {
    let uptime = time.uptime
    var immediateResult: Machine.WaitResult?
    apply { (state: inout State) in
      if Task.isCancelled {
        immediateResult = .failure(.waitCancelled(source))
        return []
      }
      let (admission, effects) = state.machine.admit(waiter, requirement, at: uptime)
      switch admission {
      case .serve(let cached): immediateResult = .success(cached)
      case .fail(let error): immediateResult = .failure(error)
      case .wait: state.continuations[waiter] = continuation
      }
      return effects
    }
    if let immediateResult { continuation.resume(returning: immediateResult) }
  }

  func refreshInBackground() {
    let uptime = time.uptime
    apply { $0.isRefreshDue(at: uptime) ? $0.startRefresh(at: uptime) : [] }
  }

  /// Applies an event to the state machine, and then carries out its effects.
  func apply(_ event: (inout Machine) -> [Machine.Effect]) {
    apply { (state: inout State) in event(&state.machine) }
  }

  private func apply(_ event: (inout State) -> [Machine.Effect]) {
    let traceContext = events.traceContext
    let actions = state.withLock { state in
      let effects = event(&state)
      servableEntry.withLock { $0 = state.machine.servableEntry }
      return effects.compactMap { apply($0, to: &state, in: traceContext) }
    }
    // The events are not added to the span of the task that delivers them, because they may belong to another task.
    state.deliver(\.pendingEvents) { events.relay(.refresh($0)) }
    for action in actions { action() }
  }

  /// Applies an effect to the state; the result, if any, calls other code and must run after the lock is released.
  private func apply(
    _ effect: Machine.Effect, to state: inout State, in traceContext: (any Sendable)?
  ) -> (() -> Void)? {
    switch effect {
    case .startRequest(let number):
      state.requestTasks = startTasks(ofRequest: number, in: traceContext)
      return nil
    case .cancelRequest(let number):
      guard let tasks = state.requestTasks, tasks.number == number else { return nil }
      state.requestTasks = nil
      return {
        tasks.request.cancel()
        tasks.timeout.cancel()
      }
    case .resume(let waiter, let result):
      guard let continuation = state.continuations.removeValue(forKey: waiter) else { return nil }
      return { continuation.resume(returning: result) }
    case .deliver(let refresh):
      state.pendingEvents.append(refresh)
      return nil
    }
  }

  /// Starts the tasks of a request to the provider: one for the request, and one for its timeout.
  ///
  /// Detached tasks inherit no actor, priority or task-local values of a caller; the context of its trace is passed on.
  private func startTasks(ofRequest number: UInt64, in traceContext: (any Sendable)?) -> RequestTasks {
    let request = Task.detached { [weak self, provider, events, context] in
      let result: Result<IssuedCredential<Value>, CredentialError>
      do throws(CredentialError) {
        let span = events.begin(AuthActivity(.refresh, provider.source), in: traceContext)
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
      apply { $0.finishRequest(number, result, at: uptime, wallClock: wallClock, random: random) }
    }
    let timeout = Task.detached { [weak self, time, timeout] in
      guard (try? await time.sleep(for: timeout)) != nil, let self else { return }
      let (uptime, random) = (time.uptime, random())
      apply { $0.timeOutRequest(number, at: uptime, random: random) }
    }
    return RequestTasks(number: number, request: request, timeout: timeout)
  }
}
