// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A cache that stores a credential, refreshes it before it expires, and shares one request among all waiters.
///
/// - A credential is refreshed in the background between ten and five minutes before it expires, or after three to four
///   fifths of its lifetime if that is later. A credential that a caller had to wait for is refreshed at a random
///   earlier age. Until the refresh, serving the credential costs one lock.
/// - A caller that needs a credential that is not cached waits for the one in-flight request. Cancelling a wait does
///   not affect other waiters.
/// - After a failure, the provider is not called for a backoff that grows with each consecutive failure. Meanwhile, a
///   credential that is still valid is served.
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
    /// The refresh events that the observers have not received yet, in the order in which they occurred.
    var untold: [AuthEvent.Refresh] = []
    var isTelling = false
  }

  /// The tasks of the in-flight credential request: the request to the provider, and its timeout.
  struct FlightTasks {
    let number: UInt64
    let question: Task<Void, Never>
    let alarm: Task<Void, Never>
  }

  /// The observers that receive the cache's events.
  public let events: AuthEvents

  let provider: any CredentialProvider<Value>
  let state: Lock<State>
  /// The credential that may be served without consulting the cache's state machine, as of the last event.
  ///
  /// The value is written only while `state` is locked.
  let standing = Lock<CacheMachine<Value>.Held?>(nil)
  let time: any SigningClock
  let timeout: Duration
  let random: @Sendable () -> Double

  /// Creates a cache that fetches its credentials from a provider.
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  ///   - time: The wall clock and the monotonic clock that determine expiration.
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
  public var pause: Duration {
    let uptime = time.uptime
    return state.withLock { $0.machine.pause(at: uptime) }
  }

  /// Returns the cached credential without waiting, and starts a background refresh if a refresh is due.
  ///
  /// - Parameter duration: The duration for which the credential must remain valid.
  /// - Returns: The credential, or `nil` if the cache contains no credential that remains valid for the duration and
  ///   was not rejected.
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

  /// Returns a credential that remains valid for a duration, from the cache if possible, otherwise from the provider.
  ///
  /// - Parameters:
  ///   - duration: The duration for which the credential must remain valid.
  ///   - rejected: The generation of a credential that a service rejected, or `nil`. The provider is called once
  ///     however many callers report the same generation. If the cache contains a newer credential, the method returns
  ///     the newer credential.
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

  /// Replaces the cached credential with a credential that the app obtained by other means.
  ///
  /// All waiters for which the new credential is valid long enough receive it.
  ///
  /// - Parameter credential: The new credential, whose remaining lifetime is counted from now.
  public func replace(with credential: Value) {
    let (uptime, wallClock, random) = (time.uptime, time.now, random())
    perform { $0.replace(with: credential, at: uptime, wallClock: wallClock, random: random) }
  }

  /// Shuts the cache down: cancels the in-flight request, and fails all waiters and all later requests for a
  /// credential.
  public func shutdown() {
    perform { $0.shutDown() }
  }
}
