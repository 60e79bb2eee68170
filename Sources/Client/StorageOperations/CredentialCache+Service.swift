// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle
public import StorageAuth

extension CredentialCache: Service {
  /// Keeps a valid credential in the cache until the shutdown, and then shuts the cache down.
  ///
  /// List the cache before the services that use it: a service group shuts its services down in reverse order.
  ///
  /// ```swift
  /// let group = ServiceGroup(services: [cache, application], gracefulShutdownSignals: [.sigterm], logger: logger)
  /// ```
  public func run() async {
    await cancelWhenGracefulShutdown { await self.keepFresh() }
    shutdown()
  }
}
