// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential served by a cache, with its generation and the name of its source.
public struct CachedCredential<Value: Credential>: Sendable {
  /// The properties, allocated once, so that serving the credential costs one reference count.
  private final class Storage: Sendable {
    let credential: Value
    let generation: CredentialGeneration
    let source: String
    /// The uptime of the expiration, or `nil` if it is unknown or never.
    let expiration: Duration?

    init(credential: Value, generation: CredentialGeneration, source: String, expiration: Duration?) {
      self.credential = credential
      self.generation = generation
      self.source = source
      self.expiration = expiration
    }
  }

  /// The source of a credential that the app sets in the cache.
  static var manualSource: String { "credential set by hand" }

  private let storage: Storage

  init(credential: Value, generation: CredentialGeneration, source: String, expiration: Duration?) {
    storage = Storage(credential: credential, generation: generation, source: source, expiration: expiration)
  }

  /// The credential that the cache received from its source.
  public var credential: Value { storage.credential }
  /// The credential's generation, which the caller passes to the cache if the service rejects the credential.
  public var generation: CredentialGeneration { storage.generation }
  /// The name of the source that issued the credential.
  public var source: String { storage.source }

  /// Returns the credential as a provider's result, with the issuer's time that follows from the remaining lifetime.
  package func issued(at uptime: Duration) -> IssuedCredential<Value> {
    let issuerTime = storage.expiration.flatMap { credential.expiration?.advanced(by: uptime - $0) }
    return IssuedCredential(credential, issuerTime: issuerTime, source: source)
  }
}

/// The generation of a credential: each credential that a cache receives has a higher number than the previous one.
public struct CredentialGeneration: Sendable, Hashable, Comparable {
  let number: UInt64

  /// Returns whether the cache received the first generation's credential earlier.
  public static func < (first: CredentialGeneration, second: CredentialGeneration) -> Bool {
    first.number < second.number
  }
}

extension CredentialGeneration: CustomStringConvertible {
  /// The generation number in the format `#3`.
  public var description: String { "#\(number)" }
}
