// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaTransfer
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
    // If the app shuts the cache down, the service goes on until the shutdown of the group, which it would end otherwise.
    try? await gracefulShutdown()
    shutdown()
  }
}

extension TransferQueue: Service {
  /// Runs the queue until the shutdown, and then ends it without interrupting active sessions.
  ///
  /// At a graceful shutdown, no more sessions become active, active sessions continue to their end, and waiting
  /// and stopped sessions end with a cancellation. If the service is cancelled, active sessions are stopped in an orderly way.
  public func run() async {
    // Fails only if the task is cancelled, which the next lines handle.
    try? await gracefulShutdown()
    await withTaskCancellationHandler {
      if !Task.isCancelled { await awaitActiveSessions() }
    } onCancel: {
      Task { await shutdown() }
    }
    await shutdown()
  }

  private func awaitActiveSessions() async {
    finishActiveSessions()
    for id in sessions where status(of: id)?.isActive == true { _ = await result(of: id) }
  }
}

extension TransferStatus {
  fileprivate var isActive: Bool {
    switch self {
    case .activating, .ready, .connecting, .running, .retrying, .stopping: true
    case .waiting, .interrupted, .ended: false
    }
  }
}
