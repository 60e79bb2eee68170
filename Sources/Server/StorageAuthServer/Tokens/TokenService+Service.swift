// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle

extension TokenService: Service {
  /// Issues keys until the shutdown, and then ends all requests to the cloud as ``shutdown()`` does.
  ///
  /// List the service before the application that uses it: a service group shuts its services down in reverse order, so
  /// that requests in progress still receive their keys.
  public func run() async {
    try? await gracefulShutdown()
    shutdown()
  }
}
