/// Which credential of a cache it is: each one that the cache gets has a higher number than the one before.
public struct CredentialGeneration: Sendable, Hashable, Comparable {
  let number: UInt64

  /// Whether one credential came before another.
  public static func < (first: CredentialGeneration, second: CredentialGeneration) -> Bool {
    first.number < second.number
  }
}

extension CredentialGeneration: CustomStringConvertible {
  /// The number, such as `#3`.
  public var description: String { "#\(number)" }
}

/// A credential as a cache hands it out.
public struct CachedCredential<Value: Credential>: Sendable {
  /// The parts, made once per credential, so that handing it out costs one reference.
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

  /// Which one of the cache's it is; said to the cache when the service rejects the credential.
  public var generation: CredentialGeneration { storage.generation }

  /// The name of the source that gave it.
  public var source: String { storage.source }
}
