// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The tokens of one activation of a session, cached from its issuer or from its fixed token.
///
/// The cache has at most one request to the issuer in flight, pauses after the issuer failed, and refreshes a token
/// that the server rejected exactly once.
final class SessionTokens: Sendable {
  private let cache: CredentialCache<TransferGrant>
  private let issuer: SessionTokenProvider?
  private let margin: Duration
  private let generation = Lock<CredentialGeneration?>(nil)

  /// Creates a cache of an issuer's tokens, which must remain valid for at least `margin` when an attempt uses them.
  init(
    issuer: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: AuthEvents,
    time: any SigningClock
  ) {
    self.issuer = issuer
    self.margin = margin
    cache = CredentialCache(issuer, configuration: configuration, events: events, time: time)
  }

  /// Creates a cache of a fixed token, which is used until its expiration, or indefinitely if that is not known.
  init(
    fixed grant: TransferGrant, configuration: CredentialCacheConfiguration, events: AuthEvents, time: any SigningClock
  ) {
    issuer = nil
    margin = .zero
    cache = CredentialCache(grant, configuration: configuration, events: events, time: time)
  }

  /// Returns the cached grant for the attempt that begins, if it remains valid for the margin and was not rejected.
  ///
  /// - Returns: The cached grant, and its issuance if it is a new one; `nil` if no cached grant is usable.
  func use() -> (CachedCredential<TransferGrant>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, note($0)) }
  }

  /// Returns the signing date for a grant: `now`, but at most the grant's expiration minus the margin.
  ///
  /// The cache measures a grant's remaining lifetime from its issuer's time. If the local wall clock says that a grant
  /// from the cache has expired, the wall clock is wrong.
  func date(for grant: TransferGrant, now: Timestamp) -> Timestamp {
    guard let expiration = grant.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  /// The time for which no request may be sent to the issuer after a failure; zero if a request may be sent now.
  var pause: Duration { cache.pause }

  /// Returns when the cache has a token that remains valid for the margin, requesting one if necessary.
  ///
  /// - Returns: The issuance, if the token is another one than before.
  /// - Throws: The issuer's `CredentialError`.
  func obtain(_ need: SessionMachine.Need) async throws(CredentialError) -> TokenIssuance? {
    issuer?.reason = need.reason
    let last = generation.withLock { $0 }
    let cached = try await cache.credential(lasting: margin, replacing: need.isRefused ? last : nil)
    return note(cached)
  }

  /// Cancels the in-flight request and discards the token.
  func shutdown() { cache.shutdown() }

  /// Remembers the generation of the grant in use, which is the one that the server may reject.
  private func note(_ cached: CachedCredential<TransferGrant>) -> TokenIssuance? {
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

/// A provider that requests the tokens of one session from an issuer, with the reason of each request.
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

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - issuer: The issuer to request tokens from.
  ///   - session: The id of the session.
  ///   - specification: The transfer, without secrets.
  ///   - attempts: The number of tokens that were requested in this session before.
  init(issuer: any TokenIssuer, session: String, specification: TransferSpec, attempts: Int) {
    self.issuer = issuer
    self.session = session
    self.specification = specification
    state = Lock(State(attempts: attempts))
  }

  var source: String { issuer.source }

  /// The reason of the next request; each request resets it to `expired`.
  var reason: TokenRequest.Reason {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// The most recent request.
  var lastRequest: TokenRequest? { state.withLock { $0.last } }

  /// The number of tokens that were requested in this session.
  var attempts: Int { state.withLock { $0.attempts } }

  func credential() async throws(CredentialError) -> TransferGrant {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let request = state.withLock { state in
      state.attempts += 1
      let request = TokenRequest(
        session: session, specification: specification, reason: state.reason, attempt: state.attempts)
      state.last = request
      state.reason = .expired
      return request
    }
    return try await issuer.issue(for: request)
  }
}
