// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization

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
  func shutdown() {
    cache.shutdown()
  }

  /// Returns a key with at least half of its lifetime remaining.
  func key() async throws(TokenServiceError) -> IssuedKey {
    do {
      let key = try await cache.credential(lasting: (clock.life ?? .zero) / 2).credential
      guard let end = key.expiration, key.sessionToken != nil else { throw TokenServiceError.permanentKey }
      return IssuedKey(key: key, date: clock.now, expiration: end)
    } catch let error as TokenServiceError {
      throw error
    } catch let error as CredentialError {
      throw .unavailable(error, after: error.isRetryable ? max(cache.remainingBackoff, .seconds(1)) : nil)
    } catch {
      throw .permanentKey
    }
  }
}

/// A credential provider that asks the store of issued keys, and records the issuer's clock and the lifetime of the
/// newest key.
final class IssuerClock: CredentialProvider {
  private let provider: any CredentialProvider<AccessKey>
  private let scope: TokenScope
  private let store: any IssuedKeyStore
  private let time: any SigningClock
  private let heard = Mutex(Heard())

  private struct Heard {
    /// The issuer's time when this machine's uptime was zero, or `nil` if no issuer time is known.
    var origin: Timestamp?
    /// The lifetime of the newest key when the issuer created it, or `nil` before the first key.
    var life: Duration?
  }

  var source: String { provider.source }

  init(
    _ provider: any CredentialProvider<AccessKey>, of scope: TokenScope, in store: any IssuedKeyStore,
    time: any SigningClock
  ) {
    self.provider = provider
    self.scope = scope
    self.store = store
    self.time = time
  }

  /// The current time according to the issuer's clock, or this machine's clock if the issuer's time is unknown.
  var now: Timestamp { heard.withLock { $0.origin }.map { $0.advanced(by: time.uptime) } ?? time.now }

  /// The lifetime of the newest key when the issuer created it, or `nil` before the first key.
  var life: Duration? { heard.withLock { $0.life } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let issued = try await store.key(for: scope) { [provider] () async throws(CredentialError) in
      try await provider.issue(in: context)
    }
    let date = issued.issuerTime ?? time.now
    heard.withLock { heard in
      heard.origin = issued.issuerTime?.advanced(by: .zero - time.uptime)
      heard.life = issued.lifetime ?? issued.credential.expiration.map { date.duration(to: $0) }
    }
    return issued
  }
}

/// A temporary key that a token service has issued to a caller.
public struct IssuedKey: Sendable, Equatable {
  /// The issued key, with its secret and its session token.
  public let key: AccessKey

  /// The time of the response according to the issuing cloud's clock.
  ///
  /// A device can measure the key's lifetime from this time, even if its own clock is wrong.
  public let date: Timestamp

  /// The expiration of the key according to the issuing cloud's clock.
  public let expiration: Timestamp
}
