// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import AsperaAuth
package import AsperaTransfer
package import StorageAuth
package import StorageClient
package import SystemPackage

/// File transfers to and from an Aspera server without a Node API, which needs only an account.
package struct AccountTransfers: Sendable {
  private let queue: TransferQueue
  private let token: AsperaToken?
  private let tags: JSONObject?

  /// Creates the file transfers of an Aspera account.
  ///
  /// The token is `nil` if the server requires only the account. A server checks a bearer token by the tags.
  package init(
    _ account: AsperaAccount, token: AsperaToken? = nil, tags: JSONObject? = nil,
    queue configuration: TransferQueueConfiguration = TransferQueueConfiguration(), engine: any TransferEngine
  ) {
    queue = TransferQueue(engine: engine, account: account, configuration: configuration)
    self.token = token
    self.tags = tags
  }

  package var events: EventHub { queue.authEvents }

  /// Uploads a file to a path on the Aspera server, relative to the account's root.
  package func upload(_ file: FilePath, to path: String, progress: TransferProgress.Handler? = nil) async throws {
    let source = try await UploadFile(.file(file))
    var spec = TransferSpec(.send, [TransferPath(source.path, to: path)], destinationRoot: "/")
    spec.createsFolder = true
    let meter = ProgressMeter(total: source.length, handler: progress)
    try await queue.carryOut(session(spec), size: source.length, meter)
    try await source.requireUnchanged()
  }

  /// Downloads a file with a path on the Aspera server, relative to the account's root, into a local file, which appears
  /// only when the download is complete.
  package func download(_ path: String, to file: FilePath, progress: TransferProgress.Handler? = nil) async throws {
    let location = try await FileLocation(file)
    _ = try await location.permissions()
    let folder = try TemporaryFolder(in: location.folder.path.absolute.string)
    let paths = [TransferPath("/" + path, to: TemporaryFolder.contentName)]
    let spec = TransferSpec(.receive, paths, destinationRoot: folder.path)
    try await queue.carryOut(session(spec), size: nil, ProgressMeter(total: nil, handler: progress))
    try await DownloadedFile(ObjectInfo(key: path, size: nil), in: folder, of: location.folder.system)
      .move(to: location)
  }

  private func session(_ spec: TransferSpec) -> TransferSession {
    var spec = spec
    spec.tags = tags
    return TransferSession(spec, token: token.map { .fixed($0) } ?? .queueDefault)
  }
}
