// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The token cache for one activation of a session, which has a token issuer or a fixed token.
///
/// The cache has at most one in-flight request to the issuer, sends no requests for some time after the issuer failed,
/// and refreshes a rejected token exactly once.
final class SessionTokens: Sendable {
  private let cache: CredentialCache<TransferCredential>
  private let issuer: SessionTokenProvider?
  private let margin: Duration
  private let generation = Lock<CredentialGeneration?>(nil)

  /// Creates a cache of an issuer's tokens.
  ///
  /// A token must remain valid for at least `margin` when an attempt uses it.
  init(
    issuer: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: EventHub,
    context: ProviderContext
  ) {
    self.issuer = issuer
    self.margin = margin
    cache = CredentialCache(issuer, in: context, configuration: configuration, events: events)
  }

  /// Creates a cache that contains a fixed token.
  ///
  /// The token is used until it expires, or indefinitely if its expiration is unknown.
  init(
    fixed grant: TransferCredential, configuration: CredentialCacheConfiguration, events: EventHub,
    time: any SigningClock
  ) {
    issuer = nil
    margin = .zero
    // The app has no use for an announcement: a fixed token cannot be replaced.
    var configuration = configuration
    configuration.refreshMargin = .zero
    cache = CredentialCache(grant, configuration: configuration, events: events, time: time)
  }

  /// Returns the cached grant for the attempt that is about to start.
  ///
  /// - Returns: The cached grant, with its issuance if the grant is new. `nil` if no grant is cached, or if the cached
  ///   grant was rejected or expires too soon.
  func use() -> (CachedCredential<TransferCredential>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, note($0)) }
  }

  /// Returns the signing date for a grant: `now`, but at most the grant's expiration minus the margin.
  ///
  /// The cache calculates a grant's remaining lifetime from its issuer's time. If the local clock indicates that a
  /// grant from the cache has expired, the local clock is wrong.
  func date(for grant: TransferCredential, now: Timestamp) -> Timestamp {
    guard let expiration = grant.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  /// The time for which no request may be sent to the issuer after a failure, or zero if a request may be sent now.
  var remainingBackoff: Duration { cache.remainingBackoff }

  /// Waits until the cache has a token that remains valid for the margin, requesting a token if necessary.
  ///
  /// - Returns: The issuance of the token, or `nil` if the token is the same as before.
  /// - Throws: The issuer's `CredentialError`.
  func obtain(_ need: SessionMachine.Need) async throws(CredentialError) -> TokenIssuance? {
    issuer?.reason = need.reason
    let last = generation.withLock { $0 }
    let cached = try await cache.credential(lasting: margin, replacing: need.isRefused ? last : nil)
    return note(cached)
  }

  /// Cancels the in-flight request to the issuer, and discards the token.
  func shutdown() { cache.shutdown() }

  /// Records the generation of the grant in use, which the server may reject.
  private func note(_ cached: CachedCredential<TransferCredential>) -> TokenIssuance? {
    let isNew = generation.withLock { generation in
      defer { generation = cached.generation }
      return generation != cached.generation
    }
    guard isNew, let request = issuer?.lastRequest else { return nil }
    return TokenIssuance(
      source: cached.source, kind: cached.credential.token?.kind, expiration: cached.credential.expiration,
      reason: request.reason, attempt: request.attempt)
  }
}

/// A credential provider that requests a session's tokens from an issuer, with a reason for each request.
final class SessionTokenProvider: CredentialProvider {
  private struct State {
    var reason = TokenRequest.Reason.initial
    var last: TokenRequest?
    var attempts = 0
  }

  private let issuer: any TokenIssuer
  private let session: String
  private let specification: TransferSpec
  private let state: Lock<State>

  /// Creates a provider of tokens for a session.
  ///
  /// - Parameters:
  ///   - issuer: The issuer from which tokens are requested.
  ///   - session: The session ID.
  ///   - specification: The transfer specification, without secrets.
  ///   - attempts: The number of tokens that have already been requested for this session.
  init(issuer: any TokenIssuer, session: String, specification: TransferSpec, attempts: Int) {
    self.issuer = issuer
    self.session = session
    self.specification = specification
    state = Lock(State(attempts: attempts))
  }

  var source: String { issuer.source }

  /// The reason for the next token request, after which the reason is reset to `expired`.
  var reason: TokenRequest.Reason {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// The most recent token request, or `nil` if there was no request.
  var lastRequest: TokenRequest? { state.withLock { $0.last } }

  /// The number of tokens that have been requested for this session.
  var attempts: Int { state.withLock { $0.attempts } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let request = state.withLock { state in
      state.attempts += 1
      let request = TokenRequest(
        session: session, specification: specification, reason: state.reason, attempt: state.attempts)
      state.last = request
      state.reason = .expired
      return request
    }
    return try await issuer.issue(for: request, in: context)
  }
}
