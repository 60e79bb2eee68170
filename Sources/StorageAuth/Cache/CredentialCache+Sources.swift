// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension CredentialCache {
  /// Creates a cache that fetches its credentials with an asynchronous function.
  ///
  /// The function runs on a separate task, never on the caller's actor.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors and events.
  ///   - configuration: The times at which the function is called, and its timeout.
  ///   - events: The destination of the cache's events.
  ///   - time: The clocks.
  ///   - fetch: A function that fetches a credential. Returning `nil` is an error, and so is an error that it throws: a
  ///     ``CredentialError`` is passed on unchanged; of any other error only the type is reported.
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
  ///   - source: The name of the source, for errors and events.
  ///   - configuration: The times at which the function is called, and its timeout.
  ///   - events: The destination of the cache's events.
  ///   - time: The clocks.
  ///   - fetch: A function that fetches a credential. Returning `nil` is an error, and so is an error that it throws: a
  ///     ``CredentialError`` is passed on unchanged; of any other error only the type is reported.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system,
    blocking fetch: @escaping @Sendable () throws -> Value?
  ) {
    self.init(
      BlockingCredentialProvider(source: source, fetch), configuration: configuration, events: events, time: time)
  }

  /// Creates a cache without a provider, for a credential that the app sets now and replaces with ``replace(with:)``.
  ///
  /// - Parameters:
  ///   - credential: The credential; its lifetime is counted from now.
  ///   - configuration: The time before the expiration at which the observers are notified of it.
  ///   - events: The destination of the cache's events.
  ///   - time: The clocks.
  public convenience init(
    _ credential: Value, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system
  ) {
    self.init(NoSource(), configuration: configuration, events: events, time: time)
    replace(with: credential)
  }

  /// The provider of a cache whose credentials are set by the app; it always throws.
  private struct NoSource: CredentialProvider {
    let source = "credential set by hand"

    func credential() async throws(CredentialError) -> Value {
      throw CredentialError(
        .rejected, source: source, "The credential expires or was rejected, and the cache has no provider for another.",
        remedy: "Set a new one with replace(with:), or create the cache with a provider.")
    }
  }
}
