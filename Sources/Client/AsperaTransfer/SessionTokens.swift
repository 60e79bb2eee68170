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

  /// Creates a cache of an issuer's tokens, each of which must remain valid for `margin` when an attempt uses it.
  init(
    issuer: SessionTokenProvider, margin: Duration, configuration: CredentialCacheConfiguration, events: EventHub,
    context: ProviderContext
  ) {
    self.issuer = issuer
    self.margin = margin
    cache = CredentialCache(issuer, in: context, configuration: configuration, events: events)
  }

  /// Creates a cache that contains a fixed token, which is used until it expires.
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

  /// Returns the cached grant with its issuance if it is new, or `nil` if there is none that is valid for long enough.
  func currentToken() -> (CachedCredential<TransferCredential>, TokenIssuance?)? {
    cache.current(lasting: margin).map { ($0, recordUse(of: $0)) }
  }

  /// Returns the signing date for a grant: `now`, but at most the grant's expiration minus the margin.
  ///
  /// The cache calculates a grant's remaining lifetime from its issuer's time. If the local clock indicates that a
  /// grant from the cache has expired, the local clock is wrong.
  func signingDate(for grant: TransferCredential, now: Timestamp) -> Timestamp {
    guard let expiration = grant.expiration else { return now }
    return min(now, expiration.advanced(by: .zero - max(margin, .seconds(1))))
  }

  /// The time for which no request may be sent to the issuer after a failure, or zero if a request may be sent now.
  var remainingBackoff: Duration { cache.remainingBackoff }

  /// Waits for a token that remains valid for the margin, and returns its issuance if it is a new one.
  func obtain(_ need: SessionMachine.TokenNeed) async throws(CredentialError) -> TokenIssuance? {
    issuer?.reason = need.reason
    let last = generation.withLock { $0 }
    let cached = try await cache.credential(lasting: margin, replacing: need.isRefused ? last : nil)
    return recordUse(of: cached)
  }

  func shutdown() { cache.shutdown() }

  /// Records the generation of the grant in use, which the server may reject.
  private func recordUse(of cached: CachedCredential<TransferCredential>) -> TokenIssuance? {
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
