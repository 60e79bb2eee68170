/// Asks one source after the other, and says why each of them declined.
///
/// A source that has nothing to offer here (`notConfigured`) is passed over. Any other error ends the search: a source
/// that is set up but broken must not be replaced by somebody else's identity. The chain does not remember which source
/// answered; it is asked rarely, because a ``CredentialCache`` stands before it.
///
/// ```swift
/// let chain = CredentialChain([EnvironmentCredentialProvider.oss, vault])
/// ```
public struct CredentialChain<Value: Credential>: CredentialProvider {
  /// The sources, in the order in which they are asked.
  public let links: [any CredentialProvider<Value>]

  /// The name of the chain.
  public let source: String

  /// Makes a chain.
  ///
  /// - Parameters:
  ///   - links: The sources, in the order in which they are asked.
  ///   - source: The name of the chain.
  public init(_ links: [any CredentialProvider<Value>], source: String = "chain") {
    self.links = links
    self.source = source
  }

  /// The credential of the first source that has one.
  ///
  /// - Throws: A ``CredentialError``; its `declined` lists what each source before said.
  public func credential() async throws(CredentialError) -> Value {
    try await issue().credential
  }

  /// The credential of the first source that has one, with the name of that source.
  ///
  /// - Throws: A ``CredentialError``; its `declined` lists what each source before said.
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
      Self.message(links.count), remedy: "Set one of them up; each says how.", declined: declined)
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
  /// The same error, with what other sources said before.
  fileprivate func adding(_ others: [CredentialError]) -> CredentialError {
    CredentialError(
      code, source: source, message, remedy: remedy, isRetryable: isRetryable, declined: others + declined)
  }
}
