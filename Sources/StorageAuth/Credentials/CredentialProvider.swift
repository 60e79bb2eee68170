/// Where a credential comes from.
///
/// A provider may do I/O and holds whatever it needs for that. It answers with a credential that is valid now, or
/// throws: ``CredentialError/Code/notConfigured`` says "not mine, ask the next", anything else is a failure that a chain
/// must not paper over. It asks each time that it is called: keeping a credential is what a ``CredentialCache`` does.
///
/// ```swift
/// struct Vault: CredentialProvider {
///   let source = "vault"
///   func credential() async throws(CredentialError) -> AccessKey { … }
/// }
/// ```
public protocol CredentialProvider<Value>: Sendable {
  /// The kind of credential.
  associatedtype Value: Credential

  /// The name of the source, for errors, events and reports; without secrets.
  var source: String { get }

  /// Gets a credential.
  ///
  /// - Returns: A credential that is valid at the time of the answer.
  /// - Throws: A ``CredentialError`` that names the source and what to do.
  func credential() async throws(CredentialError) -> Value

  /// Gets a credential, and what its issuer's clock said.
  ///
  /// A provider that hears the issuer's time implements this, so that a wrong clock here neither shortens nor lengthens
  /// the life of the credential. The others need not: they get it from ``credential()``.
  ///
  /// - Returns: A credential that is valid at the time of the answer.
  /// - Throws: A ``CredentialError`` that names the source and what to do.
  func issue() async throws(CredentialError) -> IssuedCredential<Value>
}

extension CredentialProvider {
  /// The name of the type.
  public var source: String { "\(Self.self)" }

  /// The credential; the issuer's time is not known.
  public func issue() async throws(CredentialError) -> IssuedCredential<Value> {
    IssuedCredential(try await credential())
  }
}

/// A credential with what is known about how it was issued.
public struct IssuedCredential<Value: Credential>: Sendable {
  /// The credential.
  public let credential: Value

  /// The time by the issuer's clock when it answered; nothing if it did not say.
  public let issuerTime: Timestamp?

  /// The name of the source; nothing if it is the provider that was asked.
  public let source: String?

  /// Puts an answer together; for providers.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - issuerTime: The time by the issuer's clock when it answered.
  ///   - source: The name of the source, where a provider asks several.
  public init(_ credential: Value, issuerTime: Timestamp? = nil, source: String? = nil) {
    self.credential = credential
    self.issuerTime = issuerTime
    self.source = source
  }
}

/// A provider that always answers with the same credential.
public struct StaticCredentialProvider<Value: Credential>: CredentialProvider {
  private let value: Value

  /// The name of the source.
  public let source: String

  /// Provides `value`.
  ///
  /// - Parameters:
  ///   - value: The credential.
  ///   - source: The name of the source.
  public init(_ value: Value, source: String = "fixed credential") {
    self.value = value
    self.source = source
  }

  /// The credential that was passed to the initializer.
  public func credential() async throws(CredentialError) -> Value { value }
}
