// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The cache of an issuer's credentials for the Node API.
///
/// A provider that is not a cache gets one, in the context of the first request for a token.
final class AccessCache: Sendable {
  private let provider: any CredentialProvider<AsperaNodeAccess>
  private let made: Lock<CredentialCache<AsperaNodeAccess>?>

  init(_ provider: some CredentialProvider<AsperaNodeAccess>) {
    self.provider = provider
    made = Lock(provider as? CredentialCache<AsperaNodeAccess>)
  }

  func cache(in context: ProviderContext) -> CredentialCache<AsperaNodeAccess> {
    made.withLock { made in
      if let made { return made }
      let cache = CredentialCache(provider, in: context)
      made = cache
      return cache
    }
  }
}
