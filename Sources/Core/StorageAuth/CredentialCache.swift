// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  typealias Machine = CacheMachine<Value>

  struct State {
    var machine: Machine
    /// The continuations of the waiters, by their numbers.
    var continuations: [UInt64: CheckedContinuation<Machine.WaitResult, Never>] = [:]
    var requestTasks: RequestTasks?
    var lastWaiterNumber: UInt64 = 0
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
  /// The credential that may be served without the state machine; the value is written only while `state` is locked.
  let servableEntry = Lock<Machine.Entry?>(nil)
  let context: ProviderContext
  let time: any SigningClock
  let timeout: Duration
  let random: @Sendable () -> Double

  /// Creates a cache that fetches its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials.
  ///   - context: The environment, files, commands, network and clocks that the provider and the cache use. The default
  ///     has no network and no commands, except in a program that imports `StorageClient`.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  public convenience init(
    _ provider: some CredentialProvider<Value>, in context: ProviderContext = .local,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub()
  ) {
    self.init(provider, context, configuration, events)
  }

  /// Creates a cache with a source of random numbers from 0 to 1, which spread its requests.
  package init(
    _ provider: any CredentialProvider<Value>, _ context: ProviderContext,
    _ configuration: CredentialCacheConfiguration, _ events: EventHub, firstGeneration: UInt64 = 1,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.provider = provider
    self.events = events
    self.context = context
    time = context.time
    self.random = random
    timeout = configuration.timeout
    let hasProvider = !(provider is NoProvider)
    var machine = Machine(source: provider.source, hasProvider: hasProvider, configuration: configuration)
    machine.nextGeneration = firstGeneration
    state = Lock(State(machine: machine))
  }

  deinit {
    state.withLock { state in
      state.requestTasks?.request.cancel()
      state.requestTasks?.timeout.cancel()
    }
  }

  /// The name of the credentials' source, as the provider reports it.
  public var source: String { provider.source }

  /// Returns a credential that has not expired, from the cache if possible, otherwise from the provider.
  ///
  /// - Throws: A ``CredentialError`` that specifies the source and the remedy.
  @specialized(where Value == AccessKey)
  public func credential() async throws(CredentialError) -> Value {
    if let cached = current() { return cached.credential }
    return try await wait(for: Machine.Requirement(lasting: .zero)).credential
  }

  /// The remaining time during which the provider is not called because of its last failure, or zero.
  public var remainingBackoff: Duration {
    let uptime = time.uptime
    return state.withLock { $0.machine.remainingBackoff(at: uptime) }
  }

  /// Returns a credential that has not expired, with its source, for a cache or a chain in front of this cache.
  ///
  /// The issuer's time is derived from the remaining lifetime, so that a cache in front of this one counts the same
  /// lifetime, whatever the wall clock shows. That cache cannot report to this one that a service rejected a
  /// credential: this cache returns the same credential until its own refresh. If services may reject credentials, use
  /// one cache in front of the whole chain, or report the rejection to this cache with
  /// ``credential(lasting:replacing:)``.
  ///
  /// - Parameter context: The context of the call; the cache uses its own instead.
  /// - Throws: A ``CredentialError`` that specifies the source and the remedy.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    try await credential(lasting: .zero).issued(at: time.uptime)
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
  ///   - duration: The duration, from now, for which the credential must remain valid.
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
    return try await wait(for: Machine.Requirement(lasting: duration, rejected: rejected))
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
  ///   - date: The current time by the clock that `deadline` was derived from, or `nil` for the cache's own clock.
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

  /// Keeps a valid credential in the cache until the task is cancelled or the cache is shut down.
  ///
  /// A cache alone asks its provider only on behalf of a caller, so the first caller after a quiet period waits. With
  /// this function, a server responds to each caller at once, as long as the provider works. Failures of the provider
  /// are events; the function goes on after the backoff. It notices a shutdown after a minute at the latest.
  ///
  /// ```swift
  /// let upkeep = Task { await cache.keepFresh() }
  /// ```
  @concurrent public func keepFresh() async {
    repeat {
      // A failure is an event of the cache, and lengthens the next pause.
      if current() == nil { _ = try? await credential() }
      guard let pause = pauseUntilNextCheck, (try? await time.sleep(for: pause)) != nil else { return }
    } while !Task.isCancelled
  }

  /// The pause of ``keepFresh()``, or `nil` after the shutdown.
  private var pauseUntilNextCheck: Duration? {
    let uptime = time.uptime
    return switch state.withLock({ $0.machine.nextRequest(after: uptime) }) {
    case .due(at: let next): min(max(next - uptime, minimumPause), maximumPause)
    // The response can contain a credential with a short lifetime, or be a failure.
    case .inFlight: minimumPause
    case .notNeeded: maximumPause
    case .shutDown: nil
    }
  }
}

/// The shortest time between two checks of a cache that is kept fresh, even if credentials have a short lifetime.
private let minimumPause = Duration.seconds(1)
/// The longest time between two checks, because the app can replace the credential or shut the cache down at any time.
private let maximumPause = Duration.seconds(60)
