internal import CloudCredentials
internal import StorageAuth
internal import StorageClient
internal import Synchronization

/// What walking a chain of sources found: who answered, who declined and why, and what should be put right.
struct CredentialFinding {
  /// The name of the chain.
  let chain: String

  /// Who answered, and with what; or the error that ended the search.
  let result: Result<Answer, CredentialError>

  /// Why each of the sources before declined.
  let declined: [CredentialError]

  /// What should be put right.
  let warnings: [CredentialWarning]

  /// A key and what is known about it.
  struct Answer {
    let source: String
    let key: AccessKey

    /// How long the key lives on, by its issuer's clock where that is known; nothing for a permanent key.
    let life: Duration?
  }

  /// Asks one source after the other.
  ///
  /// - Parameter makeChain: Makes the chain over a machine that hands warnings on.
  init(walking makeChain: (ProviderContext) -> CredentialChain<AccessKey>) async {
    let log = WalkLog()
    let chain = makeChain(.commandLine { log.add($0) })
    let watched = CredentialChain(chain.links.map { WatchedSource(base: $0, log: log) }, source: chain.source)
    do throws(CredentialError) {
      let issued = try await watched.issue()
      let now = issued.issuerTime ?? .now
      result = .success(
        Answer(
          source: issued.source ?? chain.source, key: issued.credential,
          life: issued.credential.expiration.map { now.duration(to: $0) }))
    } catch {
      result = .failure(error)
    }
    self.chain = chain.source
    declined = log.declined
    warnings = log.warnings
  }
}

/// A source that notes why it declines.
private struct WatchedSource: CredentialProvider {
  let base: any CredentialProvider<AccessKey>
  let log: WalkLog

  var source: String { base.source }

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    do throws(CredentialError) {
      return try await base.issue()
    } catch {
      if error.code == .notConfigured { log.add(error) }
      throw error
    }
  }
}

/// What was noted on the way along a chain.
private final class WalkLog: Sendable {
  private let notes = Mutex((declined: [CredentialError](), warnings: [CredentialWarning]()))

  var declined: [CredentialError] { notes.withLock { $0.declined } }

  /// The warnings, each once.
  var warnings: [CredentialWarning] { notes.withLock { $0.warnings } }

  func add(_ error: CredentialError) {
    notes.withLock { $0.declined.append(error) }
  }

  func add(_ warning: CredentialWarning) {
    notes.withLock { if !$0.warnings.contains(warning) { $0.warnings.append(warning) } }
  }
}
