// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A provider that tries several providers in order, and reports why each of them declined.
///
/// A provider that is not configured on this machine (`notConfigured`) is skipped. Any other error ends the search: a
/// provider that is configured but broken must not be replaced by another identity. The chain does not remember which
/// provider returned a credential; it is called rarely, because a ``CredentialCache`` is in front of it.
///
/// ```swift
/// let chain = CredentialChain([EnvironmentCredentialProvider.oss, vault])
/// ```
public struct CredentialChain<Value: Credential>: CredentialProvider {
  /// The providers, in the order in which they are tried.
  public let links: [any CredentialProvider<Value>]

  /// The name of the chain.
  public let source: String

  /// Creates a chain.
  ///
  /// - Parameters:
  ///   - links: The providers, in the order in which they are tried.
  ///   - source: The name of the chain.
  public init(_ links: [any CredentialProvider<Value>], source: String = "chain") {
    self.links = links
    self.source = source
  }

  /// Returns the credential of the first provider that has one.
  ///
  /// - Throws: A ``CredentialError``: that of the first provider that failed, or one with the code
  ///   ``CredentialError/Code/notConfigured`` if no provider is configured. Its ``CredentialError/declined`` lists the
  ///   errors of the providers that were skipped.
  public func credential() async throws(CredentialError) -> Value {
    try await issue().credential
  }

  /// Returns the credential of the first provider that has one, with the name of that provider's source.
  ///
  /// - Throws: A ``CredentialError``: that of the first provider that failed, or one with the code
  ///   ``CredentialError/Code/notConfigured`` if no provider is configured. Its ``CredentialError/declined`` lists the
  ///   errors of the providers that were skipped.
  public func issue() async throws(CredentialError) -> IssuedCredential<Value> {
    var declined: [CredentialError] = []
    for link in links {
      do {
        let issued = try await link.issue()
        return IssuedCredential(
          issued.credential, issuerTime: issued.issuerTime, source: issued.source ?? link.source)
      } catch {
        guard error.code == .notConfigured else { throw error.adding(declined) }
        declined.append(error)
      }
    }
    throw CredentialError(
      .notConfigured, source: source,
      Self.message(links.count), remedy: "Configure one of them; the error of each says how.", declined: declined)
  }

  private static func message(_ count: Int) -> String {
    switch count {
    case 0: "The chain has no sources."
    case 1: "The only source has no credential."
    default: "None of the \(count) sources has a credential."
    }
  }
}

extension CredentialError {
  /// Returns the same error, with the errors of the providers that were tried before added to those that declined.
  fileprivate func adding(_ others: [CredentialError]) -> CredentialError {
    CredentialError(
      code, source: source, message, remedy: remedy, isRetryable: isRetryable, declined: others + declined)
  }
}
