internal import StorageAuth
internal import Synchronization

/// The keys of one scope: a cache, and the clock of who issues them.
final class ScopeKeys: Sendable {
  private let cache: CredentialCache<AccessKey>
  private let clock: IssuerClock

  init(
    _ provider: any CredentialProvider<AccessKey>, configuration: CredentialCacheConfiguration,
    events: AuthEvents, time: any SigningClock
  ) {
    clock = IssuerClock(provider, time: time)
    // A key is replaced at half of its life, and a caller waits for each: a random age would add questions to the cloud.
    var configuration = configuration
    configuration.spreadsFirstRenewal = false
    cache = CredentialCache(clock, configuration: configuration, events: events, time: time)
  }

  /// A key of which at least half of the life is left.
  func vend() async throws(TokenServiceError) -> VendedKey {
    do {
      let key = try await cache.credential(lasting: (clock.life ?? .zero) / 2).credential
      guard let end = key.expiration, key.sessionToken != nil else { throw TokenServiceError.permanentKey }
      return VendedKey(key: key, date: clock.now, expiration: end)
    } catch let error as TokenServiceError {
      throw error
    } catch let error as CredentialError {
      throw .unavailable(error, after: error.isRetryable ? max(cache.pause, .seconds(1)) : nil)
    } catch {
      throw .permanentKey
    }
  }
}

/// Hears the clock of the service that issues keys.
final class IssuerClock: CredentialProvider {
  private let provider: any CredentialProvider<AccessKey>
  private let time: any SigningClock
  private let heard = Mutex(Heard())

  private struct Heard {
    /// The issuer's time when this machine's uptime was zero.
    var origin: Timestamp?
    /// For how long the newest key was issued.
    var life: Duration?
  }

  var source: String { provider.source }

  init(_ provider: any CredentialProvider<AccessKey>, time: any SigningClock) {
    self.provider = provider
    self.time = time
  }

  /// The present by the issuer's clock; by this machine's, if the issuer has not said its own.
  var now: Timestamp { heard.withLock { $0.origin }.map { $0.advanced(by: time.uptime) } ?? time.now }

  /// For how long the newest key was issued; nothing if there was none yet.
  var life: Duration? { heard.withLock { $0.life } }

  func credential() async throws(CredentialError) -> AccessKey { try await issue().credential }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let issued = try await provider.issue()
    let date = issued.issuerTime ?? time.now
    heard.withLock { heard in
      heard.origin = issued.issuerTime?.advanced(by: .zero - time.uptime)
      heard.life = issued.credential.expiration.map { date.duration(to: $0) }
    }
    return issued
  }
}
