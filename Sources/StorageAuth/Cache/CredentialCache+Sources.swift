extension CredentialCache {
  /// Makes a cache over a function.
  ///
  /// The function runs on a task of its own, never on the caller's actor.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors and events.
  ///   - configuration: When it is called, and how long it may take.
  ///   - events: Where what happens is told.
  ///   - time: The clocks.
  ///   - fetch: Gets a credential. Nothing is an error, and so is whatever it throws; a ``CredentialError`` is passed on
  ///     as it is, of other errors only the type is shown.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system,
    _ fetch: @escaping @Sendable @concurrent () async throws -> Value?
  ) {
    self.init(
      ClosureCredentialProvider(source: source, fetch), configuration: configuration, events: events, time: time)
  }

  /// Makes a cache over a function that blocks.
  ///
  /// The function runs on a thread of its own, never on the main one, and never twice at once.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors and events.
  ///   - configuration: When it is called, and how long it may take.
  ///   - events: Where what happens is told.
  ///   - time: The clocks.
  ///   - fetch: Gets a credential. Nothing is an error, and so is whatever it throws; a ``CredentialError`` is passed on
  ///     as it is, of other errors only the type is shown.
  public convenience init(
    source: String, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system,
    blocking fetch: @escaping @Sendable () throws -> Value?
  ) {
    self.init(
      BlockingCredentialProvider(source: source, fetch), configuration: configuration, events: events, time: time)
  }

  /// Makes a cache without a source: a credential that is set by hand, now and later with ``replace(with:)``.
  ///
  /// - Parameters:
  ///   - credential: The credential; its life counts from now.
  ///   - configuration: When a warning that it ends is told to the observers.
  ///   - events: Where what happens is told.
  ///   - time: The clocks.
  public convenience init(
    _ credential: Value, configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(),
    events: AuthEvents = AuthEvents(), time: any SigningClock = .system
  ) {
    self.init(NoSource(), configuration: configuration, events: events, time: time)
    replace(with: credential)
  }

  /// Stands where credentials are set by hand.
  private struct NoSource: CredentialProvider {
    let source = "credential set by hand"

    func credential() async throws(CredentialError) -> Value {
      throw CredentialError(
        .rejected, source: source, "It ends or was rejected, and there is no source for another.",
        remedy: "Put a new one in with replace(with:), or make the cache over a source.")
    }
  }
}
