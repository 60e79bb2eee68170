internal import AsperaAuth
internal import StorageAuth

/// What the Node API and the transfer desk of one server share.
struct AsperaContext: Sendable {
  let cloud: CloudContext
  let directory: NodeDirectory
  let files: FileTree
  let tokens = TransferTokenTable()

  /// The fingerprint of the host key that the desk has; a new one for each server.
  let hostKey: HostKeyFingerprint

  /// The life of every token, whatever is asked for; nothing for what is asked for.
  let tokenLifetime: Duration?

  init(_ configuration: LocalCloud.Configuration, _ store: BucketTable, _ cloud: CloudContext) {
    self.cloud = cloud
    directory = NodeDirectory(configuration)
    files = FileTree(store: store)
    hostKey = HostKeyFingerprint(ofKey: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    tokenLifetime = configuration.aspera.tokenLifetime
  }

  /// Counts what happens to transfers.
  func count(_ change: (inout LocalCloud.TransferStatistics) -> Void) {
    cloud.counters.countTransfers(change)
  }
}
