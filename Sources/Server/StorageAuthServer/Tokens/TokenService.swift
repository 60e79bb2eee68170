// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle

/// A service of an app that issues temporary keys, each with only the permissions that its holder needs.
///
/// - Keys are cached by scope: concurrent requests for a scope cause one request to the cloud, and the key is issued
///   again while enough of its lifetime remains.
/// - Each caller has a rate limit. Requests beyond it are refused before any other work, and affect no other caller.
/// - Every request adds an entry to the audit log.
///
/// Any number of instances can run behind a load balancer. They count rates and ask for keys separately, unless they
/// share a ``RateStore`` and an ``IssuedKeyStore``.
///
/// ```swift
/// let service = TokenService(audit: TokenAudit.log(to: logger), in: ProviderContext(transport: transport)) { scope in
///   AlibabaAssumeRoleProvider(
///     roleARN: role, sessionName: scope.name, credentials: keys, duration: scope.lifetime,
///     policy: try scope.policy.ramDocument())
/// }
/// ```
public final class TokenService: Sendable {
  /// The type of a closure that returns the credential provider for a scope.
  public typealias Source = @Sendable (TokenScope) throws -> any CredentialProvider<AccessKey>
  /// The hub that publishes events about the issued keys.
  public let events: EventHub
  private let source: Source
  private let rateLimiter: CallerRateLimiter
  private let keys: any IssuedKeyStore
  private let scopes: ScopeTable
  private let audit: @Sendable (TokenAudit) -> Void
  private let time: any SigningClock

  /// Creates a service that issues temporary keys.
  ///
  /// - Parameters:
  ///   - rate: The rate limit of each caller, or `nil` for no limit.
  ///   - rates: The store that counts the requests of callers.
  ///   - keys: The store that shares issued keys between instances.
  ///   - scopeLimit: The maximum number of scopes with cached keys. At the limit, the caller with the most scopes loses
  ///     its least recently used scopes.
  ///   - configuration: The refresh and timeout settings of the credential caches.
  ///   - events: The hub that publishes events about the issued keys.
  ///   - audit: A closure that receives an audit entry for each request. It must not block.
  ///   - context: The network, environment and files of the providers, and the clocks. The default has no network.
  ///   - source: A closure that returns the credential provider for a scope; its errors become those of the request.
  public init(
    rate: RateLimit? = .perMinute(60), rates: any RateStore = MemoryRateStore(),
    keys: any IssuedKeyStore = PassThroughKeyStore(), scopeLimit: Int = 10_000,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub(),
    audit: @escaping @Sendable (TokenAudit) -> Void = { _ in }, in context: ProviderContext = .local,
    source: @escaping Source
  ) {
    rateLimiter = CallerRateLimiter(limit: rate, store: rates, time: context.time)
    self.events = events
    self.audit = audit
    time = context.time
    self.source = source
    self.keys = keys
    scopes = ScopeTable(limit: scopeLimit) { scope, provider in
      ScopeKeys(provider, of: scope, in: keys, configuration: configuration, events: events, context: context)
    }
  }

  /// Returns a temporary key for a caller.
  ///
  /// - Parameter request: The caller and the scope that the app grants.
  /// - Returns: A key with at least half of its lifetime remaining, or with the whole lifetime that the cloud granted.
  /// - Throws: A ``TokenServiceError`` if the caller exceeds its rate limit, if the cloud's policy language cannot
  ///   express the scope, or if the cloud issues no temporary key.
  public func key(for request: KeyRequest) async throws(TokenServiceError) -> IssuedKey {
    do {
      let issued = try await issue(request)
      audit(request, .issued(id: issued.key.id.description, until: issued.expiration))
      return issued
    } catch {
      audit(request, .refused(error))
      throw error
    }
  }

  /// Removes the cached key for a scope, so that the scope's next caller receives a new key.
  ///
  /// Call it after the cloud has revoked a key, which the service would otherwise issue until half of its lifetime has
  /// passed. The key is removed from this instance and the shared store, but not from the memory of other instances.
  ///
  /// - Parameter scope: The scope whose key was revoked.
  /// - Throws: A ``StoreError`` if the shared store is out of reach; this instance has forgotten the key then.
  public func forget(_ scope: TokenScope) async throws(StoreError) {
    scopes.forget(scope)
    // A request may find the revoked key in the store, and cache it, until the store has forgotten it.
    defer { scopes.forget(scope) }
    try await keys.forget(scope)
  }

  /// Shuts the service down: cancels the requests to the cloud, and refuses all later requests for keys.
  public func shutdown() { scopes.shutdown() }

  private func issue(_ request: KeyRequest) async throws(TokenServiceError) -> IssuedKey {
    try await rateLimiter.applyLimit(to: request.caller)
    let scope = request.scope
    let keys = try scopes.keys(of: scope, for: request.caller) { () throws(TokenServiceError) in
      do {
        return try source(scope)
      } catch let error as CredentialError {
        throw .unavailable(error, after: nil)
      } catch {
        throw .scope("\(error)")
      }
    }
    return try await keys.key()
  }

  private func audit(_ request: KeyRequest, _ outcome: TokenAudit.Outcome) {
    audit(TokenAudit(date: time.now, caller: request.caller, subject: .key(request.scope), outcome: outcome))
  }
}

extension TokenService: Service {
  /// Issues keys until the shutdown, and then ends all requests to the cloud as ``shutdown()`` does.
  ///
  /// List the service before its application: a service group shuts its services down in reverse order, so that
  /// requests in progress still receive their keys.
  public func run() async {
    try? await gracefulShutdown()
    shutdown()
  }
}

/// A temporary key that a token service has issued to a caller.
public struct IssuedKey: Sendable, Equatable {
  /// The key with its secret and its session token.
  public let key: AccessKey
  /// The time of the response by the cloud's clock, from which a device with a wrong clock can measure the lifetime.
  public let date: Timestamp
  /// The expiration of the key by the cloud's clock.
  public let expiration: Timestamp
}
