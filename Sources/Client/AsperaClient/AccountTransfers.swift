// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth
package import SystemPackage

/// File transfers with an account on an Aspera server, by paths below the account's root, without a Node API.
package struct AccountTransfers: Sendable {
  private let queue: TransferQueue
  private let token: AsperaToken?
  private let tags: JSONObject?

  /// Creates the file transfers of an Aspera account; a server that requires a bearer token checks it by the tags.
  package init(
    _ account: AsperaAccount, token: AsperaToken? = nil, tags: JSONObject? = nil,
    queue configuration: TransferQueueConfiguration = TransferQueueConfiguration(), engine: any TransferEngine
  ) {
    queue = TransferQueue(engine: engine, account: account, configuration: configuration)
    self.token = token
    self.tags = tags
  }

  package var events: EventHub { queue.authEvents }

  package func upload(_ file: FilePath, to path: String, progress: TransferProgress.Handler? = nil) async throws {
    let source = try await UploadFile(.file(file))
    var spec = TransferSpec(.send, [TransferPath(source.path, to: path)], destinationRoot: "/")
    spec.createsFolder = true
    let meter = ProgressMeter(total: source.length, handler: progress)
    try await queue.runToEnd(session(spec), size: source.length, meter: meter)
    try await source.requireUnchanged()
  }

  /// Downloads a file to a local path, at which it appears when it is complete.
  package func download(_ path: String, to file: FilePath, progress: TransferProgress.Handler? = nil) async throws {
    let location = try await FileLocation(file)
    _ = try await location.permissions()
    let folder = try TemporaryFolder(in: location.folder.path.absolute.string)
    let paths = [TransferPath("/" + path, to: TemporaryFolder.contentName)]
    let spec = TransferSpec(.receive, paths, destinationRoot: folder.path)
    try await queue.runToEnd(session(spec), size: nil, meter: ProgressMeter(total: nil, handler: progress))
    try await DownloadedFile(ObjectInfo(key: path, size: nil), in: folder, of: location.folder.system)
      .move(to: location)
  }

  private func session(_ spec: TransferSpec) -> TransferSession {
    var spec = spec
    spec.tags = tags
    return TransferSession(spec, token: token.map { .fixed($0) } ?? .queueDefault)
  }
}
