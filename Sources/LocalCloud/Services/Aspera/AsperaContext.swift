// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The state that the simulated Node API, transfer server and applications of one local server share.
struct AsperaContext: Sendable {
  let cloud: CloudContext
  let directory: NodeDirectory
  let files: FileTree
  let tokens = TransferTokenTable()
  let packages = FaspexPackages()

  /// The fingerprint of the transfer server's host key, which is random for each local server.
  let hostKey: HostKeyFingerprint

  /// The lifetime of every transfer token regardless of the request, or `nil` to use the requested lifetime.
  let tokenLifetime: Duration?

  init(_ configuration: LocalCloud.Configuration, _ store: BucketTable, _ cloud: CloudContext) {
    self.cloud = cloud
    directory = NodeDirectory(configuration)
    files = FileTree(store: store)
    hostKey = HostKeyFingerprint(ofKey: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    tokenLifetime = configuration.aspera.tokenLifetime
  }

  /// Updates the statistics of Aspera transfers.
  func count(_ change: (inout LocalCloud.TransferStatistics) -> Void) {
    cloud.counters.countTransfers(change)
  }
}
