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
  /// The credential.
  public let credential: Value

  /// Which one of the cache's it is; said to the cache when the service rejects the credential.
  public let generation: CredentialGeneration

  /// The name of the source that gave it.
  public let source: String
}
