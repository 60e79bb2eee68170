// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle
internal import StorageAuth

extension SigningService: Service {
  /// Keeps the signing keys fresh until the shutdown, and then shuts their credential caches down.
  ///
  /// Only keys whose provider is a `CredentialCache` are kept fresh. List the service before the application that uses
  /// it: a service group shuts its services down in reverse order, so that requests in progress are still signed.
  public func run() async {
    let caches = signings.values.compactMap { $0.credentials as? CredentialCache<AccessKey> }
    await cancelWhenGracefulShutdown {
      await withTaskGroup { group in
        for cache in caches { group.addTask { await cache.keepFresh() } }
        if caches.isEmpty { try? await gracefulShutdown() }
      }
    }
    for cache in caches { cache.shutdown() }
  }
}
