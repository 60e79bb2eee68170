// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The token cache for one activation of a session, which has a token issuer or a fixed token.
///
/// There is at most one request at a time, none for some time after a failure, and one for each rejected token.
final class SessionTokens: Sendable {
  private let cache: CredentialCache<TransferCredential>
  /// The provider of the issuer's tokens, or `nil` if the token is fixed.
  private let provider: SessionTokenProvider?
  /// The time for which a token must remain valid when an attempt uses it.
  private let margin: Duration
  /// The generation of the credential that the last attempt used, which the server may reject.
  private let usedGeneration = Lock<CredentialGeneration?>(nil)

  init(
    _ provider: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: EventHub,
    context: ProviderContext
  ) {
    self.provider = provider
    self.margin = margin
    cache = CredentialCache(provider, in: context, configuration: configuration, events: events)
  }

  init(
    _ fixedCredential: TransferCredential, configuration: CredentialCacheConfiguration, events: EventHub,
    time: any SigningClock
  ) {
    provider = nil
    margin = .zero
    // The app has no use for an event before the expiration: a fixed token cannot be refreshed.
    var configuration = configuration
    configuration.refreshMargin = .zero
    cache = CredentialCache(fixedCredential, configuration: configuration, events: events, time: time)
  }

  /// Returns the cached credential, with its issuance if it is new, or `nil` if none remains valid for the margin.
  func currentCredential() -> (CachedCredential<TransferCredential>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, recordUse(of: $0)) }
  }

  /// Returns the signing date for a credential: `now`, but at most the credential's expiration minus the margin.
  ///
  /// The cache calculates a credential's remaining lifetime from its issuer's time. If the local clock indicates that a
  /// credential from the cache has expired, the local clock is wrong.
  func signingDate(for credential: TransferCredential, now: Timestamp) -> Timestamp {
    guard let expiration = credential.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  var remainingBackoff: Duration { cache.remainingBackoff }

  /// Waits for a token that remains valid for the margin, and returns its issuance if it is a new one.
  func obtainToken(_ need: SessionMachine.TokenNeed) async throws(CredentialError) -> TokenIssuance? {
    provider?.nextReason = need.reason
    let rejectedGeneration = need.isRejected ? usedGeneration.withLock { $0 } : nil
    return recordUse(of: try await cache.credential(lasting: margin, replacing: rejectedGeneration))
  }

  func shutdown() { cache.shutdown() }

  /// Records that an attempt uses a credential, and returns its issuance if the previous attempt used another one.
  private func recordUse(of cached: CachedCredential<TransferCredential>) -> TokenIssuance? {
    let isNew = usedGeneration.withLock { generation in
      defer { generation = cached.generation }
      return generation != cached.generation
    }
    guard isNew, let request = provider?.lastRequest else { return nil }
    return TokenIssuance(
      source: cached.source, kind: cached.credential.token?.kind, expiration: cached.credential.expiration,
      reason: request.reason, attempt: request.attempt)
  }
}

/// A provider that requests a session's tokens from an issuer, with a reason for each request.
final class SessionTokenProvider: CredentialProvider {
  private struct RequestLog {
    var nextReason = TokenRequest.Reason.initial
    var lastRequest: TokenRequest?
    var requestCount = 0
  }

  private let issuer: any TokenIssuer
  private let sessionID: String
  private let specification: TransferSpec
  private let log: Lock<RequestLog>

  /// Creates a provider for a session that has requested `requestCount` tokens; the specification has no secrets.
  init(issuer: any TokenIssuer, sessionID: String, specification: TransferSpec, requestCount: Int) {
    self.issuer = issuer
    self.sessionID = sessionID
    self.specification = specification
    log = Lock(RequestLog(requestCount: requestCount))
  }

  var source: String { issuer.source }

  var nextReason: TokenRequest.Reason {
    get { log.withLock { $0.nextReason } }
    set { log.withLock { $0.nextReason = newValue } }
  }

  var lastRequest: TokenRequest? { log.withLock { $0.lastRequest } }
  var requestCount: Int { log.withLock { $0.requestCount } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let request = log.withLock { log in
      log.requestCount += 1
      let request = TokenRequest(
        session: sessionID, specification: specification, reason: log.nextReason, attempt: log.requestCount)
      log.lastRequest = request
      // The cache requests another token by itself only when this one expires.
      log.nextReason = .expired
      return request
    }
    return try await issuer.issue(for: request, in: context)
  }
}
