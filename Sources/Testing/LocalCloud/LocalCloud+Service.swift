// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle

extension LocalCloud: Service {
  /// Serves until the shutdown, and then stops the server as ``stop()`` does.
  ///
  /// ```swift
  /// let cloud = try await LocalCloud.start(configuration)
  /// try await ServiceGroup(services: [cloud, worker], gracefulShutdownSignals: [.sigterm], logger: logger).run()
  /// ```
  public func run() async {
    try? await gracefulShutdown()
    // Stopping must not be cancelled with this task, so it runs in a separate, unstructured task.
    await Task { await stop() }.value
  }
}
