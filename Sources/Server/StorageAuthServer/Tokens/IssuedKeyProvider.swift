// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A credential provider that asks the store of issued keys, and records the issuer's clock and the lifetime of the
/// newest key.
final class IssuedKeyProvider: CredentialProvider {
  private let provider: any CredentialProvider<AccessKey>
  private let scope: TokenScope
  private let store: any IssuedKeyStore
  private let time: any SigningClock
  /// The issuer's time when this machine's uptime was zero, and the lifetime of the newest key.
  private let newestIssue = Lock<(origin: Timestamp?, lifetime: Duration?)>((nil, nil))

  var source: String { provider.source }

  init(
    _ provider: any CredentialProvider<AccessKey>, of scope: TokenScope, in store: any IssuedKeyStore,
    time: any SigningClock
  ) {
    self.provider = provider
    self.scope = scope
    self.store = store
    self.time = time
  }

  /// The current time according to the issuer's clock, or this machine's clock if the issuer's time is unknown.
  var now: Timestamp { newestIssue.withLock { $0.origin }.map { $0.advanced(by: time.uptime) } ?? time.now }

  /// The lifetime of the newest key when the issuer created it, or `nil` before the first key.
  var lifetime: Duration? { newestIssue.withLock { $0.lifetime } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let issued = try await store.key(for: scope) { [provider] () async throws(CredentialError) in
      try await provider.issue(in: context)
    }
    let issuerTime = issued.issuerTime ?? time.now
    newestIssue.withLock { issue in
      issue.origin = issued.issuerTime?.advanced(by: .zero - time.uptime)
      issue.lifetime = issued.lifetime ?? issued.credential.expiration.map { issuerTime.duration(to: $0) }
    }
    return issued
  }
}
