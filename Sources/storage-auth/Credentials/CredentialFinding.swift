// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth
internal import StorageClient
internal import Synchronization

/// The result of trying the sources of a chain: the key or the error, the sources that declined, and the warnings.
struct CredentialFinding {
  /// The name of the chain.
  let chain: String

  /// The answer of the source that provided a key, or the error that ended the search.
  let result: Result<Answer, CredentialError>

  /// The reasons for which the sources before it declined.
  let declined: [CredentialError]

  /// The warnings about files and settings that the user should correct.
  let warnings: [CredentialWarning]

  /// A key, its source and its lifetime.
  struct Answer {
    let source: String
    let key: AccessKey

    /// The remaining lifetime of the key by its issuer's clock if that is known, or `nil` for a permanent key.
    let life: Duration?
  }

  /// Tries the sources in order.
  ///
  /// - Parameter makeChain: A function that creates the chain for a machine that forwards warnings.
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

/// A source that records the reason for which it declines.
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

/// The errors and warnings that were recorded while the chain was tried.
private final class WalkLog: Sendable {
  private let notes = Mutex((declined: [CredentialError](), warnings: [CredentialWarning]()))

  var declined: [CredentialError] { notes.withLock { $0.declined } }

  /// The warnings, without duplicates.
  var warnings: [CredentialWarning] { notes.withLock { $0.warnings } }

  func add(_ error: CredentialError) {
    notes.withLock { $0.declined.append(error) }
  }

  func add(_ warning: CredentialWarning) {
    notes.withLock { if !$0.warnings.contains(warning) { $0.warnings.append(warning) } }
  }
}
