// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A credential served by a cache, with its generation and the name of its source.
public struct CachedCredential<Value: Credential>: Sendable {
  /// The properties of a cached credential, allocated once, so that serving the credential costs one reference count.
  private final class Storage: Sendable {
    let credential: Value
    let generation: CredentialGeneration
    let source: String

    init(_ credential: Value, _ generation: CredentialGeneration, _ source: String) {
      self.credential = credential
      self.generation = generation
      self.source = source
    }
  }

  private let storage: Storage

  init(credential: Value, generation: CredentialGeneration, source: String) {
    storage = Storage(credential, generation, source)
  }

  /// The credential that the cache received from its source.
  public var credential: Value { storage.credential }

  /// The credential's generation, which the caller passes to the cache if the service rejects the credential.
  public var generation: CredentialGeneration { storage.generation }

  /// The name of the source that issued the credential.
  public var source: String { storage.source }
}

/// The generation of a credential, which orders the credentials that a cache has received.
///
/// Each credential that a cache receives has a higher generation number than the previous credential.
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
