// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A connection to the simulated transfer server, with its login, session and open files.
final class TransferConnection: Sendable {
  struct Session: Sendable {
    let direction: TransferDirection
    /// The permissions of the session, or `nil` if it may access all paths.
    let permissions: TransferPermissions?
    let record: TransferRecord
  }

  enum OpenFile: Sendable {
    case sending(Content)
    /// A file whose bytes have arrived in part.
    case receiving(Upload, [Extent])
    case received
  }

  struct Upload: Sendable {
    let path: NodePath
    let byteCount: Int64
    /// The modification time of the source, or `nil` if the client did not send it.
    let modified: Timestamp?
    let keepsTime, isResumable: Bool

    /// The key by which a later session finds the part that has arrived, or `nil` if it may not resume the file.
    var resumptionKey: ResumptionKey? {
      guard isResumable, let modified else { return nil }
      return ResumptionKey(path: path, byteCount: byteCount, modified: modified)
    }
  }

  struct ResumptionKey: Hashable {
    let path: NodePath
    let byteCount: Int64
    let modified: Timestamp
  }

  private struct Progress {
    var account: LocalCloud.TransferAccount?
    var session: Session?
    var files: [OpenFile] = []
    var transferredByteCount: Int64 = 0
  }

  private static let pieceByteLimit: Int64 = 1024 * 1024
  private let fault: LocalCloud.TransferFault?
  private let progress = Lock(Progress())
  init(_ fault: LocalCloud.TransferFault?) { self.fault = fault }

  var account: LocalCloud.TransferAccount? {
    get { progress.withLock { $0.account } }
    set { progress.withLock { $0.account = newValue } }
  }

  var session: Session? {
    get { progress.withLock { $0.session } }
    set { progress.withLock { $0.session = newValue } }
  }

  /// The maximum number of bytes in one request, which lets a planned fault occur after its number of bytes.
  var pieceByteLimit: Int64 {
    guard case .afterBytes(let bytes)? = fault?.location else { return Self.pieceByteLimit }
    return min(max(bytes, 1), Self.pieceByteLimit)
  }

  func requireSession(_ direction: TransferDirection? = nil) throws(TransferRefusal) -> Session {
    guard let session, direction == nil || session.direction == direction else { throw .protocolError }
    return session
  }

  func fault(at location: LocalCloud.TransferFault.Location) -> LocalCloud.TransferFault? {
    fault?.location == location ? fault : nil
  }

  /// Returns the fault that is due after the bytes so far, or at the end of all content.
  func faultInContent(isEnd: Bool) -> LocalCloud.TransferFault? {
    guard let fault, case .afterBytes(let bytes) = fault.location else { return nil }
    return isEnd || progress.withLock { $0.transferredByteCount } >= bytes ? fault : nil
  }

  func open(_ file: OpenFile) -> Int {
    progress.withLock { progress in
      progress.files.append(file)
      return progress.files.count - 1
    }
  }

  func file(_ number: Int) -> OpenFile? {
    progress.withLock { $0.files.indices.contains(number) ? $0.files[number] : nil }
  }

  func update(_ number: Int, to file: OpenFile) { progress.withLock { $0.files[number] = file } }
  func addTransferredBytes(_ byteCount: Int64) { progress.withLock { $0.transferredByteCount += byteCount } }

  var hasReceivedAllFiles: Bool {
    progress.withLock { progress in
      !progress.files.contains { if case .receiving = $0 { true } else { false } }
    }
  }
}
