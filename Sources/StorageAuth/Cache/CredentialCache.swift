// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cache that stores a credential, refreshes it before it expires, and shares one request among all waiters.
///
/// - A credential is refreshed in the background between ten and five minutes before it expires, or after three to four
///   fifths of its lifetime if that is later; one that a caller had to wait for is refreshed at a random age up to
///   that. Until then, a request costs one lock.
/// - A caller that needs a credential that is not cached waits for the one in-flight request. Cancelling a wait leaves
///   the other waiters alone.
/// - After a failure the provider is not called for a backoff that grows with each consecutive failure. A credential
///   that is still valid is served meanwhile.
/// - The lifetime of a credential is counted from the issuer's own time where the provider reports it, on a monotonic
///   clock: a wrong wall clock does no harm.
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
    /// The events that the observers have not received yet, in the order in which they happened.
    var untold: [AuthEvent.Refresh] = []
    var isTelling = false
  }

  /// The tasks of the in-flight request: the request to the provider, and its timeout.
  struct FlightTasks {
    let number: UInt64
    let question: Task<Void, Never>
    let alarm: Task<Void, Never>
  }

  /// The destination of the cache's events.
  public let events: AuthEvents

  let provider: any CredentialProvider<Value>
  let state: Lock<State>
  /// The credential that may be served without the state machine, as of the last event.
  ///
  /// It is written only while `state` is locked.
  let standing = Lock<CacheMachine<Value>.Held?>(nil)
  let time: any SigningClock
  let timeout: Duration
  let random: @Sendable () -> Double

  /// Creates a cache that fetches its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - configuration: The times at which the provider is called, and its timeout.
  ///   - events: The destination of the cache's events.
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

  /// The name of the source, as the provider reports it.
  public var source: String { provider.source }

  /// Returns a valid credential, from the provider if none is cached.
  ///
  /// - Returns: A credential that has not expired.
  /// - Throws: A ``CredentialError`` that names the source and the remedy.
  @specialized(where Value == AccessKey)
  public func credential() async throws(CredentialError) -> Value {
    if let cached = current() { return cached.credential }
    return try await wait(for: CacheMachine.Need(lasting: .zero)).credential
  }

  /// The remaining time during which the provider is not called because of its last failure; zero if it may be called.
  public var pause: Duration {
    let uptime = time.uptime
    return state.withLock { $0.machine.pause(at: uptime) }
  }

  /// Returns the cached credential without waiting; starts a refresh in the background if one is due.
  ///
  /// - Parameter duration: The duration for which the credential must remain valid.
  /// - Returns: `nil` if no credential is cached that remains valid for that long and was not rejected.
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

  /// Returns a credential that remains valid for a duration, from the provider if need be.
  ///
  /// - Parameters:
  ///   - duration: The duration for which the credential must remain valid.
  ///   - rejected: The generation of the credential that a service rejected, if that is why another one is needed. The
  ///     provider is called once however many callers report the same generation; if a newer credential is cached, it
  ///     is returned.
  /// - Returns: The credential and its generation.
  /// - Throws: A ``CredentialError``: the provider's error, also if another caller received it a short while ago;
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

  /// Replaces the credential, for apps that obtain their tokens by other means; all waiters receive the new one.
  ///
  /// - Parameter credential: The credential; its lifetime is counted from now.
  public func replace(with credential: Value) {
    let (uptime, wallClock, random) = (time.uptime, time.now, random())
    perform { $0.replace(with: credential, at: uptime, wallClock: wallClock, random: random) }
  }

  /// Shuts the cache down: cancels the in-flight request, and fails all waiters and all later requests.
  public func shutdown() {
    perform { $0.shutDown() }
  }
}
