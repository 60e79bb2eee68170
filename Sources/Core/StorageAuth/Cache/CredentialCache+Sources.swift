// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  ///   - fetch: A function that fetches a credential. If it returns `nil` or throws, the request for a credential
  ///     fails. A ``CredentialError`` is passed on unchanged; of any other error, only the type is reported.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system,
    _ fetch: @escaping @Sendable @concurrent () async throws -> Value?
  ) {
    self.init(
      ClosureCredentialProvider(source: source, fetch), configuration: configuration, events: events, time: time)
  }

  /// Creates a cache that fetches its credentials with a blocking function.
  ///
  /// The function runs on a separate thread, never on the main thread, and never concurrently with itself.
  ///
  /// - Parameters:
  ///   - source: The name of the credentials' source, for errors and events.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  ///   - time: The wall clock and the monotonic clock that determine expiration.
  ///   - fetch: A function that fetches a credential. If it returns `nil` or throws, the request for a credential
  ///     fails. A ``CredentialError`` is passed on unchanged; of any other error, only the type is reported.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system,
    blocking fetch: @escaping @Sendable () throws -> Value?
  ) {
    self.init(
      BlockingCredentialProvider(source: source, fetch), configuration: configuration, events: events, time: time)
  }

  /// Creates a cache without a provider, for an app that sets its credentials with ``replace(with:)``.
  ///
  /// - Parameters:
  ///   - credential: The first credential, whose remaining lifetime is counted from now.
  ///   - configuration: The cache's times; the refresh margin determines when the observers learn that the credential
  ///     expires soon.
  ///   - events: The observers that receive the cache's events.
  ///   - time: The wall clock and the monotonic clock that determine expiration.
  public convenience init(
    _ credential: Value, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system
  ) {
    self.init(NoSource(), configuration: configuration, events: events, time: time)
    replace(with: credential)
  }

  /// The provider for a cache whose credentials are set by the app.
  ///
  /// The provider always throws an error.
  private struct NoSource: CredentialProvider {
    let source = "credential set by hand"

    func credential() async throws(CredentialError) -> Value {
      throw CredentialError(
        .rejected, source: source, "The credential expires or was rejected, and the cache has no provider for another.",
        remedy: "Set a new one with replace(with:), or create the cache with a provider.")
    }
  }
}
