// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import AsperaAuth
package import AsperaTransfer
internal import StorageAuth
package import SystemPackage

/// Transfers of files with only an account, for servers without a Node API.
package struct AccountTransfers: Sendable {
  private let queue: TransferQueue
  private let token: AsperaToken?

  /// Creates the transfers of an account.
  ///
  /// - Parameters:
  ///   - account: The account that logs in.
  ///   - token: The transfer token, if the server requires one in addition.
  ///   - engine: The engine that carries out the transfers.
  package init(_ account: AsperaAccount, token: AsperaToken? = nil, engine: any TransferEngine) {
    queue = TransferQueue(engine: engine, account: account)
    self.token = token
  }

  /// Uploads a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - path: The path on the server, relative to the account's root.
  ///   - progress: Receives the progress of the transfer.
  package func upload(_ file: FilePath, to path: String, progress: TransferProgress.Handler? = nil) async throws {
    let source = try await TransferFile(.file(file))
    var spec = TransferSpec(.send, [TransferPath(source.path, to: path)], destinationRoot: "/")
    spec.createsFolder = true
    let meter = ProgressMeter(total: source.size, handler: progress)
    try await queue.carryOut(session(spec), size: source.size) { meter.advance(by: $0) }
  }

  /// Downloads a file, which appears only when it has arrived completely.
  ///
  /// - Parameters:
  ///   - path: The path on the server, relative to the account's root.
  ///   - file: The local file.
  ///   - progress: Receives the progress of the transfer.
  package func download(_ path: String, to file: FilePath, progress: TransferProgress.Handler? = nil) async throws {
    let place = try await FilePlace(file)
    let folder = try TemporaryFolder(in: place.folder.string)
    let name = "content"
    let spec = TransferSpec(.receive, [TransferPath("/" + path, to: name)], destinationRoot: folder.path)
    let meter = ProgressMeter(total: nil, handler: progress)
    try await queue.carryOut(session(spec), size: nil) { meter.advance(by: $0) }
    let info = ObjectInfo(key: path, size: nil, lastModified: nil)
    let copy = try await FetchedFile(info, FilePath(folder.path).appending(name), in: folder)
    try await place.put(copy.file)
  }

  private func session(_ spec: TransferSpec) -> TransferSession {
    TransferSession(spec, token: token.map { .fixed($0) } ?? .none)
  }
}
