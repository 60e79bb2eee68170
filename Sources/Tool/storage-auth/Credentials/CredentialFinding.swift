// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth
internal import StorageClient
internal import Synchronization

/// The result of searching a chain of credential sources for a key.
///
/// It consists of the key or the error, the sources that declined, and the warnings.
struct CredentialFinding {
  /// The name of the chain that was searched.
  let chain: String

  /// The key with its source, or the error that ended the search.
  let result: Result<Answer, CredentialError>

  /// The errors with which the sources before the final one declined.
  let declined: [CredentialError]

  /// The warnings about files and settings that the user should correct.
  let warnings: [CredentialWarning]

  /// A key that was found, with its source and its remaining lifetime.
  struct Answer {
    let source: String
    let key: AccessKey

    /// The key's remaining lifetime according to the issuer's clock, or `nil` for a permanent key.
    ///
    /// If the issuer's time is unknown, this machine's clock is used.
    let life: Duration?
  }

  /// Tries the sources of a chain in order until one has a key or fails.
  ///
  /// - Parameters:
  ///   - network: The options for connections to services.
  ///   - makeChain: A function that creates the chain for a context. The context records the warnings of the chain's
  ///     sources.
  init(
    over network: NetworkOptions, walking makeChain: (ProviderContext) -> CredentialChain<AccessKey>
  ) async throws {
    let log = WalkLog()
    let chain = makeChain(try .commandLine(network) { log.add($0) })
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

/// A credential provider that records the error with which its base provider declines.
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

/// A log of the errors and warnings that occur while a chain is searched.
private final class WalkLog: Sendable {
  private let notes = Mutex((declined: [CredentialError](), warnings: [CredentialWarning]()))

  var declined: [CredentialError] { notes.withLock { $0.declined } }

  /// The recorded warnings, without duplicates.
  var warnings: [CredentialWarning] { notes.withLock { $0.warnings } }

  func add(_ error: CredentialError) {
    notes.withLock { $0.declined.append(error) }
  }

  func add(_ warning: CredentialWarning) {
    notes.withLock { if !$0.warnings.contains(warning) { $0.warnings.append(warning) } }
  }
}
