// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A source of credentials.
///
/// A provider is a value that describes where credentials come from. Its method ``issue(in:)`` follows these rules:
///
/// - The environment, such as files and the network, is accessed only through the ``ProviderContext`` of the call.
/// - Each call fetches a credential; a ``CredentialCache`` caches it.
/// - The returned credential is valid now.
/// - The error ``CredentialError/Code/notConfigured`` lets a chain continue with the next provider; no other error does.
///
/// ```swift
/// struct Vault: CredentialProvider {
///   let source = "vault"
///   func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> { … }
/// }
/// ```
public protocol CredentialProvider<Value>: Sendable {
  /// The type of the credentials that the provider fetches.
  associatedtype Value: Credential

  /// The name of the credentials' source, for errors, events and reports; the name must not contain secrets.
  var source: String { get }

  /// Issues a credential, which the provider fetches from its source.
  ///
  /// A provider that receives the issuer's time returns it with the credential, so that a wrong clock on this machine
  /// neither shortens nor extends the credential's lifetime.
  ///
  /// - Parameter context: The environment, files, commands, network and clocks that the provider uses.
  /// - Returns: A credential that is valid when the method returns, with the issuer's time if it is known.
  /// - Throws: A ``CredentialError`` that specifies the source and the remedy.
  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value>
}

extension CredentialProvider {
  /// The default name of the credentials' source, which is the name of the provider's type.
  public var source: String { "\(Self.self)" }

  /// Issues a credential as ``issue(in:)`` does, and returns it alone.
  ///
  /// - Throws: The ``CredentialError`` of ``issue(in:)``.
  public func credential(in context: ProviderContext = .local) async throws(CredentialError) -> Value {
    try await issue(in: context).credential
  }

  /// Returns a provider that uses this provider always in one context.
  ///
  /// For example, the instance metadata provider of a chain must not use the proxy that the chain's other providers
  /// use: it is bound to a context whose transport connects directly.
  ///
  /// - Parameter context: The context that replaces the context of each call.
  public func bound(to context: ProviderContext) -> BoundCredentialProvider<Self> {
    BoundCredentialProvider(provider: self, context: context)
  }
}

/// A credential provider that uses another provider always in one context, whatever the context of the call.
///
/// The method ``CredentialProvider/bound(to:)`` creates it.
public struct BoundCredentialProvider<Base: CredentialProvider>: CredentialProvider {
  let provider: Base
  let context: ProviderContext

  /// The name of the other provider's source.
  public var source: String { provider.source }

  /// Issues a credential of the other provider, in the context that this provider is bound to, not in that of the call.
  ///
  /// - Throws: The ``CredentialError`` of the other provider.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Base.Value> {
    try await provider.issue(in: self.context)
  }
}

extension BoundCredentialProvider: Redacted {
  /// A description that contains the name of the other provider's source.
  public var description: String { "BoundCredentialProvider(\(source))" }
}
