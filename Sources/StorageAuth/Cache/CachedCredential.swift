// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The generation of a credential in its cache.
///
/// Each credential that a cache receives has a higher number than the one before.
public struct CredentialGeneration: Sendable, Hashable, Comparable {
  let number: UInt64

  /// Returns a Boolean value that indicates whether the cache received the first generation before the second.
  public static func < (first: CredentialGeneration, second: CredentialGeneration) -> Bool {
    first.number < second.number
  }
}

extension CredentialGeneration: CustomStringConvertible {
  /// The number, such as `#3`.
  public var description: String { "#\(number)" }
}

/// A credential as a cache serves it, with its generation and the name of its source.
public struct CachedCredential<Value: Credential>: Sendable {
  /// The properties, allocated once per credential, so that serving it costs one reference count.
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

  /// The credential.
  public var credential: Value { storage.credential }

  /// The credential's generation, to be passed to the cache when the service rejects the credential.
  public var generation: CredentialGeneration { storage.generation }

  /// The name of the source that issued the credential.
  public var source: String { storage.source }
}
