/// Where a credential comes from.
///
/// A provider may do I/O and holds whatever it needs for that. It answers with a credential that is valid now, or
/// throws: ``CredentialError/Code/notConfigured`` says "not mine, ask the next", anything else is a failure that a chain
/// must not paper over.
///
/// ```swift
/// struct Vault: CredentialProvider {
///   func credential() async throws(CredentialError) -> AccessKey { … }
/// }
/// ```
public protocol CredentialProvider<Value>: Sendable {
  /// The kind of credential.
  associatedtype Value: Credential

  /// Gets a credential.
  ///
  /// - Returns: A credential that is valid at the time of the answer.
  /// - Throws: A ``CredentialError`` that names the source and what to do.
  func credential() async throws(CredentialError) -> Value
}

/// A provider that always answers with the same credential.
public struct StaticCredentialProvider<Value: Credential>: CredentialProvider {
  private let value: Value

  /// Provides `value`.
  public init(_ value: Value) {
    self.value = value
  }

  /// The credential that was passed to the initializer.
  public func credential() async throws(CredentialError) -> Value { value }
}
