package import AsperaAuth
package import AsperaTransfer
internal import StorageAuth
package import SystemPackage

/// Moves files with an account alone, where there is no Node API.
package struct AccountTransfers: Sendable {
  private let queue: TransferQueue
  private let token: AsperaToken?

  /// Names an account.
  ///
  /// - Parameters:
  ///   - account: Who logs in.
  ///   - token: What the server wants to see besides, if it does.
  ///   - engine: What carries out the transfers.
  package init(_ account: AsperaAccount, token: AsperaToken? = nil, engine: any TransferEngine) {
    queue = TransferQueue(engine: engine, account: account)
    self.token = token
  }

  /// Sends a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - path: What it is called on the server, from the root of the account on.
  ///   - progress: Is told how far it is.
  package func upload(_ file: FilePath, to path: String, progress: TransferProgress.Handler? = nil) async throws {
    let source = try await TransferFile(.file(file))
    var spec = TransferSpec(.send, [TransferPath(source.path, to: path)], destinationRoot: "/")
    spec.createsFolder = true
    let meter = ProgressMeter(total: source.size, handler: progress)
    try await queue.carryOut(session(spec), size: source.size) { meter.advance(by: $0) }
  }

  /// Receives a file, which appears only when all of it has arrived.
  ///
  /// - Parameters:
  ///   - path: The file on the server, from the root of the account on.
  ///   - file: What it is called here.
  ///   - progress: Is told how far it is.
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
