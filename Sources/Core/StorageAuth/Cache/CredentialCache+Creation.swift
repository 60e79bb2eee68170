// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// The function runs on a separate thread, never on the main thread, and never concurrently with itself. The
  /// parameters are those of the initializer with an asynchronous function.
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
    self.init(NoProvider(), in: ProviderContext(time: time), configuration: configuration, events: events)
    replace(with: credential)
  }

  /// The provider of a cache whose credentials are set by the app, which always throws an error.
  struct NoProvider: CredentialProvider {
    var source: String { CachedCredential<Value>.manualSource }

    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
      throw CredentialError(
        .rejected, source: source,
        "The credential has expired or was rejected, and the cache has no provider for another.",
        remedy: "Set a new one with replace(with:), or create the cache with a provider.")
    }
  }
}
