// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential provider that tries several providers in order, and reports why each provider declined.
///
/// A provider that is not configured on this machine (`notConfigured`) is skipped. Any other error ends the search: a
/// provider that is configured but broken must not be replaced by another identity. The chain does not remember which
/// provider returned a credential: a ``CredentialCache`` in front of it rarely repeats the search.
///
/// ```swift
/// let chain = CredentialChain([EnvironmentCredentialProvider.oss, vault])
/// ```
public struct CredentialChain<Value: Credential>: CredentialProvider {
  /// The providers in the order in which the chain tries them.
  public let links: [any CredentialProvider<Value>]
  /// The name of the chain, for errors and events.
  public let source: String

  /// Creates a chain of credential providers; the parameters are the properties.
  public init(_ links: [any CredentialProvider<Value>], source: String = "chain") {
    self.links = links
    self.source = source
  }

  /// Returns the credential of the first configured provider in the chain, with the name of the provider's source.
  ///
  /// - Parameter context: The context, which is passed to each provider.
  /// - Throws: A ``CredentialError``: the error of the first provider that failed, or an error with the code
  ///   ``CredentialError/Code/notConfigured`` if no provider is configured. In both cases, ``CredentialError/declined``
  ///   lists the errors of the providers that were skipped.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    var declined: [CredentialError] = []
    for provider in links {
      do {
        let issued = try await provider.issue(in: context)
        return issued.with(source: issued.source ?? provider.source)
      } catch {
        guard error.code == .notConfigured else { throw error.adding(declined: declined) }
        declined.append(error)
      }
    }
    let (message, remedy) =
      switch links.count {
      case 0: ("The chain has no sources.", "Create the chain with at least one provider.")
      case 1: ("The only source has no credential.", "Configure it; its error says how.")
      default:
        ("None of the \(links.count) sources has a credential.", "Configure one of them; the error of each says how.")
      }
    throw CredentialError(.notConfigured, source: source, message, remedy: remedy, declined: declined)
  }
}

extension CredentialError {
  /// Returns a copy of the error that also lists the errors of the sources that were tried before its own.
  fileprivate func adding(declined earlierErrors: [CredentialError]) -> CredentialError {
    CredentialError(
      code, source: source, message, remedy: remedy, isRetryable: isRetryable, declined: earlierErrors + declined,
      underlying: underlying)
  }
}
