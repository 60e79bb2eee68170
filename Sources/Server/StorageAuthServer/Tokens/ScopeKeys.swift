// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The keys for one scope: a credential cache, and a record of the issuer's clock.
final class ScopeKeys: Sendable {
  private let cache: CredentialCache<AccessKey>
  private let clock: IssuerClock

  init(
    _ provider: any CredentialProvider<AccessKey>, of scope: TokenScope, in store: any IssuedKeyStore,
    configuration: CredentialCacheConfiguration, events: EventHub, context: ProviderContext
  ) {
    clock = IssuerClock(provider, of: scope, in: store, time: context.time)
    // A key is replaced after half of its lifetime, while a caller waits. Randomizing the first refresh would only add
    // requests to the cloud.
    var configuration = configuration
    configuration.spreadsFirstRenewal = false
    cache = CredentialCache(clock, in: context, configuration: configuration, events: events)
  }

  /// Cancels the request to the cloud in progress, and refuses all later requests for a key.
  func shutdown() { cache.shutdown() }

  /// Returns a key with at least half of its lifetime remaining.
  func key() async throws(TokenServiceError) -> IssuedKey {
    let key: AccessKey
    do throws(CredentialError) {
      key = try await cache.credential(lasting: (clock.lifetime ?? .zero) / 2).credential
    } catch {
      throw .unavailable(error, after: error.isRetryable ? max(cache.remainingBackoff, .seconds(1)) : nil)
    }
    guard let end = key.expiration, key.sessionToken != nil else { throw .permanentKey }
    return IssuedKey(key: key, date: clock.now, expiration: end)
  }
}
