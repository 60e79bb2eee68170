// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension ProxyConfiguration {
  /// The proxies in the environment of this process: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
  ///
  /// - Throws: A `TransportError` with the code `invalidConfiguration` that names the variable, without its value.
  public static var environment: ProxyConfiguration {
    get throws(TransportError) { try ProxyConfiguration(environment: ProviderContext.processEnvironment) }
  }
}
