/// The service of an app that hands out temporary keys, each for as little as its holder needs.
///
/// - Keys are kept by scope: however many callers of a scope ask at once, the cloud is asked once, and the key is handed
///   out again while it lives long enough.
/// - Each caller has a rate. A caller over it costs nobody else anything: it is refused before anything is asked.
/// - Every request leaves a line in the audit log.
///
/// It keeps nothing that another instance would need, so that any number of them can run behind a load balancer; rates are
/// counted by each of them, unless they share a ``RateStore``.
///
/// ```swift
/// let service = TokenService(audit: TokenAudit.log(to: logger)) { scope in
///   AlibabaAssumeRoleProvider(
///     roleARN: role, sessionName: scope.name, credentials: keys, duration: scope.lifetime,
///     policy: try scope.policy.ramDocument(),
///     transport: transport)
/// }
/// ```
public final class TokenService: Sendable {
  /// Gives the source of the keys of a scope.
  public typealias Source = @Sendable (TokenScope) throws -> any CredentialProvider<AccessKey>

  /// Where what happens to the keys is told.
  public let events: AuthEvents

  private let source: Source
  private let rates: CallerRates
  private let scopes: ScopeTable
  private let audit: @Sendable (TokenAudit) -> Void
  private let time: any SigningClock

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - rate: How often a caller may ask; nothing for no limit.
  ///   - rates: Where it is counted how often callers asked.
  ///   - scopeLimit: For how many scopes keys are kept; the caller with the most gives up
  ///     those that were asked for longest ago.
  ///   - configuration: When keys are renewed, and how long the cloud may take.
  ///   - events: Where what happens to the keys is told.
  ///   - audit: Is told who asked for what, and what came of it; it must not block.
  ///   - time: The clocks.
  ///   - source: Gives the source of the keys of a scope; what it throws is the error of the request.
  public init(
    rate: RateLimit? = .perMinute(60), rates: any RateStore = MemoryRateStore(), scopeLimit: Int = 10_000,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: AuthEvents = AuthEvents(),
    audit: @escaping @Sendable (TokenAudit) -> Void = { _ in }, time: any SigningClock = .system,
    source: @escaping Source
  ) {
    self.rates = CallerRates(limit: rate, store: rates, time: time)
    self.events = events
    self.audit = audit
    self.time = time
    self.source = source
    scopes = ScopeTable(limit: scopeLimit, configuration: configuration, events: events, time: time)
  }

  /// A key for a caller.
  ///
  /// - Parameter order: Who asks, and what the app lets them have.
  /// - Returns: The key; at least half of its life is left, or all that the cloud gave.
  /// - Throws: A ``TokenServiceError``.
  public func key(for order: KeyRequest) async throws(TokenServiceError) -> VendedKey {
    do {
      let vended = try await vend(order)
      audit(order, .vended(id: vended.key.id.description, until: vended.expiration))
      return vended
    } catch {
      audit(order, .refused(error))
      throw error
    }
  }

  /// Forgets the key of a scope, so that the next caller of it gets another one.
  ///
  /// For keys that the cloud took back before their end: they would be handed out until half of their life is over.
  public func forget(_ scope: TokenScope) {
    scopes.forget(scope)
  }

  private func vend(_ order: KeyRequest) async throws(TokenServiceError) -> VendedKey {
    try await rates.take(order.caller)
    let scope = order.scope
    let keys = try scopes.keys(of: scope, for: order.caller) { () throws(TokenServiceError) in
      do {
        return try source(scope)
      } catch let error as CredentialError {
        throw .unavailable(error, after: nil)
      } catch {
        throw .scope("\(error)")
      }
    }
    return try await keys.vend()
  }

  private func audit(_ order: KeyRequest, _ outcome: TokenAudit.Outcome) {
    audit(TokenAudit(date: time.now, caller: order.caller, subject: .key(order.scope), outcome: outcome))
  }
}
